"""A grid to the tables in it: titles, headers, notes, totals, several blocks on one sheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.read.block import Block
from engine.read.blocks import blocks_of
from engine.read.footer import Footer, footer_of
from engine.read.grid import Grid
from engine.read.header import Header, header_of
from engine.read.options import ReadOptions
from engine.read.raw import RawColumn, RawTable
from engine.read.stack import names_of
from engine.read.table import Doubt

_LINES_KEPT = 100


def tables_in(grid: Grid, name: str, options: ReadOptions, *, sheet: bool = False) -> list[RawTable]:
    """Every table of a grid; on a sheet, blocks may stand beside each other as well as below."""
    filled = grid.filled()
    start = min(options.skip_rows or 0, grid.rows)
    tables = []
    for block in blocks_of(grid, start, filled, options, sheet):
        header = header_of(block, options.header_rows, at_start=options.skip_rows is not None)
        footer = footer_of(block, header.body, options.footer_rows)
        tables.append(_table(block, header, footer, name))
    if len(tables) > 1:
        tables = [replace(table, name=name if n == 1 else f"{name} {n}") for n, table in enumerate(tables, 1)]
    if tables and start:
        tables[0].around.update({int(grid.lines[row]): tuple(grid.row(row)) for row in range(start)})
    return tables


def _table(block: Block, header: Header, footer: Footer, name: str) -> RawTable:
    grid, doubts = block.grid, []
    names, unnamed, alike = names_of(block, header.rows)
    keep = np.zeros(grid.rows, dtype=bool)
    keep[header.body : footer.stop] = True
    repeated = _repeated(block, header, footer)
    keep[repeated] = False
    rows = np.flatnonzero(keep)
    columns = [_column(grid, column, title, rows, header) for column, title in zip(block.columns, names, strict=True)]
    overflow = {n: grid.overflow[int(row)] for n, row in enumerate(rows) if int(row) in grid.overflow} if grid.overflow else {}
    overflow, columns = _beyond(overflow, columns, header, len(rows))
    names, columns = _shifted(names, columns, header, len(rows))
    unnamed, alike = [i for i, column in enumerate(columns) if not any(_there(column))], [i for i in alike if i < len(columns)]
    titles = [row for row in range(block.start, header.rows[0] if header.rows else header.body) if block.filled[row]]
    around = {int(grid.lines[row]): tuple(block.row(row)) for row in [*titles, *repeated, *footer.notes, *footer.totals]}

    def doubt(code: str, text: str, found: Sequence[int] = ()) -> None:
        doubts.append(Doubt(code, text, tuple(int(grid.lines[row]) for row in found[:_LINES_KEPT])))

    if titles:
        doubt("preamble", f"{_count(len(titles), 'line')} above the header {_are(len(titles))} left out.", titles)
    if not header.rows:
        doubt("no_header", "No header was found; the columns are called column 1, column 2 and so on.")
    if len(header.rows) > 1:
        doubt("stacked_header", f"The header is made of {len(header.rows)} rows.", header.rows)
    if unnamed and header.rows:
        shown = ", ".join(names[i] for i in unnamed[:5]) + (" ..." if len(unnamed) > 5 else "")
        doubt("unnamed_columns", f"{_count(len(unnamed), 'column')} without a name {_are(len(unnamed))} called {shown}.", header.rows)
    if alike:
        shown = ", ".join(names[i] for i in alike[:5]) + (" ..." if len(alike) > 5 else "")
        doubt(
            "duplicate_columns", f"{_count(len(alike), 'column')} with the name of another {_are(len(alike))} called {shown}.", header.rows
        )
    if footer.notes:
        doubt("footer", f"{_count(len(footer.notes), 'line')} below the data {_are(len(footer.notes))} left out.", footer.notes)
    if footer.totals:
        doubt("totals", f"{_count(len(footer.totals), 'row')} of totals {_are(len(footer.totals))} left out.", footer.totals)
    if footer.kept:
        doubt("totals_kept", "The last row is called a total and is kept as a row, as its figures are not the sums.", footer.kept)
    if repeated:
        doubt(
            "repeated_header",
            f"{_count(len(repeated), 'row')} that only {'repeats' if len(repeated) == 1 else 'repeat'} the header were left out.",
            repeated,
        )
    blank = [int(row) for row in rows[block.filled[rows] == 0]]
    if blank:
        doubt(
            "blank_rows",
            f"{_count(len(blank), 'row')} {'has' if len(blank) == 1 else 'have'} no text in any cell, and count as rows.",
            blank,
        )
    _ragged(doubt, grid, rows, overflow, columns)
    return RawTable(
        name, columns, grid.lines[rows], len(rows), header_rows=len(header.rows), doubts=doubts, overflow=overflow, around=around
    )


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _column(grid: Grid, column: int, name: str, rows: NDArray[np.intp], header: Header) -> RawColumn:
    """A column's part of these rows; texts that occur nowhere in them are dropped, the others keep their order."""
    codes = _filled_down(grid, column, header)[rows]
    texts = grid.texts[column]
    present = np.zeros(len(texts) + 1, dtype=bool)
    present[codes] = True
    present[-1] = False
    places = np.cumsum(present, dtype=np.int32) - 1
    places[-1] = -1
    kept = texts if present[:-1].all() else [texts[i] for i in np.flatnonzero(present)]
    above = tuple(texts[code] for row in header.rows if (code := grid.codes[column][row]) >= 0)
    return RawColumn(name, kept, places[codes], above)


