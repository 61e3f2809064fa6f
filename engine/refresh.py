"""Brings one source of the catalog up to date: looked at, read, compared, written beside the old version, and switched to."""

from __future__ import annotations

import time

from cache.versions import Store
from engine.catalog import Catalog, TableEntry
from engine.embedder import Embedder
from engine.errors import AlmanacError
from engine.progress import Progress
from engine.refreshed import Limits, Refreshed
from engine.tables import index, source_key

__all__ = ["Limits", "Refreshed", "refresh"]


def refresh(
    entry: TableEntry, catalog: Catalog, store: Store, embedder: Embedder, progress: Progress | None = None, limits: Limits = Limits()
) -> Refreshed:
    """Takes what the source now holds, if it holds anything new and nothing is wrong with it; else the version in service stays.

    Raises BuildError where the folder cannot be written; what is wrong with the source is told by the outcome.
    """
    start = time.perf_counter()
    old = store.current(source_key(entry))
    was = old.version if old else ""
    if old:
        old.close()
    try:
        with index(entry, store, progress, embedder) as held:
            outcome = "same" if held.version == was else "new"
            return Refreshed(
                outcome,  # type: ignore[arg-type]
                entry.name,
                version=held.version,
                seconds=time.perf_counter() - start,
                read_at=held.built_at,
            )
    except AlmanacError as error:
        return Refreshed("refused", entry.name, version=was, seconds=time.perf_counter() - start, reason=str(error))
