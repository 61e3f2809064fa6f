"""A representative sample of a table's rows."""

from __future__ import annotations

import random
from collections import Counter

from engine.fold import fold
from engine.read.table import SourceColumn, SourceTable


def representative(table: SourceTable, size: int = 20, seed: int = 0) -> list[int]:
    """Numbers of `size` rows (1 is the first, in ascending order), chosen for variety; all rows where there are no more.

    Random rows are taken to begin with, and one is swapped for another at random, rows/10 times; a swap stays when the number of distinct
    folded values,
    summed over columns, does not fall. Counts are kept as swaps are made, and only texts that are met are folded.
    """
    if table.rows <= size:
        return list(range(1, table.rows + 1))
    dice = random.Random(seed)
    chosen = dice.sample(range(table.rows), size)
    variety = _Variety(table)
    inside = set(chosen)
    for row in chosen:
        variety.add(row)
    for _ in range(max(table.rows // 10, size)):
        comes, place = dice.randrange(table.rows), dice.randrange(size)
        if comes in inside:
            continue
        goes = chosen[place]
        if variety.swapped(goes, comes):
            inside.remove(goes)
            inside.add(comes)
            chosen[place] = comes
    return sorted(row + 1 for row in chosen)


class _Variety:
    """How often each folded value stands in the sample, column by column."""

    def __init__(self, table: SourceTable) -> None:
        self._columns = [_Folded(column) for column in table.columns]
        self._counts: list[Counter[str]] = [Counter() for _ in table.columns]

    def add(self, row: int) -> None:
        """Puts a row into the sample."""
        for column, counts in zip(self._columns, self._counts, strict=True):
            counts[column.at(row)] += 1

    def swapped(self, goes: int, comes: int) -> bool:
        """Swaps one row for another if that loses no variety; whether it did."""
        change = 0
        pairs = []
        for column, counts in zip(self._columns, self._counts, strict=True):
            old, new = column.at(goes), column.at(comes)
            pairs.append((old, new))
            if old != new:
                change += (counts[new] == 0) - (counts[old] == 1)
        if change < 0:
            return False
        for counts, (old, new) in zip(self._counts, pairs, strict=True):
            counts[old] -= 1
            counts[new] += 1
        return True


class _Folded:
    """A column's texts, each folded when it is first met; no cell and no value are one class."""

    def __init__(self, column: SourceColumn) -> None:
        self._column = column
        self._codes = column.codes.tolist() if len(column.codes) < 100_000 else column.codes
        self._known: dict[int, str] = {-1: ""}

    def at(self, row: int) -> str:
        """The folded value of a row."""
        code = int(self._codes[row])
        folded = self._known.get(code)
        if folded is None:
            column = self._column
            value = column.values[code]
            folded = "" if value is None and code not in column.misfits else fold(column.texts[code])
            self._known[code] = folded
        return folded