def _filled_down(grid: Grid, column: int, header: Header) -> NDArray[np.int32]:
    """A column's codes, where a cell that is merged over several rows of data stands in each."""
    codes = grid.codes[column]
    for top, left, bottom, _ in grid.merged:
        if left == column and top >= header.body and bottom > top:
            codes = codes.copy() if codes is grid.codes[column] else codes
            codes[top + 1 : bottom + 1] = codes[top]
    return codes


def _repeated(block: Block, header: Header, footer: Footer) -> list[int]:
    """Rows of the data that repeat the header cell by cell, as printed pages do."""
    if len(block.columns) < 2 or not header.rows:
        return []
    bottom = header.rows[-1]
    same = np.ones(footer.stop - header.body, dtype=bool)
    for column in block.columns:
        codes = block.grid.codes[column]
        same &= codes[header.body : footer.stop] == codes[bottom]
        if not same.any():
            return []
    return [int(row) + header.body for row in np.flatnonzero(same)] if block.filled[bottom] > 1 else []


def _beyond(
    overflow: dict[int, tuple[str, ...]], columns: list[RawColumn], header: Header, rows: int
) -> tuple[dict[int, tuple[str, ...]], list[RawColumn]]:
    """Columns at the end that the header does not know and that few rows reach are no columns: their cells are kept as overflow."""
    known = next((i + 1 for i in range(len(columns) - 1, -1, -1) if not header.rows or any(_there(columns[i]))), len(columns))
    extra = columns[known:]
    if not extra:
        return overflow, columns
    if not any(column.declared or any(text.strip() for text in column.texts) for column in extra) and _unheard(extra, header):
        return overflow, columns[:known]  # a delimiter at the end of each row
    reached = np.zeros(rows, dtype=bool)
    for column in extra:
        reached |= column.codes >= 0
    if 2 * int(reached.sum()) >= rows and (rows > 2 or reached.all()):
        return overflow, columns
    for row in np.flatnonzero(reached):
        cells = [column.texts[column.codes[row]] if column.codes[row] >= 0 else "" for column in extra]
        overflow[int(row)] = (*cells, *overflow.get(int(row), ()))
    return overflow, columns[:known]


def _shifted(names: list[str], columns: list[RawColumn], header: Header, rows: int) -> tuple[list[str], list[RawColumn]]:
    """Row names that stand before the columns without a name of their own, as statistics programs write them: each name is that of the
    next column.
    """
    named = columns[:-1]
    if len(header.rows) != 1 or rows < 2 or len(columns) < 3 or not all(any(_there(column)) for column in named) or columns[-1].header:
        return names, columns
    last, first = columns[-1], columns[0]
    if (last.codes < 0).any() or not all(text.strip() for text in last.texts) or len(first.texts) < rows:
        return names, columns
    shifted = ["column 1", *names[: len(columns) - 1]]
    above = [(), *(column.header for column in named)]
    return shifted, [replace(c, name=name, header=cells) for c, name, cells in zip(columns, shifted, above, strict=True)]


def _unheard(columns: list[RawColumn], header: Header) -> bool:
    """Whether the header has no cell for these columns, not even an empty one."""
    return bool(header.rows) and all(column.header == () for column in columns)


def _there(column: RawColumn) -> list[bool]:
    return [bool(cell.strip()) for cell in column.header]


def _ragged(doubt: object, grid: Grid, rows: NDArray[np.intp], overflow: dict[int, tuple[str, ...]], columns: list[RawColumn]) -> None:
    assert callable(doubt)
    long = [int(rows[n]) for n, cells in overflow.items() if any(cell.strip() for cell in cells)]
    if long:
        doubt("long_rows", f"{_count(len(long), 'row')} {'has' if len(long) == 1 else 'have'} more cells than the header has names.", long)
    last = columns[-1].codes if columns else np.zeros(0)
    short = [int(rows[n]) for n in np.flatnonzero(last < 0)]
    if short and len(columns) > 1:
        doubt(
            "short_rows", f"{_count(len(short), 'row')} {'has' if len(short) == 1 else 'have'} fewer cells than there are columns.", short
        )
