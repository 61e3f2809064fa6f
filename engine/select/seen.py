"""What a written query sees: each table under its name, its columns by the source's names, and the items of its list columns.

A name of a source is never part of the SQL that runs: that speaks of rows and items of attached files, and of c0, c1, ... by position.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from engine.build.facts import ColumnFacts
from engine.build.sqlite import stored_columns
from engine.table import OpenTable

ROW_ID = "row_id"


@dataclass(frozen=True, slots=True)
class SeenColumn:
    """A column under the name that a query gives it: stored as `place`, folded as `folded`, shown as in `spelled`; facts is None for row_id."""

    name: str
    place: str
    facts: ColumnFacts | None = None
    folded: str = ""
    spelled: str = ""
    listed: bool = False  # whole cells of lists

    @property
    def textual(self) -> bool:
        """Whether it is compared by its folded text."""
        return bool(self.folded)


@dataclass(frozen=True, slots=True)
class SeenTable:
    """A table, or the items of a list column: `stored` in the file that is attached as `base`."""

    table: OpenTable
    name: str
    base: str
    stored: str
    columns: dict[str, SeenColumn]  # by normal name


class Seen:
    """What one query may name; names are compared without case, in every script, and exactly where two columns differ in nothing else."""

    def __init__(self, tables: Sequence[OpenTable], named: Collection[str], sent: bool = False) -> None:
        """Of the tables, those that stand under one of the names; sent: of their columns, those that may be sent to a model."""
        self._sent = sent
        wanted = {name.lower() for name in named}
        asked = [table for table in tables if not wanted.isdisjoint(_names(table))]
        self._exact: dict[str, str] = {}
        for table in asked:
            taken: dict[str, str] = {}
            for column in self._columns(table):
                normal = column.name.lower()
                while taken.setdefault(normal, column.name) != column.name:
                    normal = self._exact[column.name] = f"{normal}\u200b"
        self.tables: dict[str, SeenTable] = {}
        for number, table in enumerate(asked):
            self.tables.setdefault(self.normal(table.name), self._rows(table, f"d{number}"))
        for number, table in enumerate(asked):
            for column in self._columns(table):
                if column.list_separator is not None:
                    items = _items(table, column, f"d{number}")
                    self.tables.setdefault(self.normal(items.name), items)

    def normal(self, name: str) -> str:
        """The form in which two spellings of a name are the same."""
        return self._exact.get(name, name.lower())

    def _columns(self, table: OpenTable) -> Iterator[ColumnFacts]:
        return (column for column in table.facts.columns if column.sent or not self._sent)

    def _rows(self, table: OpenTable, base: str) -> SeenTable:
        columns = {self.normal(column.name): _cells(column) for column in self._columns(table)}
        columns.setdefault(ROW_ID, SeenColumn(ROW_ID, ROW_ID))
        return SeenTable(table, table.name, base, "rows", columns)


def _names(table: OpenTable) -> Iterator[str]:
    yield table.name.lower()
    yield from (f"{table.name}__{column.name}".lower() for column in table.facts.columns if column.list_separator is not None)


def _cells(column: ColumnFacts) -> SeenColumn:
    place = f"c{column.position}"
    return SeenColumn(
        name=column.name,
        place=place,
        facts=column,
        folded=f"{place}_f" if column.textual else "",
        spelled=f"{place}_s" if column.spelled else "",
        listed=column.list_separator is not None,
    )


def _items(table: OpenTable, column: ColumnFacts, base: str) -> SeenTable:
    cells = {ROW_ID: SeenColumn(ROW_ID, ROW_ID), "item": SeenColumn("item", "item", column, "item_f")}
    return SeenTable(table, f"{table.name}__{column.name}", base, f"items{column.position}", cells)


def stored_places(table: OpenTable) -> dict[str, frozenset[str]]:
    """For each stored table that a query may read, the stored columns that it may read."""
    places = {"rows": frozenset({ROW_ID, *(name for column in table.facts.columns for name in stored_columns(column))})}
    for column in table.facts.columns:
        if column.list_separator is not None:
            places[f"items{column.position}"] = frozenset({ROW_ID, "item", "item_f"})
    return places
