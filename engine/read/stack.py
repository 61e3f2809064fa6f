"""Headers of several rows: which rows belong together, and the names that they make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from engine.read.block import Block
from engine.read.looks import look


def stacked(block: Block, bottom: int) -> tuple[int, ...]:
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


def names_of(block: Block, rows: Sequence[int]) -> tuple[list[str], list[int], list[int]]:
    """A name for each column, each different; and the places of those that had none and of those that were alike."""
    given = _joined(block, list(rows)) if rows else [""] * len(block.columns)
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
