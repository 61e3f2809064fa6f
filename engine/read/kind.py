"""A column's distinct texts, the type that they make, and how many need not fit it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.types import ColumnType, Value

_SAMPLE = 600


@dataclass(frozen=True, slots=True)
class Texts:
    """The distinct texts of a column, how many rows hold each, and the column's name."""

    name: str
    texts: list[str]
    counts: NDArray[np.int64]
    no_value: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Kind:
    """A column's type, a value for each of its texts (None for "no value" and what does not fit), and what was doubtful.

    decimal and day_first: what the column's own spellings prove, "" and None where they prove nothing.
    doubts: code, sentence and the texts that it concerns.
    """

    type: ColumnType
    values: list[Value]
    misfits: frozenset[int] = frozenset()
    decimal: str = ""
    day_first: bool | None = None
    open: bool = False  # another reading is as good, and the table's other columns may decide
    doubts: list[tuple[str, str, list[int]]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class KnownKind:
    """What an earlier reading with the same options made of a column's texts, and what divides the items of its cells; given: the type that was said."""

    texts: list[str]
    counts: NDArray[np.int64]
    given: ColumnType | None
    kind: Kind
    separator: str | None

    def holds_for(self, column: Texts, given: ColumnType | None) -> bool:
        """Whether the same texts stand in as many rows each, so that the same comes of them."""
        return given == self.given and column.texts == self.texts and np.array_equal(column.counts, self.counts)


def enough(column: Texts, fits: Sequence[int], misfits: Sequence[int]) -> bool:
    """Whether so few texts do not fit that they are the exceptions and not the rule."""
    if not misfits:
        return bool(fits)
    rows = int(column.counts[list(fits)].sum()) if fits else 0
    odd = int(column.counts[list(misfits)].sum())
    if len(misfits) <= 2 and rows < 200:
        return rows >= 6 and odd <= max(1, rows // 7)
    return odd <= 0.02 * rows and len(misfits) <= max(3, 0.02 * len(fits))


def promising(column: Texts, present: list[int], fits: Callable[[str], object]) -> bool:
    """Whether a part of the texts, spread over all of them, mostly fits; only then is each looked at."""
    if not present:
        return False
    looked = present if len(present) <= _SAMPLE else present[:: len(present) // _SAMPLE + 1]
    return 2 * sum(1 for i in looked if fits(column.texts[i])) > len(looked)
