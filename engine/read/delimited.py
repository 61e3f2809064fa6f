"""CSV and its kin: a text file to a grid."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from engine.errors import SourceError
from engine.read.decode import Encoding
from engine.read.dialect import Dialect, dialect_of
from engine.read.grid import Gatherer, Grid
from engine.read.options import ReadOptions

csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # a cell may hold a whole letter
_SAMPLE_LINES = 1000
_SAMPLE_SIZE = 200_000
_END = "\x00\x1a\x00"


@dataclass(frozen=True, slots=True)
class Delimited:
    """A grid with the dialect that it was read in; unquoted: the line of a quote that nothing closes, for which all quotes are read as
    text.
    """

    grid: Grid
    dialect: Dialect
    unquoted: int = 0


class _Lines:
    """The lines of a file, counted as they are taken; after the last one a mark, to see whether a quote swallows it."""

    def __init__(self, lines: Iterator[str], skip: int) -> None:
        self._lines = lines
        self._ended = False
        self.taken = sum(1 for _ in islice(lines, skip))
        self.record: list[str] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines, None)
        if line is not None:
            self.taken += 1
            self.record.append(line)
            return line
        if self._ended:
            raise StopIteration
        self._ended = True
        return _END


def read_delimited(path: Path, shown: str, encoding: Encoding, options: ReadOptions) -> Delimited:
    """The cells of a text file; every line end is known (CR, LF, CRLF), inside quotes it belongs to the cell.

    Raises SourceError with the line of a quote that nothing closes.
    """
    dialect = dialect_of(_sample(path, encoding), options)
    try:
        grid, unclosed = _grid(path, encoding, dialect)
    except csv.Error:
        raise SourceError(f"{shown} cannot be divided into cells; say its delimiter and quote in the catalog.") from None
    if unclosed:
        plain = replace(dialect, quote="")
        again, _ = _grid(path, encoding, plain)
        if options.quote is not None or not _even(again):
            raise SourceError(f"{shown}, line {unclosed}: a quotation mark opens a cell here and nothing closes it.")
        return Delimited(again, plain, unclosed)
    return Delimited(grid, dialect)


def _sample(path: Path, encoding: Encoding) -> list[str]:
    lines: list[str] = []
    size = 0
    with path.open(encoding=encoding.name, errors=encoding.errors, newline="") as file:
        for line in islice(file, _SAMPLE_LINES):
            lines.append(line)
            size += len(line)
            if size > _SAMPLE_SIZE:
                break
    return lines


def _grid(path: Path, encoding: Encoding, dialect: Dialect) -> tuple[Grid, int]:
    """The grid, and the line of the record in which a quote stays open (0 where none does)."""
    gatherer = Gatherer()
    with path.open(encoding=encoding.name, errors=encoding.errors, newline="") as file:
        lines = _Lines(file, dialect.skip_lines)
        line = lines.taken + 1
        for row in dialect.rows(lines):
            if row and row[-1].endswith(_END):
                return gatherer.grid(), 0 if row == [_END] else line
            if len(lines.record) > 1 and not dialect.closes(lines.record):
                return gatherer.grid(), line
            lines.record.clear()
            gatherer.add(row, line)
            line = lines.taken + 1
    return gatherer.grid(), 0


def _even(grid: Grid) -> bool:
    """Whether nearly all rows have the same width, of two cells at least."""
    if grid.overflow or grid.width < 2:
        return False
    short = Counter(sum(int(codes[row]) >= 0 for codes in grid.codes) for row in range(min(grid.rows, 2000)))
    return short[grid.width] >= 0.95 * sum(short.values())
