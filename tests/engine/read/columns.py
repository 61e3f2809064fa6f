"""Small tables for the tests: written as CSV, read for real."""

from __future__ import annotations

import csv
from pathlib import Path

from engine.read import ReadOptions, read
from engine.read.table import SourceColumn, SourceTable


def table_of(folder: Path, rows: list[list[str]], options: ReadOptions = ReadOptions()) -> SourceTable:
    """The table that reading makes of these rows."""
    with (folder / "t.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return read("t.csv", options, base=folder)[0]


def column_of(folder: Path, cells: list[str], name: str = "value", options: ReadOptions = ReadOptions()) -> SourceColumn:
    """A column of these cells, beside one that names the rows."""
    rows = [["row", name], *([f"row {n}", cell] for n, cell in enumerate(cells))]
    return table_of(folder, rows, options).columns[1]


def cells_of(table: SourceTable) -> list[list[str]]:
    """The texts of a table, row by row."""
    return [[c.texts[c.codes[row]] if c.codes[row] >= 0 else "" for c in table.columns] for row in range(table.rows)]


def values_of(column: SourceColumn) -> list[object]:
    """The values of a column, row by row."""
    return [column.values[code] if code >= 0 else None for code in column.codes]
