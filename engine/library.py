"""The open tables of a catalog, a slice of each for every scope that asks: opened, and built first where they must be, when they are needed."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from cache.hints import Hints
from cache.versions import Store
from engine.agreed import agree, agreed, check_types, settled
from engine.asked import Asked
from engine.catalog import Catalog, TableEntry
from engine.embedder import Embedder
from engine.errors import DamageError, NothingToSeeError, PlanError
from engine.progress import Progress
from engine.settings import printable, unused_days
from engine.table import OpenTable, damage_told
from engine.tables import drop_damaged, open_tables, source_key
from engine.types import WHOLE, ColumnType, Reply, Scope, Slice
from engine.version import shape_of

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
        only_built: bool = False,
    ) -> None:
        """only_built: what is in service is opened as it is, and somebody else looks whether its source has changed."""
        self.catalog = catalog
        self._store = store
        self.embedder = embedder
        self._progress = progress
        self._left_out = left_out
        self._only_built = only_built
        self.asked = Asked(Hints(store.root, "tables"), catalog)
        self._open: dict[tuple[str, Slice], list[OpenTable]] = {}
        self._marks: dict[tuple[str, Slice], str] = {}  # of the version that was in service when it was opened
        self._retired: list[OpenTable] = []  # replaced, and still being read
        self._readers: Counter[int] = Counter()  # by table, as they are in memory
        self._opening: dict[tuple[str, Slice], threading.Lock] = {}
        self._lock = threading.Lock()
        self._renewing = threading.Lock()
        self._again = threading.local()

    @property
    def root(self) -> Path:
        """The folder that everything built and remembered lies in."""
        return self._store.root

    def under(self, scope: Scope) -> list[OpenTable]:
        """The tables that a scope shows, as it shows them; raises what `open_tables` raises, but leaves out a slice without a column."""
        catalog = self.catalog.under(scope)
        wanted = [entry for entry in catalog.tables if (entry.name, entry.part) not in self._open]
        if len(wanted) == len(self.catalog.tables) and all(entry.part == WHOLE for entry in wanted):
            self._open_all(catalog)
        for entry in wanted:
            self._open_one(entry, catalog)
        return [table for entry in catalog.tables for table in self._open.get((entry.name, entry.part), ())]

    def used(self, scope: Scope, use: Callable[[Sequence[OpenTable]], T]) -> T:
        """What comes of using the tables of a scope; where their files turn out to be damaged, they are built anew and used once more."""
        try:
            with self._reading(scope) as tables, damage_told(tables):
                return self._noted(use(tables), tables)
        except DamageError:
            self._renew(tables)
            with self._reading(scope) as tables, damage_told(tables):
                return self._noted(use(tables), tables)

    def _noted(self, came: T, tables: Sequence[OpenTable]) -> T:
        """Counts the tables that a reply was read from."""
        if isinstance(came, Reply):
            versions = {part.result.version for part in came.parts if part.result is not None}
            self.asked.note((table.entry, table.part) for table in tables if table.version in versions)
        return came

    @contextmanager
    def _reading(self, scope: Scope) -> Iterator[list[OpenTable]]:
        """The tables of a scope, which stay open until the end of it even if they are replaced meanwhile."""
        while True:
            tables = self.under(scope)
            with self._lock:
                if all(self._is_open(table) for table in tables):
                    self._readers.update(map(id, tables))
                    break
        try:
            yield tables
        finally:
            with self._lock:
                self._readers.subtract(map(id, [*tables, *self._made()]))
                self._made().clear()
            self._let_go()

    def _is_open(self, table: OpenTable) -> bool:
        """Whether a table is not replaced meanwhile; to be asked with the lock."""
        return any(table is one for one in self._open.get((table.entry, table.part), ()))

    def entries_named(self, table: str) -> set[str]:
        """The catalog's names of the open tables that are called so: one of many sheets has a name of its own."""
        with self._lock:
            return {one.entry for tables in self._open.values() for one in tables if one.name == table}

    def build(self, scopes: Iterable[Scope]) -> None:
        """Opens ahead what these scopes will ask for, and lets go what nobody asks for any more."""
        for scope in scopes:
            self.under(scope)
        self._store.sweep_all(map(source_key, self.catalog.tables), unused_days() * 86_400)

    def open(self, name: str, part: Slice) -> list[OpenTable]:
        """The tables of one source of the catalog, as a slice of it; raises what `open_tables` raises."""
        entry = self._entry(name).sliced(part)
        self._open_one(entry, self.catalog)
        return self._open.get((name, part), [])

    def retype(self, table: OpenTable, types: Mapping[str, ColumnType]) -> OpenTable:
        """The table with other types for some columns, in service from now on for everybody: once for each column.

        Raises PlanError where a type is settled, or does not fit another table of the source that has such a column, and what `open_tables`
        raises; then all stays as it was.
        """
        spot = (table.entry, table.part)
        with self._renewing:
            before = settled(table.source_key, self._store)
            if not types.items() <= before.items():  # else another question has just had the same
                said = {**self._entry(table.entry).options().columns, **before}
                if known := [name for name in types if name in said]:
                    raise PlanError(f'The type of "{printable(known[0])}" is settled.')
                for other in self.open(*spot):
                    there = {column.name: column.type for column in other.facts.columns}
                    check_types(other, {name: kind for name, kind in types.items() if there.get(name, kind) != kind})
                agree(table.source_key, self._store, {**before, **types})
            made = self._named(spot, table.name)
            if not types.items() <= {column.name: column.type for column in made.facts.columns}.items():
                with self._lock:
                    old = self._open.pop(spot)
                try:
                    made = self._named(spot, table.name)
                    there = {column.name: column.type for column in made.facts.columns}
                    if not types.items() <= there.items():  # its source is away or refused: it is asked as it was
                        raise PlanError(f'"{printable(table.name)}" cannot be made again with other types now.')
                except BaseException:
                    agree(table.source_key, self._store, before)
                    with self._lock:
                        self._retired += self._open.get(spot, [])
                        self._open[spot] = old
                    raise
                with self._lock:
                    self._retired += old
            with self._lock:
                self._readers[id(made)] += 1
                self._made().append(made)
            return made

    def _named(self, spot: tuple[str, Slice], name: str) -> OpenTable:
        return next(one for one in self.open(*spot) if one.name == name)

    def _made(self) -> list[OpenTable]:
        """What was made again for the question of this thread, which reads it to its end."""
        found: list[OpenTable] = self._again.__dict__.setdefault("made", [])
        return found

    def is_built(self, name: str, part: Slice) -> bool:
        """Whether a slice is in service, so that opening it reads its source at most."""
        if (held := self._store.current(source_key(self._entry(name).sliced(part)))) is None:
            return False
        held.close()
        return True

    def parts(self, name: str, scopes: Iterable[Scope] = ()) -> list[Slice]:
        """The slices of a table that are to be kept fresh: those that are open, the whole and those that were asked where they are built, and those of some scopes."""
        with self._lock:
            parts = [part for spot, part in self._open if spot == name]
        asked = [WHOLE, *(part for spot, part in self.asked.most() if spot == name)]
        parts += [part for part in asked if part not in parts and self.is_built(name, part)]
        parts += [part for scope in scopes if (part := scope.slice_of(name)) is not None]
        return sorted(dict.fromkeys(parts), key=lambda part: (part != WHOLE, part.model_dump_json()))

    def changed(self) -> list[str]:
        """The tables of which another version may be in service than the one that is open: a look at a file each."""
        with self._lock:
            marks = dict(self._marks)
        return list(dict.fromkeys(name for (name, part), mark in marks.items() if self._mark(name, part) != mark))

    def renew(self, name: str, ready: Callable[[OpenTable], None] = lambda table: None) -> bool:
        """Puts what is in service of a table, all its open slices at once, in the place of what is open; whether any was another version.

        ready: is given each new table before anybody asks it. Who is reading the old ones reads them to the end; then they are let go.
        """
        with self._renewing:
            with self._lock:
                before = {spot: tables for spot, tables in self._open.items() if spot[0] == name}
            found: dict[tuple[str, Slice], list[OpenTable]] = {}
            marks = {spot: self._mark(*spot) for spot in before}
            try:
                for spot, tables in before.items():
                    if tables and self._in_service(spot, tables):
                        continue
                    entry = self._entry(name).sliced(spot[1])
                    found[spot] = self._opened(entry, self.catalog.model_copy(update={"tables": (entry,)}), only_built=True)
                    for table in found[spot]:
                        ready(table)
            except BaseException:
                for table in [table for tables in found.values() for table in tables]:
                    table.close()
                raise
            with self._lock:
                self._marks.update(marks)
                for spot, tables in found.items():
                    if self._open.get(spot) is before[spot]:
                        self._retired += before[spot]
                        self._open[spot] = tables
                    else:  # somebody took it out of service, or closed all
                        self._retired += tables
        self._let_go()
        return bool(found)

    def _in_service(self, spot: tuple[str, Slice], tables: Sequence[OpenTable]) -> bool:
        """Whether the open tables are of the version in service, or of one like it.

        So they are where there is none, as another could only be built; and where that in service is of the same content as another catalog
        describes it: whoever put their own in its place would do so for ever, with the process that has the other.
        """
        held = self._store.current(source_key(self._entry(spot[0]).sliced(spot[1])))
        if held is None:
            return True
        held.close()
        if held.folder == tables[0].held.folder:
            return True
        entry = self._entry(spot[0]).sliced(spot[1])
        ours = held.facts.get("shape") == shape_of(agreed(entry, source_key(entry), self._store), self.embedder)
        return not ours and bool(held.facts.get("content")) and held.facts.get("content") == tables[0].held.facts.get("content")

    def _mark(self, name: str, part: Slice) -> str:
        return self._store.mark(source_key(self._entry(name).sliced(part)))

    def _entry(self, name: str) -> TableEntry:
        return next(entry for entry in self.catalog.tables if entry.name == name)

    def close(self) -> None:
        """Lets all go, whoever reads them."""
        self.asked.save()
        with self._lock:
            self._retired += [table for tables in self._open.values() for table in tables]
            self._open.clear()
            self._readers.clear()
        self._let_go()

    def _let_go(self) -> None:
        """Closes what was replaced and is not read any more."""
        with self._lock:
            gone = [table for table in self._retired if self._readers[id(table)] <= 0]
            self._retired = [table for table in self._retired if table not in gone]
            for table in gone:
                del self._readers[id(table)]
        for table in gone:
            table.close()
        for key in {table.source_key for table in gone}:
            self._store.sweep(key)

    def _open_all(self, catalog: Catalog) -> None:
        """The whole catalog at once, which tells of all that is wrong with it."""
        with self._lock_of(("", WHOLE)):
            if all((entry.name, entry.part) in self._open for entry in catalog.tables):
                return
            marks = {(entry.name, entry.part): self._mark(entry.name, entry.part) for entry in catalog.tables}
            tables = open_tables(catalog, self._store, self._progress, self.embedder, self._only_built, left_out=self._left_out)
            with self._lock:
                self._marks.update(marks)
                for entry in catalog.tables:
                    self._open[entry.name, entry.part] = [table for table in tables if table.entry == entry.name]

    def _open_one(self, entry: TableEntry, catalog: Catalog) -> None:
        spot = (entry.name, entry.part)
        with self._lock_of(spot):
            if spot in self._open:
                return
            mark = self._mark(*spot)
            tables = self._opened(entry, catalog.model_copy(update={"tables": (entry,)}), only_built=self._only_built)
            with self._lock:
                self._open[spot] = tables
                self._marks[spot] = mark

    def _opened(self, entry: TableEntry, alone: Catalog, *, only_built: bool) -> list[OpenTable]:
        """The tables of one source; none where its rules hide every column."""
        try:
            return open_tables(alone, self._store, self._progress, self.embedder, only_built, left_out=self._left_out, part_of_catalog=True)
        except NothingToSeeError:
            log.warning("a slice of a table cannot be made, and is shown to nobody", extra={"table": entry.name})
            return []

    def _renew(self, damaged: Sequence[OpenTable]) -> None:
        """Takes out of service what is damaged, unless somebody did since these were looked at."""
        with self._lock:
            spots = {(table.entry, table.part) for table in damaged}
            if any(table not in self._open.get((table.entry, table.part), ()) for table in damaged):
                return
            drop_damaged(damaged, self._store)
            for spot in spots:
                self._retired += self._open.pop(spot)

    def _lock_of(self, spot: tuple[str, Slice]) -> threading.Lock:
        with self._lock:
            return self._opening.setdefault(spot, threading.Lock())
