"""A slice of a source table: what is hidden is taken out before anything is built of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.build.terms import spelled
from engine.errors import CatalogError, NothingToSeeError
from engine.fold import fold
from engine.read.lists import items
from engine.read.table import SourceColumn, SourceTable
from engine.types import TEXT_TYPES, Slice


def cut(table: SourceTable, part: Slice) -> SourceTable:
    """The table without the hidden columns and rows; its rows keep their numbers.

    Raises CatalogError for a column that it does not have, NothingToSeeError where no column is left.
    """
    columns = {column.name: column for column in table.columns}
    for name in (*part.hidden, *([part.column] if part.column else [])):
        if name not in columns:
            raise CatalogError(f'The rules of the table "{table.name}" name the column "{name}", which its source does not have.')
    if part == Slice():
        return table
    if len(part.hidden) == len(columns):
        raise NothingToSeeError(
            f'The rules hide every column of the table "{table.name}" from somebody who may see it; leave them one, or hide the table itself.'
        )
    stays = _holds(columns[part.column], part.value) if part.column else np.ones(table.rows, dtype=np.bool_)
    return replace(
        table,
        columns=[_taken(column, stays) for column in table.columns if column.name not in part.hidden],
        rows=int(stays.sum()),
        numbers=table.row_numbers[stays],
        lines=table.lines[stays] if len(table.lines) else table.lines,
        doubts=[],  # they tell of cells
        overflow={},
        around={},
    )


def _holds(column: SourceColumn, value: str) -> NDArray[np.bool_]:
    """Which rows hold the value (folded): as the whole cell or, in a column of lists, as one of its items."""

    def is_it(text: str, typed: object) -> bool:
        if typed is None:
            return False
        if column.list_separator is not None:
            return any(fold(item) == value for item in items(text, column.list_separator))
        return fold(text) == value or (column.type not in TEXT_TYPES and fold(spelled(typed)) == value)

    same = np.array([is_it(text, typed) for text, typed in zip(column.texts, column.values, strict=True)] + [False], dtype=np.bool_)
    return np.asarray(same[column.codes])  # code -1 is the last: no cell


def _taken(column: SourceColumn, stays: NDArray[np.bool_]) -> SourceColumn:
    """The column over these rows, with no text that none of them has."""
    codes = column.codes[stays]
    used = np.unique(codes[codes >= 0])
    place = np.full(len(column.texts) + 1, -1, dtype=np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    return replace(
        column,
        texts=[column.texts[code] for code in used],
        values=[column.values[code] for code in used],
        codes=place[codes],
        misfits=frozenset(int(place[code]) for code in column.misfits if place[code] >= 0),
        kind=None,  # its doubts tell of cells
    )
