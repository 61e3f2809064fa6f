"""Where the header of a table is, how many rows make it, and where the data begins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.read.block import Block
from engine.read.looks import fits, look
from engine.read.stack import stacked

_SEARCHED = 60  # rows in which a header is looked for


@dataclass(frozen=True, slots=True)
class Header:
    """Rows that make the header, from the top (none where there is none), and the first row of the data."""

    rows: tuple[int, ...]
    body: int


def header_of(block: Block, wanted: int | None = None, at_start: bool = False) -> Header:
    """The header of a block.

    A header is the last row above the data that contradicts its columns: text over numbers, a year over quantities. Where all is text it
    is the first row
    that is not a mere title. wanted: how many rows it has, where that is known; at_start: it begins with the block.
    """
    first = block.start if at_start else _first(block)
    if wanted is not None:
        top = first if at_start or wanted == 0 else _top_of(block, first, wanted)
        rows = tuple(range(top, min(top + wanted, block.stop)))
        return Header(rows, top + len(rows))
    bottom = _bottom(block, first)
    if bottom is None:
        return Header((), first)
    bottom = _merged_down(block, bottom)
    rows = stacked(block, bottom)
    return Header(tuple(row for row in rows if block.filled[row]), bottom + 1)


def _top_of(block: Block, first: int, wanted: int) -> int:
    bottom = _bottom(block, first)
    if bottom is None:
        return first
    rows = stacked(block, _merged_down(block, bottom))
    return rows[0] if len(rows) >= wanted else max(block.start, rows[-1] - wanted + 1)


def _first(block: Block) -> int:
    """The first row that fills about as many cells as the rows usually do; what stands before it are titles."""
    if block.typical < 2:
        return block.start
    enough = max(2, (block.typical + 1) // 2)
    last = min(block.stop, block.start + _SEARCHED)
    first = next((row for row in range(block.start, last) if block.filled[row] >= enough), block.start)
    if not block.looks:  # nothing but text: a blank line after narrow rows is what tells titles from the header
        for gap in block.grid.gaps:
            if (
                first < gap <= block.start + 10
                and gap < block.stop - 1
                and all(block.filled[row] < block.typical for row in range(first, gap))
            ):
                first = gap
    return first


def _conflicts(block: Block, row: int) -> tuple[int, int]:
    """How many cells of a row belong to their columns, and how many contradict them."""
    good = bad = 0
    for column, expected in block.looks.items():
        found = look(block.grid.cell(row, column))
        if found:
            good, bad = (good + 1, bad) if fits(found, expected) else (good, bad + 1)
    return good, bad


def _bottom(block: Block, first: int) -> int | None:
    """The header's last row, or None where the data begins at once."""
    if block.stop - first == 1:
        return None if any(look(cell) in ("number", "date") for cell in block.row(first)) else first
    if not block.looks:
        return None if _recurs(block, first) else first
    bottom = first
    for row in range(first, min(first + _SEARCHED, block.stop)):
        good, bad = _conflicts(block, row)
        if row == first:
            if bad or not good:
                continue
            return None
        if good >= bad and good:
            break
        if bad:
            bottom = row
    else:
        return first
    return bottom if bottom == first or not _complete(block, first, bottom) else first


def _complete(block: Block, first: int, bottom: int) -> bool:
    """Whether the first row names every column and the next rows are full rows as well: then these are data with odd values, and no
    header.
    """
    names = [cell.strip() for cell in block.row(first)]
    used = [name for name, column in zip(names, block.columns, strict=True) if column in block.looks or name]
    text_columns = [column for column in block.columns if column not in block.looks]
    if not all(used) or len(set(used)) < len(used) or not text_columns:
        return False
    after = [sum(bool(block.grid.cell(row, column).strip()) for column in text_columns) for row in range(first + 1, bottom + 1)]
    return min(after) >= max(1, 0.7 * len(text_columns))


def _recurs(block: Block, first: int) -> bool:
    """Whether most cells of the first row occur again below it: so do data, and names do not."""
    if block.stop - first < 6:
        return False
    again = known = 0
    whole = np.ones(block.stop - first, dtype=bool)  # rows that repeat all of it: a header on every printed page does so too
    counts = []
    for column in block.columns:
        if block.grid.cell(first, column).strip():
            codes = block.grid.codes[column][first : block.stop]
            whole &= codes == codes[0]
            counts.append(int((codes == codes[0]).sum()))
    for count in counts:
        known += 1
        again += count - int(whole.sum()) > 1
    return known >= 2 and again >= 0.6 * known


def _merged_down(block: Block, bottom: int) -> int:
    """The last row of the cells that are merged downwards from the header."""
    moved = True
    while moved:
        moved = False
        for top, _, end, _ in block.grid.merged:
            if block.start <= top <= bottom < end < block.stop - 1:
                bottom, moved = end, True
    return bottom
