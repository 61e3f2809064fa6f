"""A rectangle of a grid, and what its columns mostly look like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.read.grid import Grid
from engine.read.looks import Look, column_look

_SAMPLE = 80  # rows that are looked at, spread over all


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
