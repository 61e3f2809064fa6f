"""The open tables of a catalog, a slice of each for every scope that asks: opened, and built first where they must be, when they are needed."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from cache.versions import Store
from engine.catalog import Catalog, TableEntry
from engine.embedder import Embedder
from engine.errors import CatalogError, DamageError
from engine.progress import Progress
from engine.table import OpenTable, damage_told
from engine.tables import drop_damaged, open_tables
from engine.types import WHOLE, Scope, Slice

T = TypeVar("T")
log = logging.getLogger(__name__)


class Library:
    """Opens each slice once, for as long as it lives; every method may be called from any thread."""

    def __init__(
        self,
        catalog: Catalog,
        store: Store,
        embedder: Embedder,
        progress: Progress | None = None,
        left_out: Callable[[str], None] | None = None,
    ) -> None:
        self._catalog = catalog
        self._store = store
        self.embedder = embedder
        self._progress = progress
        self._left_out = left_out
        self._open: dict[tuple[str, Slice], list[OpenTable]] = {}
        self._all: list[OpenTable] = []
        self._opening: dict[tuple[str, Slice], threading.Lock] = {}
        self._lock = threading.Lock()

    def under(self, scope: Scope) -> list[OpenTable]:
        """The tables that a scope shows, as it shows them; raises what `open_tables` raises, but leaves out a slice that cannot be made."""
        catalog = self._catalog.under(scope)
        wanted = [entry for entry in catalog.tables if (entry.name, entry.part) not in self._open]
        if len(wanted) == len(self._catalog.tables) and all(entry.part == WHOLE for entry in wanted):
            self._open_all(catalog)
        for entry in wanted:
            self._open_one(entry, catalog)
        return [table for entry in catalog.tables for table in self._open.get((entry.name, entry.part), ())]

    def used(self, scope: Scope, use: Callable[[Sequence[OpenTable]], T]) -> T:
        """What comes of using the tables of a scope; where their files turn out to be damaged, they are built anew and used once more."""
        tables = self.under(scope)
        try:
            with damage_told(tables):
                return use(tables)
        except DamageError:
            self._renew(tables)
            tables = self.under(scope)
            with damage_told(tables):
                return use(tables)

    def build(self, scopes: Iterable[Scope]) -> None:
        """Opens ahead what these scopes will ask for."""
        for scope in scopes:
            self.under(scope)

    def close(self) -> None:
        """Lets all go, also those that were opened anew: until now another thread may have been reading them."""
        for table in self._all:
            table.close()

    def _open_all(self, catalog: Catalog) -> None:
        """The whole catalog at once, which tells of all that is wrong with it."""
        with self._lock_of(("", WHOLE)):
            if all((entry.name, entry.part) in self._open for entry in catalog.tables):
                return
            tables = open_tables(catalog, self._store, self._progress, self.embedder, left_out=self._left_out)
            with self._lock:
                self._all += tables
                for entry in catalog.tables:
                    self._open[entry.name, entry.part] = [table for table in tables if table.entry == entry.name]

    def _open_one(self, entry: TableEntry, catalog: Catalog) -> None:
        spot = (entry.name, entry.part)
        with self._lock_of(spot):
            if spot in self._open:
                return
            alone = catalog.model_copy(update={"tables": (entry,)})
            try:
                tables = open_tables(alone, self._store, self._progress, self.embedder, left_out=self._left_out)
            except CatalogError:
                if entry.part == WHOLE:
                    raise
                log.exception("a slice of a table cannot be made, and is shown to nobody", extra={"table": entry.name})
                tables = []
            with self._lock:
                self._all += tables
                self._open[spot] = tables

    def _renew(self, damaged: Sequence[OpenTable]) -> None:
        """Takes out of service what is damaged, unless somebody did since these were looked at."""
        with self._lock:
            spots = {(table.entry, table.part) for table in damaged}
            if any(table not in self._open.get((table.entry, table.part), ()) for table in damaged):
                return
            drop_damaged(damaged, self._store)
            for spot in spots:
                del self._open[spot]

    def _lock_of(self, spot: tuple[str, Slice]) -> threading.Lock:
        with self._lock:
            return self._opening.setdefault(spot, threading.Lock())
