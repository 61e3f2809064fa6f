"""Runs a checked plan on SQLite: every row that matches, with its number in the source."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from typing import Final

from engine.errors import ExecutionError
from engine.sql import compile_plan
from engine.table import OpenTable
from engine.types import ResultColumn, ResultTable, TablePlan, Value
from engine.where import where_of

SECONDS: Final = 20.0
MOST_ROWS: Final = 1_100_000


def execute(plan: TablePlan, table: OpenTable, seconds: float = SECONDS) -> tuple[ResultTable, str]:
    """All rows of the plan, and the SQL; raises ExecutionError where it fails or takes longer."""
    query = compile_plan(plan, table.facts)
    found = run(table, query.sql, query.values, seconds)
    rows = tuple(tuple(_shown(cell, column) for cell, column in zip(row[query.numbered :], query.columns, strict=True)) for row in found)
    result = ResultTable(
        columns=query.columns,
        rows=rows,
        row_ids=tuple(int(row[0] or 0) for row in found) if query.numbered else None,
        total=len(rows),
        version=table.version,
        loaded_at=table.freshness.loaded_at,
    )
    return result, query.sql


def run(table: OpenTable, sql: str, values: Sequence[Value], seconds: float = SECONDS) -> list[tuple[Value, ...]]:
    """The rows of one SELECT within a time limit."""
    base = table.connection()
    deadline = time.monotonic() + seconds
    base.set_progress_handler(lambda: time.monotonic() > deadline, 20_000)
    try:
        return base.execute(sql, tuple(values)).fetchmany(MOST_ROWS)
    except sqlite3.DatabaseError as error:
        if not isinstance(error, sqlite3.OperationalError) and getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_AUTH:
            raise  # damage, mostly
        if "interrupted" in str(error):
            raise ExecutionError(f"The question took longer than {seconds:.0f} seconds; narrow it down.") from error
        raise ExecutionError("The question could not be run on the table.") from error
    finally:
        base.set_progress_handler(None, 0)


def count_rows(plan: TablePlan, table: OpenTable) -> int:
    """How many source rows meet the plan's conditions."""
    where, values = where_of(plan, table.facts)
    return int(run(table, f"SELECT count(*) FROM rows{where}", values)[0][0])  # type: ignore[arg-type]


def _shown(cell: Value, column: ResultColumn) -> Value:
    if isinstance(cell, float) and column.type == "integer" and cell.is_integer():
        return int(cell)
    if column.type == "boolean" and isinstance(cell, int):
        return bool(cell)
    return cell
