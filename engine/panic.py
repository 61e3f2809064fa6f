"""Panics of libraries written in Rust as ordinary errors: they are no Exception in Python, and print on standard error as they happen."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_one_at_a_time = threading.RLock()  # two that redirect the same file at once would restore each other's


class PanicError(Exception):
    """A library gave up on what it was given."""


@contextmanager
def panics_told() -> Iterator[None]:
    """Raises PanicError where a library panics, and keeps its report from standard error; whatever else is written there meanwhile follows at the end."""
    with _one_at_a_time, tempfile.TemporaryFile() as kept:
        with suppress(OSError, ValueError, AttributeError):
            sys.stderr.flush()
        try:
            stderr = os.dup(2)
        except OSError:  # closed: nobody would see it
            stderr = -1
        if stderr >= 0:
            os.dup2(kept.fileno(), 2)
        panicked = False
        try:
            yield
        except BaseException as error:
            if type(error).__module__ != "pyo3_runtime":  # the type cannot be imported
                raise
            panicked = True
            raise PanicError from None
        finally:
            if stderr >= 0:
                with suppress(OSError, ValueError, AttributeError):
                    sys.stderr.flush()
                os.dup2(stderr, 2)
                os.close(stderr)
                if not panicked:
                    _pass_on(kept.fileno())


def _pass_on(kept: int) -> None:
    with suppress(OSError):
        os.lseek(kept, 0, os.SEEK_SET)
        while piece := os.read(kept, 1 << 16):
            os.write(2, piece)
