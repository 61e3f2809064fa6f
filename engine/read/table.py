"""What reading gives: a source table column by column, each distinct text once, nothing of the original lost."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.read.kind import Kind
from engine.types import ColumnType, Value


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something about the reading that its owner should know, with the lines of the source that it concerns (the first line is 1)."""

    code: str
    text: str
    lines: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """One column, dictionary-encoded.

    texts: each distinct cell text, exactly as it stands in the source.
    values: for each of texts its typed value; None where the text says "no value" or does not fit the type.
            integer -> int, decimal, money, percent -> float ("56.25%" -> 56.25), boolean -> bool,
            date "2026-09-01", datetime "2026-09-01T08:00:00", time "08:00:00" -> str, text and code -> the text
            with surrounding blanks off.
    codes: for each row an index into texts, -1 where the row has no such cell. Shape (rows,), int32.
    list_separator: what divides the items of a cell ("; "), None where cells are no lists; values stay whole texts then.
    misfits: indexes into texts of those that do not fit the type and are no spelling of "no value".
    header: the cells that the name was made from, from the top, as they stand in the source.
    given: the type that the catalog or the source says. kind: what its texts alone made of it, None where other columns had a part in it.
    """

    name: str
    type: ColumnType
    texts: list[str]
    values: list[Value]
    codes: NDArray[np.int32]
    list_separator: str | None = None
    misfits: frozenset[int] = frozenset()
    header: tuple[str, ...] = ()
    given: ColumnType | None = None
    kind: Kind | None = None


@dataclass(frozen=True, slots=True)
class SourceTable:
    """One table of a source, as it was read.

    name: from the file, the sheet or the database table; unique within one source.
    header_rows: how many rows make the header.
    encoding: of a text; xlsx, xls or ods of a spreadsheet; empty where there is none, as delimiter is.
    changed_at: when the source says that it last changed (ISO 8601, UTC), empty where it does not.
    fingerprint: of the content and of how it is read: the same content read in the same way has the same.
    lines: for each row the line (or sheet row) where it begins; the first is 1. Empty where a source has none.
    overflow: by row number (the first is 1) the cells that stand beyond the last column.
    around: by line the cells of what is no part of the table: titles above, notes, totals below, repeated headers.
    numbers: for each row its number in the source; empty where the rows are all that the source has.
    """

    name: str
    columns: list[SourceColumn]
    rows: int
    source: str
    encoding: str = ""
    delimiter: str = ""
    header_rows: int = 1
    changed_at: str = ""
    fingerprint: str = ""
    doubts: list[Doubt] = field(default_factory=list)
    lines: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    overflow: dict[int, tuple[str, ...]] = field(default_factory=dict)
    around: dict[int, tuple[str, ...]] = field(default_factory=dict)
    numbers: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))

    @property
    def row_numbers(self) -> NDArray[np.int32]:
        """For each row its number in the source; 1 is the first."""
        return self.numbers if len(self.numbers) else np.arange(1, self.rows + 1, dtype=np.int32)
