"""Brings the built tables of a catalog up to date with their sources, once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cache.versions import Store
from engine.catalog import Catalog
from engine.embed import chosen_embedder
from engine.progress import Progress
from engine.tables import open_tables


@dataclass(frozen=True, slots=True)
class Indexed:
    """A table in service: its version, and when its data was read (ISO 8601, UTC)."""

    table: str
    rows: int
    version: str
    loaded_at: str


def index_tables(catalog: Catalog, store: Store, progress: Progress | None = None) -> Iterator[Indexed]:
    """Builds what is not built or whose source has changed; raises what open_tables raises, and leaves what is in service as it is."""
    tables = open_tables(catalog, store, progress, chosen_embedder(catalog.access.endpoints))
    try:
        for table in tables:
            yield Indexed(table.name, table.facts.rows, table.version, table.freshness.loaded_at)
    finally:
        for table in tables:
            table.close()
