"""Several tables on one sheet: below each other, divided by blank rows and with headers of their own, or side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.read.block import Block, block_of
from engine.read.grid import Grid
from engine.read.looks import Look, fits, look
from engine.read.options import ReadOptions

_MANY = 200  # blank lines: beyond, they divide paragraphs of one table


def blocks_of(grid: Grid, start: int, filled: NDArray[np.int32], options: ReadOptions, sheet: bool) -> list[Block]:
    """The rectangles that hold one table each, from the top and from the left."""
    every = range(grid.width)
    said = options.header_rows is not None or options.skip_rows is not None or options.footer_rows is not None
    if said or grid.rows - start < 3:
        return [block_of(grid, start, grid.rows, every, filled)] if grid.rows > start else []
    found: list[Block] = []
    at = start
    for cut in [*_cuts(grid, start, filled), grid.rows]:
        found += _beside(grid, at, cut, filled) if sheet else [block_of(grid, at, cut, every, filled)]
        at = cut
    return found


def _cuts(grid: Grid, start: int, filled: NDArray[np.int32]) -> list[int]:
    """Rows at which another table begins: after a blank line, perhaps a title, then a header unlike the rows before and over rows unlike
    itself.
    """
    gaps = [gap for gap in grid.gaps if gap > start + 1]
    if not gaps or len(gaps) > _MANY:
        return []
    cuts: list[int] = []
    at = start
    for n, gap in enumerate(gaps):
        after = gaps[n + 1] if n + 1 < len(gaps) else grid.rows
        header = gap + 1 if filled[gap] == 1 and after - gap > 2 else gap
        if after == header and n + 2 < len(gaps):
            after = gaps[n + 2]
        if after - header >= 2 and filled[header] >= 2 and _begins(grid, at, gap, header, after, filled):
            cuts.append(gap)
            at = gap
    return cuts


def _begins(grid: Grid, at: int, gap: int, header: int, after: int, filled: NDArray[np.int32]) -> bool:
    names = [look(grid.cell(header, column)) for column in range(grid.width)]
    if any(name in ("number", "date", "boolean") for name in names):
        return False
    body = block_of(grid, header, after, range(grid.width), filled)
    if sum(1 for column in body.looks if names[column] in ("text", "year")) == 0:
        return False
    before = block_of(grid, at, gap, range(grid.width), filled)
    if not any(_enough(grid, column, at + 1, gap, expected) for column, expected in before.looks.items()):
        return False  # what stands before is no table: words and values about the one that comes
    contradicts = any(names[column] and not fits(names[column], expected) for column, expected in before.looks.items())
    return contradicts or set(body.looks).isdisjoint(before.looks)


def _enough(grid: Grid, column: int, start: int, stop: int, expected: Look) -> bool:
    found = (look(grid.cell(row, column)) for row in range(start, stop))
    return sum(1 for each in found if each and fits(each, expected)) >= 2


def _beside(grid: Grid, start: int, stop: int, filled: NDArray[np.int32]) -> list[Block]:
    """Parts divided by columns without any text, where each has two columns or more and they differ in length or repeat names."""
    used = [bool(_texts_in(grid, column, start, stop)) for column in range(grid.width)]
    parts: list[list[int]] = [[]]
    for column, full in enumerate(used):
        if full:
            parts[-1].append(column)
        elif parts[-1]:
            parts.append([])
    parts = [part for part in parts if part]
    if len(parts) < 2 or any(len(part) < 2 for part in parts) or not _apart(grid, start, stop, parts):
        return [block_of(grid, start, stop, range(grid.width), filled)]
    return [_part(grid, start, stop, part) for part in parts]


def _texts_in(grid: Grid, column: int, start: int, stop: int) -> int:
    full = np.array([*(bool(text.strip()) for text in grid.texts[column]), False], dtype=bool)
    return int(full[grid.codes[column][start:stop]].sum())


def _apart(grid: Grid, start: int, stop: int, parts: Sequence[Sequence[int]]) -> bool:
    lengths = {max(_texts_in(grid, column, start, stop) for column in part) for part in parts}
    rows = range(start, min(stop, start + 5))
    heads = [{cell for column in part for row in rows if look(cell := grid.cell(row, column)) == "text"} for part in parts]
    return len(lengths) > 1 or bool(heads[0] & heads[1])


def _part(grid: Grid, start: int, stop: int, columns: Sequence[int]) -> Block:
    count = np.zeros(grid.rows, dtype=np.int32)
    for column in columns:
        full = np.array([*(bool(text.strip()) for text in grid.texts[column]), False], dtype=bool)
        count += full[grid.codes[column]]
    rows = [row for row in range(start, stop) if count[row]]
    return block_of(grid, rows[0], rows[-1] + 1, columns, count)
