"""Loads what the next questions need, the most asked tables first, within a budget of time."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from cache.hints import Hints
from engine.asked import Spot
from engine.errors import AlmanacError
from engine.history import history_of
from engine.library import Library
from engine.table import OpenTable
from engine.types import WHOLE, Scope

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Warmed:
    """A table that was loaded: its rows and version, and whether it had to be built; or why it was not, as a sentence."""

    table: str
    whole: bool
    rows: int = 0
    version: str = ""
    built: bool = False
    failure: str = ""


def warm(library: Library, scopes: Iterable[Scope], seconds: float, stopped: Callable[[], bool] = lambda: False) -> list[Warmed]:
    """Opens tables, builds those that are not built, and loads the embedder and what finds terms by likeness.

    First the slices that are asked most, as long as they are built or one of the scopes shows them, then the others of the scopes.
    No table is begun after that many seconds; one that was begun is finished, as others may wait for it.
    """
    end = time.monotonic() + seconds
    warmed: list[Warmed] = []
    likely = list(dict.fromkeys((entry.name, entry.part) for scope in scopes for entry in library.catalog.under(scope).tables))
    asked = [spot for spot in library.asked.most() if spot in likely or library.is_built(*spot)]
    for spot in dict.fromkeys([*asked, *likely]):
        if stopped() or time.monotonic() >= end:
            break
        warmed += _warm_one(library, spot)
    return warmed


@contextmanager
def warming(library: Library, scopes: Iterable[Scope], seconds: float) -> Iterator[None]:
    """Warms in a thread beside what is done inside; 0 seconds are none. At the end it is waited for, but for a build that takes longer."""
    if seconds <= 0:
        yield
        return
    stop = threading.Event()

    def work() -> None:
        try:
            warmed = warm(library, scopes, seconds, stop.is_set)
            log.info("warmed", extra={"tables": len(warmed), "failed": sum(bool(one.failure) for one in warmed)})
        except Exception:
            log.exception("what is asked most could not be loaded ahead")

    thread = threading.Thread(target=work, name="warming", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(5.0)


def _warm_one(library: Library, spot: Spot) -> list[Warmed]:
    name, part = spot
    try:
        built = library.is_built(name, part)
        tables = library.open(name, part)
        for table in tables:
            load(table, library)
        return [Warmed(table.name, part == WHOLE, table.facts.rows, table.version, not built) for table in tables]
    except AlmanacError as error:
        log.warning("a table could not be loaded ahead", extra={"table": name, "reason": str(error)})
        return [Warmed(name, part == WHOLE, failure=str(error))]


def load(table: OpenTable, library: Library) -> None:
    """Reads of a table what its first question would wait for."""
    from engine.lance import joint_vectors, near_terms  # seconds to import, which is what is done ahead here

    table.has_word("a")
    history_of(table, Hints(library.root, "histories"))
    if not library.embedder.address:  # what is asked of an endpoint costs
        near_terms(table.index, joint_vectors(["a"], [True], library.embedder), 1)
