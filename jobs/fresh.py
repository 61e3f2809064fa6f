"""The jobs of a catalog: each table is refreshed in its rhythm, and what others have refreshed is noticed."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from cache.folders import digest
from cache.identity import identity
from cache.versions import Store
from engine.catalog import TableEntry
from engine.errors import AlmanacError
from engine.library import Library
from engine.progress import Progress
from engine.table import OpenTable
from engine.tables import source_key
from engine.types import Scope
from engine.warm import load
from jobs.alert import Alert, Tell
from jobs.job import Job
from jobs.ledger import Ledger
from jobs.refreshing import NICE, refresh_apart
from jobs.times import every, times_of

NOTICED_EVERY: Final = 3.0  # seconds
log = logging.getLogger(__name__)


def job_id(entry: TableEntry, root: Path) -> str:
    """The id of the job that refreshes a table in a folder of built tables: machines that share the folder share the job."""
    return f"refresh:{identity(root)}:{digest(source_key(entry))[:16]}"  # the key itself may hold a password


class Fresh:
    """Keeps the tables of a library fresh.

    scopes: whose slices are refreshed besides those that are asked. tell: is told of what begins and ends to be wrong.
    stopping: cuts what is being done short, and lets it be done by whoever comes next. accept: whatever can be read is taken, as its owner says so.
    """

    def __init__(
        self,
        library: Library,
        ledger: Ledger,
        scopes: Iterable[Scope],
        tell: Tell = lambda alert: None,
        stopping: threading.Event | None = None,
        progress: Progress | None = None,
        nice: int = NICE,
        accept: bool = False,
    ) -> None:
        self._library = library
        self._ledger = ledger
        self._scopes = list(scopes)
        self._tell = tell
        self._stopping = stopping
        self._progress = progress
        self._nice = nice
        self._accept = accept

    def jobs(self) -> list[Job]:
        """A job for each table, which is done when a process starts and then in the table's rhythm."""
        return [self._job(entry) for entry in self._library.catalog.tables]

    def noticing(self) -> Job:
        """A job of each process: what was put in service by another is opened."""
        return Job("notice", every(NOTICED_EVERY), lambda _, due: self.notice(), shared=False)

    def notice(self) -> None:
        """Opens what is in service where another version is open."""
        for name in self._library.changed():
            self._library.renew(name, self._ready)

    def refresh(self, entry: TableEntry) -> dict[str, Any]:
        """Refreshes a table with all its slices and opens what came of it; raises BuildError where that fails, StoppedError where it is cut short."""
        library = self._library
        parts = library.parts(entry.name, self._scopes)
        if not parts:
            return {"table": entry.name, "outcome": "same", "told": [], "reason": ""}
        try:
            done = refresh_apart(
                library.catalog,
                Store(library.root),
                entry.name,
                parts,
                progress=self._progress,
                stopping=self._stopping,
                nice=self._nice,
                accept=self._accept,
            )
        except AlmanacError as error:
            self._wrong(entry, str(error))
            raise
        library.renew(entry.name, self._ready)
        if done.outcome == "refused":
            self._wrong(entry, done.reason)
        else:
            self._well(entry)
        for sentence in done.told:
            log.info("a refresh tells", extra={"table": entry.name, "sentence": sentence})
        return asdict(done)

    def _job(self, entry: TableEntry) -> Job:
        name = job_id(entry, self._library.root)

        def run(_: str, due: datetime) -> Mapping[str, Any]:
            return self.refresh(entry)

        rhythm = entry.rhythm
        words = entry.refresh or f"{rhythm.seconds / 60:g} minutes"
        times = times_of(rhythm, name, entry.jitter_seconds)
        return Job(name, times, run, title=entry.name, rhythm=words[:200], heavy=True, soon=times is not None)

    def _ready(self, table: OpenTable) -> None:
        try:
            load(table, self._library)
        except AlmanacError as error:
            log.warning("a table could not be loaded ahead", extra={"table": table.name, "reason": str(error)})

    def _wrong(self, entry: TableEntry, reason: str) -> None:
        begins, since = self._ledger.wrong(job_id(entry, self._library.root), reason)
        if begins:
            log.warning("a table is not refreshed any more", extra={"table": entry.name, "reason": reason})
            self._say(Alert(entry.name, "stale", since, reason, entry.alerts_to))

    def _well(self, entry: TableEntry) -> None:
        if (since := self._ledger.well(job_id(entry, self._library.root))) is not None:
            log.warning("a table is refreshed again", extra={"table": entry.name})
            self._say(Alert(entry.name, "well", since, to=entry.alerts_to))

    def _say(self, alert: Alert) -> None:
        try:
            self._tell(alert)
        except Exception:
            log.exception("an alert could not be told")
