"""What stands below the data: notes, signatures, totals."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.read.block import Block
from engine.read.looks import fits, look
from engine.read.numbers import number_of

_LONGEST = 30
_TOTAL = re.compile(
    r"(?:grand |sub-?|sub |overall |column )?(?:totals?|sum|summe|gesamt(?:summe)?|insgesamt|totaal|totale|totali"
    r"|total général|totales|suma|razem|celkem|summa"
    r"|итого|всего|סה\"כ|סה״כ|סהכ|合计|合計|总计|總計|合計)\s*[:.]?(?: .{0,20})?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Footer:
    """The end of the data, the rows of notes and of totals behind it, and rows that are called totals but are none by their figures."""

    stop: int
    notes: tuple[int, ...] = ()
    totals: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()


def footer_of(block: Block, body: int, given: int | None = None) -> Footer:
    """Where the data of a block that begins at this row ends.

    Notes fill far fewer cells than any row of the data does. A row of totals is left out where its label says so and its figures are the
    sums.
    """
    if given is not None:
        stop = max(body, block.stop - given)
        return Footer(stop, tuple(range(stop, block.stop)))
    stop = _before_notes(block, body)
    notes = tuple(row for row in range(stop, block.stop) if block.filled[row])
    totals: list[int] = []
    kept: list[int] = []
    while stop - 1 > body + 1 and len(totals) < 3 and _called_total(block, stop - 1):
        if not _adds_up(block, body, stop - 1):
            kept.append(stop - 1)
            break
        stop -= 1
        totals.append(stop)
    return Footer(stop, notes, tuple(reversed(totals)), tuple(kept))


def _before_notes(block: Block, body: int) -> int:
    filled, stop = block.filled, block.stop
    if block.typical < 2 or stop - body < 2:
        return stop
    few = max(1, block.typical // 3)
    for gap in block.grid.gaps:
        if max(body, stop - _LONGEST) < gap < stop and all(filled[row] <= few for row in range(gap, stop)) and _stray(block, gap, body):
            stop = gap
            break
    while stop > body + 1 and not filled[stop - 1]:
        stop -= 1
    if block.typical < 3:
        return stop
    start = stop
    while start - 1 > body and stop - start < _LONGEST and 0 < filled[start - 1] <= few:
        start -= 1
    if start == stop or int(filled[body:start].min()) <= max(int(filled[row]) for row in range(start, stop)):
        return stop
    return start if _stray(block, start, body) else stop


def _stray(block: Block, start: int, body: int) -> bool:
    """Whether rows from here on hold texts that no row of the data would: in columns of figures, or a single cell in each row."""
    rows = [row for row in range(start, block.stop) if block.filled[row]]
    contradicts = any(
        (found := look(block.grid.cell(row, column))) and not fits(found, expected)
        for row in rows
        for column, expected in block.looks.items()
    )
    alone = all(block.filled[row] == 1 for row in rows) and (block.typical > 2 or int(block.filled[body:start].min()) > 1)
    return contradicts or alone


def _called_total(block: Block, row: int) -> bool:
    cells = [cell.strip() for cell in block.row(row)]
    words = [cell for cell in cells if look(cell) == "text"]
    return bool(words) and len(words) <= 2 and bool(_TOTAL.fullmatch(words[0])) and any(look(cell) in ("number", "year") for cell in cells)


def _adds_up(block: Block, body: int, row: int) -> bool:
    """Whether the figures of a row are the sums of those above it, in most columns of figures."""
    if row - body > 200_000:
        return False
    right = wrong = 0
    for column in block.looks:
        total = number_of(block.grid.cell(row, column))
        if total is None:
            continue
        codes = block.grid.codes[column][body:row]
        texts = block.grid.texts[column]
        known = {int(code): number.value for code in set(codes.tolist()) if code >= 0 and (number := number_of(texts[int(code)]))}
        above = sum(known.get(int(code), 0) for code in codes)
        if abs(above - total.value) <= max(0.01 * abs(total.value) / 20, 0.51 if isinstance(above, float) else 0):
            right += 1
        else:
            wrong += 1
    return right > 0 and right >= wrong
