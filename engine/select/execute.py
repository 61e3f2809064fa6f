"""Runs a checked query on the files of its tables, in a connection of its own behind the second wall."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from typing import Final

from engine.errors import DamageError, ExecutionError
from engine.execute import MOST_ROWS, SECONDS
from engine.fold import fold
from engine.select.check import CheckedSelect
from engine.select.folding import FOLDED
from engine.select.shape import OutputColumn
from engine.select.walls import guard, joins_by_name
from engine.table import DAMAGED, UNUSABLE, OpenTable
from engine.types import ColumnType, ResultColumn, ResultTable, Value

MOST_LETTERS: Final = 200_000_000  # of all cells of a result
MOST_CELLS: Final = 20_000_000
_FAILED: Final = "The query could not be run on the tables."
_STEPS: Final = 20_000  # of SQLite between two looks at the clock
Row = tuple[Value, ...]


def execute_select(checked: CheckedSelect, tables: Sequence[OpenTable], seconds: float = SECONDS) -> tuple[ResultTable, str]:
    """All rows of the query, and its SQL as it was written.

    tables: those that may be seen, the query's among them; the files of no others are opened.
    Raises ExecutionError where it fails, takes longer, or gives more than can be held; its `detail` is what SQLite said.
    """
    if joins_by_name(checked.compiled):
        raise ExecutionError(_FAILED, detail="a join by name")
    attached = {name: table for name, table in checked.tables.items() if any(table is one for one in tables)}
    try:
        with closing(sqlite3.connect(":memory:", uri=True)) as base:
            for name, table in attached.items():
                base.execute(f"ATTACH ? AS {name}", [table.address])
            base.create_function(FOLDED, 1, _folded, deterministic=True)
            guard(base, attached, checked.own)
            deadline = time.monotonic() + seconds
            base.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
            rows, cut = _fetch(base, checked.compiled)
            total = len(rows) if not cut else int(base.execute(f"SELECT count(*) FROM ({checked.compiled})").fetchone()[0])
    except sqlite3.Error as error:
        raise _told(error, seconds) from error
    return _result(checked, rows, cut, total), checked.sql


def _fetch(base: sqlite3.Connection, sql: str) -> tuple[list[Row], bool]:
    """The rows, and whether there are more than are held."""
    rows: list[Row] = []
    letters = cells = 0
    for row in base.execute(sql):
        if len(rows) == MOST_ROWS:
            return rows, True
        cells += len(row)
        letters += sum([len(cell) for cell in row if isinstance(cell, str)])
        if letters > MOST_LETTERS or cells > MOST_CELLS:
            raise ExecutionError("The query gives more than can be shown; narrow it down.")
        rows.append(row)
    return rows, False


def _told(error: sqlite3.Error, seconds: float) -> ExecutionError | DamageError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in UNUSABLE:
        return DamageError(DAMAGED)
    if code == sqlite3.SQLITE_INTERRUPT:
        return ExecutionError(f"The question took longer than {seconds:.0f} seconds; narrow it down.", detail=str(error))
    return ExecutionError(_FAILED, detail=str(error))


def _folded(text: Value) -> Value:
    return fold(text) if isinstance(text, str) else text


def _result(checked: CheckedSelect, rows: list[Row], cut: bool, total: int) -> ResultTable:
    first = int(checked.numbered)
    types = [column.type or _type_of(rows, n + first) for n, column in enumerate(checked.columns)]
    columns = tuple(_column(column, kind) for column, kind in zip(checked.columns, types, strict=True))
    shown = tuple(tuple(_shown(cell, kind) for cell, kind in zip(row[first:], types, strict=True)) for row in rows)
    pinned = list(checked.tables.values())
    return ResultTable(
        columns=columns,
        rows=shown,
        row_ids=tuple(int(row[0] or 0) for row in rows) if first else None,
        total=total,
        cut=cut,
        version=pinned[0].version if len(pinned) == 1 else "",
        loaded_at=min((table.freshness.loaded_at for table in pinned), default=""),
        reads=checked.reads,
    )


def _column(column: OutputColumn, kind: ColumnType) -> ResultColumn:
    return ResultColumn(name=column.name, type=kind, role=column.role)


def _type_of(rows: list[Row], place: int) -> ColumnType:
    """What values tell where the query does not: whole numbers, numbers, or text."""
    found = {type(row[place]) for row in rows} - {type(None)}
    if found and found <= {int, float}:
        return "integer" if found == {int} else "decimal"
    return "text"


def _shown(cell: Value, kind: ColumnType) -> Value:
    if isinstance(cell, float) and kind == "integer" and cell.is_integer():
        return int(cell)
    return bool(cell) if kind == "boolean" and isinstance(cell, int) else cell
