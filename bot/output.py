"""Standard output as it may be: closed, full, or read by someone who has enough."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any, Final

from engine.errors import AlmanacError

_CLOSED: Final = frozenset({errno.EPIPE, errno.EBADF})
_OUT: Final = 1  # the number by which systems know standard output


class OutputError(AlmanacError):
    """Standard output takes no more, for a reason that is worth telling."""


class OutputClosedError(OutputError):
    """Nobody reads standard output: no failure, and nothing to tell."""

    status = 141


class _Standard(io.FileIO):
    """Standard output, whose refusals are told apart from those of every other file."""

    def write(self, data: Any) -> int:
        """The number of bytes that were taken."""
        try:
            return super().write(data) or 0
        except OSError as error:
            if error.errno in _CLOSED:
                raise OutputClosedError from error
            why = "the disk is full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "what it leads to takes no more"
            raise OutputError(f"Standard output could not be written: {why}.") from error


def open_standard_output() -> None:
    """Gives sys.stdout refusals of its own, and keeps closed streams from being taken by the next file that is opened."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)  # which the system gives the lowest number that is free
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    watched = os.isatty(_OUT)
    buffered = io.BufferedWriter(_Standard(_OUT, "w", closefd=False))
    sys.stdout = io.TextIOWrapper(buffered, encoding=encoding, errors="backslashreplace", line_buffering=watched)


def give_up_output() -> None:
    """Lets what is still buffered go nowhere, so that it does not complain when the process ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), _OUT)
