"""A line for the person at the command line, on standard error."""

from __future__ import annotations

import sys
from contextlib import suppress

from bot.escape import one_line


def say(text: str) -> None:
    """Writes the line; one that nobody can read is no reason to fail."""
    if sys.stderr is not None:  # print would take standard output instead
        with suppress(OSError, ValueError, AttributeError):
            print(one_line(text), file=sys.stderr, flush=True)  # noqa: T201
