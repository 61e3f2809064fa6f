"""What was read, for a program: the report of `almanac check`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.read.table import SourceColumn, SourceTable


def report_json(tables: Sequence[SourceTable]) -> dict[str, Any]:
    """The stable form: {"tables": [{name, rows, encoding, delimiter, header_rows, columns, warnings}]}."""
    return {"tables": [_table_json(table) for table in tables]}


def _table_json(table: SourceTable) -> dict[str, Any]:
    return {
        "name": table.name,
        "rows": table.rows,
        "encoding": table.encoding,
        "delimiter": table.delimiter or None,
        "header_rows": table.header_rows,
        "columns": [_column_json(column) for column in table.columns],
        "warnings": [{"code": doubt.code, "text": doubt.text, "lines": list(doubt.lines)} for doubt in table.doubts],
    }


def _column_json(column: SourceColumn) -> dict[str, Any]:
    return {
        "name": column.name,
        "type": column.type,
        "list_separator": column.list_separator,
        "empty": empty(column),
        "distinct": distinct(column),
    }


def empty(column: SourceColumn) -> int:
    """How many rows have no such cell, or one that says "no value"."""
    without = [i for i, value in enumerate(column.values) if value is None and i not in column.misfits]
    return int(np.isin(column.codes, [-1, *without]).sum())


def distinct(column: SourceColumn) -> int:
    """How many different values the column has, texts that do not fit its type included."""
    return len({value for value in column.values if value is not None}) + len(column.misfits)
