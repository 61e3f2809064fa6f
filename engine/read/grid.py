"""Cells as they stand in a source, before anything is known of headers: column by column, each distinct text once."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

Cell = str | None
_HEAD = 2048
_WIDEST = 50_000


class _Known(dict[Cell, int]):
    """Numbers each new text; a cell that is not there is -1."""

    def __missing__(self, text: Cell) -> int:
        number = self[text] = len(self) - 1
        return number


@dataclass(frozen=True, slots=True)
class Grid:
    """texts[c][codes[c][r]] is the cell of row r and column c, a code of -1 is no cell.

    Blank lines are left out, and so are rows of empty cells at the beginning and at the end; between others these are rows.
    lines: the line (or sheet row) of each row, the first is 1. gaps: rows with text before which blank ones stand. overflow: cells beyond
    the last column.
    merged: ranges of cells that are one, as (first row, first column, last row, last column), in rows of this grid.
    """

    texts: list[list[str]]
    codes: list[NDArray[np.int32]]
    lines: NDArray[np.int32]
    gaps: list[int] = field(default_factory=list)
    overflow: dict[int, tuple[str, ...]] = field(default_factory=dict)
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """How many rows hold some text."""
        return len(self.lines)

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.texts)

    def cell(self, row: int, column: int) -> str:
        """The text of a cell; empty where there is none."""
        code = self.codes[column][row]
        return self.texts[column][code] if code >= 0 else ""

    def row(self, row: int) -> list[str]:
        """The texts of a row, without its overflow."""
        return [texts[codes[row]] if codes[row] >= 0 else "" for texts, codes in zip(self.texts, self.codes, strict=True)]

    def filled(self) -> NDArray[np.int32]:
        """How many cells of each row hold more than blanks. Shape (rows,)."""
        count = np.zeros(self.rows, dtype=np.int32)
        for texts, codes in zip(self.texts, self.codes, strict=True):
            count += np.array([*(bool(text) and not text.isspace() for text in texts), False], dtype=bool)[codes]
        return count


class Gatherer:
    """Takes rows as they come and gives a grid; no row is held longer than its chunk."""

    def __init__(self) -> None:
        self._known: list[_Known] = []
        self._codes: list[array[int]] = []
        self._lines: array[int] = array("i")
        self._gaps: list[int] = []
        self._overflow: dict[int, tuple[str, ...]] = {}
        self._chunk: list[Sequence[Cell]] = []
        self._blank = False
        self._waiting: array[int] = array("i")

    def add(self, row: Sequence[Cell], line: int) -> None:
        """One row; a row of empty cells counts only where one with text comes before and after, a line without cells never."""
        if not any(row) or ((not row[0] or row[0].isspace()) and not any(cell and not cell.isspace() for cell in row)):
            self._blank = True
            if len(row) > 1 and self._lines:
                self._waiting.append(line)
            return
        if self._blank:
            self._blank = False
            waiting, self._waiting = self._waiting, array("i")
            for each in waiting:
                self.take((), each)
            if self._lines:
                self._gaps.append(len(self._lines))
        self.take(row, line)

    def take(self, row: Sequence[Cell], line: int) -> None:
        """One row as it is, empty or not."""
        self._lines.append(line)
        self._chunk.append(row)
        if len(self._chunk) == _HEAD:
            self._flush()

    def extend(self, rows: Iterable[tuple[Sequence[Cell], int]]) -> None:
        """Rows with their lines."""
        for row, line in rows:
            self.add(row, line)

    def _flush(self) -> None:
        chunk, self._chunk = self._chunk, []
        if not chunk:
            return
        start = len(self._lines) - len(chunk)
        widest = max(map(len, chunk))
        if not self._known:
            self._widen(min(widest, _WIDEST), start)
        width = len(self._known)
        if widest > width:
            for i, row in enumerate(chunk):
                if len(row) > width:
                    self._overflow[start + i] = tuple(cell or "" for cell in row[width:])
                    chunk[i] = row[:width]
            if len(self._overflow) * 2 > len(self._lines):  # the first rows were the narrow ones
                self._take_in(max(map(len, self._overflow.values())))
        for codes, known, column in zip(self._codes, self._known, _columns(chunk, width), strict=False):
            codes.extend(map(known.__getitem__, column))
        for codes in self._codes:
            codes.extend([-1] * (len(self._lines) - len(codes)))
        if len(self._known) > width:
            self._settle()

    def _widen(self, columns: int, rows: int) -> None:
        for _ in range(columns):
            self._known.append(_Known({None: -1}))
            self._codes.append(array("i", [-1]) * rows)

    def _take_in(self, more: int) -> None:
        self._widen(min(more, _WIDEST - len(self._known)), 0)

    def _settle(self) -> None:
        """Moves the overflow into the columns that were made for it."""
        first = next(i for i, known in enumerate(self._known) if len(known) == 1 and not any(code >= 0 for code in self._codes[i]))
        for row, cells in self._overflow.items():
            for i, cell in enumerate(cells[: len(self._known) - first]):
                self._codes[first + i][row] = self._known[first + i][cell]
        kept = len(self._known) - first
        self._overflow = {row: cells[kept:] for row, cells in self._overflow.items() if len(cells) > kept}

    def grid(self) -> Grid:
        """What was gathered; the gatherer is spent."""
        self._flush()
        texts: list[list[str]] = []
        for known in self._known:
            del known[None]
            texts.append(list(known))  # type: ignore[arg-type]  # None was the only key that is no text
            known.clear()
        codes = [np.frombuffer(each, dtype=np.int32) if len(each) else np.zeros(0, dtype=np.int32) for each in self._codes]
        return Grid(texts, codes, np.array(self._lines, dtype=np.int32), self._gaps, self._overflow)


def _columns(chunk: list[Sequence[Cell]], width: int) -> Iterator[tuple[Cell, ...]]:
    if all(len(row) == width for row in chunk):
        return zip(*chunk, strict=True)
    return zip_longest(*chunk, fillvalue=None)


def gathered(rows: Iterable[tuple[Sequence[Cell], int]]) -> Grid:
    """The grid of these rows."""
    gatherer = Gatherer()
    gatherer.extend(rows)
    return gatherer.grid()
