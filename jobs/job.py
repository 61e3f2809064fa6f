"""What is done again and again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from jobs.times import Times


class StoppedError(Exception):
    """A job raises it where it is cut short because its process ends: it is done by whoever comes next."""


@dataclass(frozen=True, slots=True)
class Job:
    """Something to do at some times: `run` takes the id and the time that it was due at, and gives what is kept of it as JSON.

    times: None where it is only done when it is asked for. rhythm: the same in words; title: what it is called to people.
    shared: it is done once, by one of the processes that use a state database; else in each of them, and nothing is kept of it.
    heavy: few of them are done at once. soon: it is done when a process starts as well.
    Where `run` raises an AlmanacError its sentence is kept; whatever else it raises is kept under an incident id.
    """

    id: str
    times: Times | None
    run: Callable[[str, datetime], Mapping[str, Any] | None]
    title: str = ""
    rhythm: str = ""
    shared: bool = True
    heavy: bool = False
    soon: bool = False
