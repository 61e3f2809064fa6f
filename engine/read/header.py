"""Where the header of a table is, how many rows make it, and the names that it gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.read.grid import Grid
from engine.read.looks import Look, column_look, fits, look

_SEARCHED = 60  # rows in which a header is looked for
_SAMPLE = 80


@dataclass(frozen=True, slots=True)
class Block:
    """A rectangle of a grid: rows [start, stop) and these columns, with the rows' filled cells and what the columns look like."""

    grid: Grid
    start: int
    stop: int
    columns: tuple[int, ...]
    filled: NDArray[np.int32]
    looks: Mapping[int, Look]
    typical: int

    def row(self, row: int) -> list[str]:
        """The cells of a row in these columns."""
        return [self.grid.cell(row, column) for column in self.columns]


def block_of(grid: Grid, start: int, stop: int, columns: Sequence[int], filled: NDArray[np.int32]) -> Block:
    """A rectangle with what its columns mostly look like (those that look like text are left out) and how many cells a row mostly fills."""
    rows = list(range(start + 1, stop)) if stop - start <= _SAMPLE else [int(r) for r in np.linspace(start + 1, stop - 1, _SAMPLE)]
    looks = {column: found for column in columns if (found := column_look(grid, column, rows))}
    counts = sorted(int(filled[row]) for row in range(start, stop)) if stop - start <= _SAMPLE else sorted(int(filled[row]) for row in rows)
    counts = [count for count in counts if count] or [0]
    return Block(grid, start, stop, tuple(columns), filled, looks, counts[len(counts) // 2])


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
    rows = _stack(block, bottom)
    return Header(tuple(row for row in rows if block.filled[row]), bottom + 1)


def _top_of(block: Block, first: int, wanted: int) -> int:
    bottom = _bottom(block, first)
    if bottom is None:
        return first
    rows = _stack(block, _merged_down(block, bottom))
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


def _stack(block: Block, bottom: int) -> tuple[int, ...]:
    """The rows of the header: its bottom, and those above that name what it leaves unnamed or alike, or group its columns."""
    used = [i for i, column in enumerate(block.columns) if column in block.looks or _has_text(block, column, bottom)]
    top = bottom
    while top > block.start:
        above = top - 1
        merged = any(first <= above < last and last <= bottom for first, _, last, _ in block.grid.merged)
        if not merged:
            cells = block.row(above)
            filled = [i for i in used if cells[i].strip()]
            if top in block.grid.gaps or any(look(cells[i]) in ("number", "date", "boolean") for i in filled):
                break
            if not _completes(block, above, top, bottom, used, filled) and not _groups(block, above, top, used):
                break
        top = above
    return tuple(range(top, bottom + 1))


def _has_text(block: Block, column: int, bottom: int) -> bool:
    last = min(block.stop, bottom + 40)
    return any(block.grid.cell(row, column).strip() for row in range(bottom, last))


def _completes(block: Block, above: int, top: int, bottom: int, used: list[int], filled: list[int]) -> bool:
    names = _joined(block, range(top, bottom + 1))
    missing = [i for i in used if not names[i]]
    if len(filled) >= 2 and any(i in missing for i in filled):
        return True
    doubled = Counter(names[i] for i in used if names[i])
    if not any(count > 1 for count in doubled.values()) or not filled or filled == [0]:
        return False
    more = _joined(block, range(above, bottom + 1))
    return len({more[i] for i in used}) > len({names[i] for i in used})


def _groups(block: Block, above: int, top: int, used: list[int]) -> bool:
    """Whether a row holds headings over several columns each, and no row above it divides these further."""
    starts = _starts(block, above, used)
    if len(starts) < 2 or len({block.row(above)[i].strip() for i in starts}) < 2:
        return False
    ends = [*starts[1:], used[-1] + 1]
    spans = [sum(start <= i < end for i in used) for start, end in zip(starts, ends, strict=True)]
    if max(spans) < 2 or 2 * sum(span == 1 for span in spans) > len(spans):
        return False
    if starts[0] == used[0] and spans[0] == 1 and block.row(top)[used[0]].strip():
        return False  # a heading stands over several columns; a word over the first one alone is the beginning of a remark
    if above > block.start and above not in block.grid.gaps:
        higher = _starts(block, above - 1, used)
        if len(higher) > 1 and not set(higher) <= set(starts):
            return False
    return True


def _starts(block: Block, row: int, used: list[int]) -> list[int]:
    cells = block.row(row)
    return [i for i in used if cells[i].strip() and (i == 0 or cells[i] != cells[i - 1])]


def _joined(block: Block, rows: Sequence[int]) -> list[str]:
    """For each column its names in these rows, from the top, as one."""
    levels: list[list[str]] = []
    for row in rows:
        cells = [" ".join(cell.split()) for cell in block.row(row)]
        levels.append(_spread(block, row, cells, row == rows[-1], rows))
    names = []
    for parts in zip(*levels, strict=True):
        kept: list[str] = []
        for part in parts:
            if part and (not kept or kept[-1] != part):
                kept.append(part)
        names.append(" ".join(kept))
    return names


def _spread(block: Block, row: int, cells: list[str], last: bool, rows: Sequence[int]) -> list[str]:
    """A heading over several columns holds for each: as merged cells say, else up to the next heading where a lower row has a name."""
    place = {column: i for i, column in enumerate(block.columns)}
    spread = list(cells)
    for top, left, bottom, right in block.grid.merged:
        if top <= row <= bottom and top in rows:
            text = " ".join(block.grid.cell(top, left).split())
            for column in range(left, right + 1):
                if column in place:
                    spread[place[column]] = text
    if last or block.grid.merged:
        return spread
    below = [any(block.grid.cell(r, column).strip() for r in rows if r > row) for column in block.columns]
    current = ""
    for i, cell in enumerate(cells):
        current = cell or current
        if not cell and below[i]:
            spread[i] = current
        elif not cell:
            current = ""
    return spread


def names_of(block: Block, header: Header) -> tuple[list[str], list[int], list[int]]:
    """A name for each column, each different; and the places of those that had none and of those that were alike."""
    given = _joined(block, list(header.rows)) if header.rows else [""] * len(block.columns)
    names: list[str] = []
    taken = set(given)
    unnamed, alike = [], []
    known: set[str] = set()
    for i, name in enumerate(given):
        base = name or f"column {i + 1}"
        if not name:
            unnamed.append(i)
        elif name in known:
            alike.append(i)
        unique, n = base, 2
        while unique in known or (unique != name and unique in taken):
            unique, n = f"{base} ({n})", n + 1
        known.add(unique)
        names.append(unique)
    return names, unnamed, alike
