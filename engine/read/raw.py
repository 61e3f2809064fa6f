"""A table whose header and rows are known and whose types are not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.errors import SourceError
from engine.read.table import Doubt
from engine.types import ColumnType


@dataclass(frozen=True, slots=True)
class RawColumn:
    """One column, dictionary-encoded; declared: the type that a database or a Parquet file states."""

    name: str
    texts: list[str]
    codes: NDArray[np.int32]
    header: tuple[str, ...] = ()
    declared: ColumnType | None = None


@dataclass(frozen=True, slots=True)
class RawTable:
    """Columns of one table; row numbers begin at 0 here, lines at 1."""

    name: str
    columns: list[RawColumn]
    lines: NDArray[np.int32]
    rows: int
    encoding: str = ""
    delimiter: str = ""
    header_rows: int = 1
    doubts: list[Doubt] = field(default_factory=list)
    overflow: dict[int, tuple[str, ...]] = field(default_factory=dict)
    around: dict[int, tuple[str, ...]] = field(default_factory=dict)


def joined(tables: Sequence[RawTable], names: Sequence[str], name: str) -> RawTable:
    """Files with the same columns as one table, in their order; names: how the files are called in messages.

    Raises SourceError naming the first file whose columns differ.
    """
    first = tables[0]
    wanted = [column.name for column in first.columns]
    for table, shown in zip(tables, names, strict=True):
        have = [column.name for column in table.columns]
        if sorted(have) != sorted(wanted):
            missing = [each for each in wanted if each not in have]
            more = [each for each in have if each not in wanted]
            said = [f'has no column "{missing[0]}"'] if missing else []
            said += [f'has a column "{more[0]}" that the others lack'] if more else []
            raise SourceError(f"{shown} {' and '.join(said)}; files read as one table need the same columns as {names[0]}.")
    columns = [_stacked([next(c for c in table.columns if c.name == each) for table in tables]) for each in wanted]
    doubts = [
        Doubt(doubt.code, f"{shown}: {doubt.text}", doubt.lines)
        for table, shown in zip(tables, names, strict=True)
        for doubt in table.doubts
    ]
    overflow: dict[int, tuple[str, ...]] = {}
    start = 0
    for table in tables:
        overflow |= {start + row: cells for row, cells in table.overflow.items()}
        start += table.rows
    lines = np.concatenate([table.lines for table in tables])
    return RawTable(name, columns, lines, start, first.encoding, first.delimiter, first.header_rows, doubts, overflow, first.around)


def _stacked(columns: Sequence[RawColumn]) -> RawColumn:
    known: dict[str, int] = {}
    codes = []
    for column in columns:
        places = np.array([*(known.setdefault(text, len(known)) for text in column.texts), -1], dtype=np.int32)
        codes.append(places[column.codes])
    declared = {column.declared for column in columns}
    return RawColumn(columns[0].name, list(known), np.concatenate(codes), columns[0].header, declared.pop() if len(declared) == 1 else None)
