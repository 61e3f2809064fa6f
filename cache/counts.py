"""How often what is remembered was found: in this process, and for one question."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, Literal

What = Literal["hits", "misses", "writes", "errors"]
WHAT: Final[tuple[What, ...]] = ("hits", "misses", "writes", "errors")


class Counts:
    """Hits, misses, writes and errors of each namespace; for any number of threads."""

    def __init__(self) -> None:
        self._counter: Counter[tuple[str, What]] = Counter()
        self._lock = threading.Lock()

    def add(self, namespace: str, what: What) -> None:
        """One more."""
        with self._lock:
            self._counter[namespace, what] += 1

    def of(self, namespace: str) -> dict[What, int]:
        """All four numbers of a namespace."""
        with self._lock:
            return {what: self._counter[namespace, what] for what in WHAT}

    def to_json(self) -> dict[str, dict[str, int]]:
        """Hits and misses of each namespace that was looked in, for a reply's JSON."""
        with self._lock:
            names = sorted({name for name, what in self._counter if what in ("hits", "misses")})
            return {name: {"hits": self._counter[name, "hits"], "misses": self._counter[name, "misses"]} for name in names}


PROCESS: Final = Counts()
_question: ContextVar[tuple[Counts, ...]] = ContextVar("counts of the question", default=())


def count(namespace: str, what: What) -> None:
    """Counts one hit, miss, write or error, for the process and for whoever counts around this call."""
    for counts in (PROCESS, *_question.get()):
        counts.add(namespace, what)


@contextmanager
def counted() -> Iterator[Counts]:
    """What is counted inside; work that is handed to a thread counts where the context goes along, as with asyncio.to_thread."""
    counts = Counts()
    token = _question.set((*_question.get(), counts))
    try:
        yield counts
    finally:
        _question.reset(token)
