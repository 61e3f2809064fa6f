"""Brings one source of the catalog up to date: looked at, read, compared, written beside the old version, and switched to."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cache.versions import Held, Store
from engine.agreed import agreed
from engine.catalog import Catalog, TableEntry
from engine.embedder import Calibration, Embedder
from engine.errors import AlmanacError
from engine.progress import Progress
from engine.read import read_if_new, stamp
from engine.refreshed import Limits, Outcome, Refreshed, limits_from_settings
from engine.settings import printable
from engine.taken import note, note_refusal, why_not
from engine.types import WHOLE
from engine.version import Made, earlier_tables, is_whole, make_version, reading_of, shape_of, source_key, version_of, without_collector

if TYPE_CHECKING:
    from engine.build.build import Built
    from engine.build.earlier import EarlierTable
    from engine.embedder import Vectors
    from engine.read.kind import KnownKind

__all__ = ["Limits", "Refreshed", "limits_from_settings", "refresh"]
log = logging.getLogger(__name__)


def refresh(
    entry: TableEntry, catalog: Catalog, store: Store, embedder: Embedder, progress: Progress | None = None, limits: Limits = Limits()
) -> Refreshed:
    """Takes what the source now holds, if it holds anything new and nothing is wrong with it; else the version in service stays.

    Where nothing changed, nothing is written. What is refused is told by the outcome, by `Freshness.stale_since` until it is taken or back as it
    was, and by no exception.
    """
    start = time.perf_counter()
    entry = agreed(entry, source_key(entry), store)
    held = store.current(source_key(entry), used=False)
    if held is not None and not is_whole(held.facts):
        held.close()
        held = None
    counted = _Counted(embedder)
    run = _Run(entry, catalog, store, counted, progress or _silent, limits, held)
    try:
        made, told = run.made()
        try:
            return run.outcome("same" if held is not None and made.held.folder == held.folder else "new", start, made, told)
        finally:
            if made.held is not held:
                made.held.close()
    except AlmanacError as error:
        run.note_refusal(str(error))
        return run.outcome("refused", start, reason=str(error))
    finally:
        if held is not None:
            held.close()


class _Refused(AlmanacError):
    """What was read is not taken."""


class _Run:
    """One refresh: what it was called with, and what was found on the way."""

    def __init__(
        self, entry: TableEntry, catalog: Catalog, store: Store, embedder: _Counted, told: Progress, limits: Limits, held: Held | None
    ) -> None:
        self.entry, self.catalog, self.store, self.embedder = entry, catalog, store, embedder
        self.told, self.limits, self.held = told, limits, held
        self.shape = shape_of(entry, embedder)
        self.stamp = ""
        self.earlier: Mapping[str, EarlierTable] | None = None
        self.refused = ""  # the version that what was read would make

    def made(self) -> tuple[Made, list[str]]:
        """The version that is to be in service, with sentences on what is new; raises AlmanacError where it stays as it is."""
        entry, held = self.entry, self.held
        same_shape = held is not None and held.facts["shape"] == self.shape
        same_reading = held is not None and held.facts.get("reading") == reading_of(entry)
        before = str(held.facts["stamp"]) if held is not None and same_shape else ""
        self.stamp = stamp(entry.source, entry.base, before)
        if held is not None and before and before == self.stamp:
            return self._as_it_was(held), []
        self.told("reading", 0, 1)
        known = str(held.facts.get("content", "")) if held is not None and same_shape else ""
        with without_collector(held is not None):
            found = read_if_new(entry.source, entry.options(), entry.base, known, self._kinds if same_shape and same_reading else list)
        if held is not None and (found is None or version_of(self.shape, found[0]) == held.version):
            return self._as_it_was(held), []
        assert found is not None, "without a version there is no content that is known"
        self.refused = version_of(self.shape, found[0])
        if held is not None and (said := why_not(held, found[0], entry, self.embedder, self.limits)):
            raise _Refused(said)
        sentences: list[str] = []

        def more(folder: Path, built: Sequence[Built]) -> Mapping[str, Any]:
            return {"retired": self._retired(folder, built, sentences)}

        made = make_version(entry, self.store, self.told, self.embedder, self.stamp, found, held, more, self.earlier)
        from engine.guard import news

        return made, [*news(made.built), *sentences]

    def _kinds(self) -> list[dict[str, KnownKind]]:
        """What the reading of the version in service made of the columns of its tables."""
        self.earlier = earlier_tables(self.held, self.embedder)
        return [table.kept.kinds() if table.kept else {} for table in self.earlier.values()]

    def _as_it_was(self, held: Held) -> Made:
        if held.note() is not None:  # it was away, or refused, and is back
            note(self.entry, self.store, held, None)
        return Made(held)

    def _retired(self, folder: Path, built: Sequence[Built], sentences: list[str]) -> list[str]:
        from engine.retired import example_key, examples_that_fail
        from engine.table import SQLITE_NAME

        retired = []
        for number, table in enumerate(built):
            if self.held is None or self.entry.part != WHOLE:
                continue  # a catalog that never fitted is told as wrong; a slice leaves out what it does not hold
            for example in examples_that_fail(self.catalog, table.facts, folder / str(number) / SQLITE_NAME):
                retired.append(example_key(example))
                sentences.append(
                    f'The worked example "{printable(example.question)}" does not run on "{printable(table.name)}" any more, and is left out.'
                )
        return retired

    def note_refusal(self, reason: str) -> None:
        """Notes since when the version in service is older than its source, and why."""
        log.warning("a source is not taken", extra={"table": self.entry.name, "reason": reason})
        if self.held is not None:
            note_refusal(self.entry, self.store, self.held, reason, stamp=self.stamp, refused=self.refused)

    def outcome(self, outcome: Outcome, start: float, made: Made | None = None, told: Sequence[str] = (), reason: str = "") -> Refreshed:
        """What is reported: of the version in service."""
        held = made.held if made else self.held
        built = made.built if made else []
        rows = held.facts.get("rows", 0) if held else 0
        return Refreshed(
            outcome,
            self.entry.name,
            held.version if held else "",
            sum(table.facts.rows for table in built) or (rows if isinstance(rows, int) else 0),
            sum(table.difference.added for table in built),
            sum(table.difference.changed for table in built),
            sum(table.difference.removed for table in built),
            self.embedder.texts,
            time.perf_counter() - start,
            held.built_at if held else "",
            tuple(told),
            reason,
        )


class _Counted:
    """An embedder that counts the texts that it is given."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.texts = 0

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def address(self) -> str:
        return self._embedder.address

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    @property
    def calibration(self) -> Calibration:
        return self._embedder.calibration

    def embed(self, phrases: Sequence[str]) -> Vectors:
        self.texts += len(phrases)
        return self._embedder.embed(phrases)


def _silent(stage: str, done: int, total: int) -> None:
    pass
