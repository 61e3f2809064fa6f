"""A table against the version before, row by row: what stands where, and what is new."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.build.kept import Kept, KeptColumn
from engine.build.terms import KeptTerms
from engine.read.table import SourceColumn, SourceTable

Rows = NDArray[np.int64]
_GONE = -2  # the code of a text that is not there any more, or has another value now


@dataclass(frozen=True, slots=True)
class Difference:
    """How many rows are new, are others than before by the same key (or, without a key, in the same place), and are gone."""

    added: int = 0
    changed: int = 0
    removed: int = 0


class Comparison:
    """A table and what was kept of it: the columns that both have are compared."""

    def __init__(self, table: SourceTable, kept: Kept) -> None:
        self.table = table
        self.kept = kept
        self._was = {column.name: column for column in kept.columns}
        self._codes: dict[str, NDArray[np.int32]] = {}
        self._in_place: tuple[Rows, Rows] | None = None
        self.places = {column.name: _places(column, self._was[column.name]) for column in table.columns if column.name in self._was}

    def terms_before(self, column: SourceColumn) -> KeptTerms | None:
        """The terms that a column had, where they are of use."""
        was = self._was.get(column.name)
        if was is None or was.folded is None or was.keys is None or was.type != column.type or was.separator != column.list_separator:
            return None
        return KeptTerms(was.folded, was.keys, was.class_of, self.places[column.name])

    def same(self, column: SourceColumn) -> bool:
        """Whether the column holds what it held, row by row."""
        was = self._was.get(column.name)
        return (
            was is not None
            and was.texts == column.texts
            and was.values == column.values
            and was.misfits == column.misfits
            and np.array_equal(was.codes, column.codes)
        )

    def codes_before(self, column: SourceColumn) -> NDArray[np.int32]:
        """For each row before its text among those now; -1 for no cell, -2 for a text that is gone or has another value. Shape (rows before,)."""
        if column.name in self._codes:
            return self._codes[column.name]
        was, places = self._was[column.name], self.places[column.name]
        back = np.full(len(was.texts) + 1, _GONE, dtype=np.int32)
        back[-1] = -1
        back[places[places >= 0]] = np.flatnonzero(places >= 0)
        if was.texts != column.texts or was.values != column.values or was.misfits != column.misfits:
            for now, place in enumerate(places.tolist()):
                if place >= 0 and (was.values[place] != column.values[now] or (place in was.misfits) != (now in column.misfits)):
                    back[place] = _GONE
        self._codes[column.name] = back[was.codes]
        return self._codes[column.name]

    def in_place(self) -> tuple[Rows, Rows]:
        """Places of rows now that are not what stood under their number before, and numbers of before that are not there any more."""
        if self._in_place is not None:
            return self._in_place
        now, then = self.table.row_numbers, self.kept.numbers
        common, here, there = np.intersect1d(now, then, assume_unique=True, return_indices=True)
        same = np.ones(len(common), dtype=np.bool_)
        for column in self.table.columns:
            same &= column.codes[here] == self.codes_before(column)[there]
        stays = np.zeros(len(now), dtype=np.bool_)
        stays[here[same]] = True
        self._in_place = np.flatnonzero(~stays), np.setdiff1d(then, now, assume_unique=True).astype(np.int64)
        return self._in_place

    def difference(self, keys: Sequence[str]) -> Difference:
        """Rows added, changed and removed: by the first column that tells rows apart then and now, the keys tried first, else by content."""
        columns = [column for column in self.table.columns if column.name in self._was]
        if not columns:
            return Difference(added=self.table.rows, removed=len(self.kept.numbers))
        now = np.stack([column.codes for column in columns], axis=1)
        then = np.stack([self.codes_before(column) for column in columns], axis=1)
        only_now, only_then = _unmatched(now, then)
        added, removed = len(only_now), len(only_then)
        key = next((place for place in _order(columns, keys) if _tells(columns[place], self._was[columns[place].name])), None)
        if key is None:
            numbers_now = self.table.row_numbers[only_now]
            changed = len(np.intersect1d(numbers_now, self.kept.numbers[only_then]))
        else:
            changed = len(np.intersect1d(now[only_now, key], then[only_then, key]))
        return Difference(added - changed, changed, removed - changed)


def _places(column: SourceColumn, was: KeptColumn) -> NDArray[np.int32]:
    """For each text of a column its place among those before, -1 for a new one."""
    if column.texts == was.texts:
        return np.arange(len(column.texts), dtype=np.int32)
    known = dict(zip(was.texts, range(len(was.texts)), strict=True))
    return np.array([known.get(text, -1) for text in column.texts], dtype=np.int32)


def _order(columns: Sequence[SourceColumn], keys: Sequence[str]) -> list[int]:
    return sorted(range(len(columns)), key=lambda place: keys.index(columns[place].name) if columns[place].name in keys else len(keys))


def _tells(column: SourceColumn, was: KeptColumn) -> bool:
    """Whether each row has a value of its own, then and now."""
    return all(
        len(codes) > 0 and len(texts) == len(codes) and int(codes.min()) >= 0
        for codes, texts in ((column.codes, column.texts), (was.codes, was.texts))
    )


def _unmatched(now: NDArray[np.int32], then: NDArray[np.int32]) -> tuple[Rows, Rows]:
    """Places of rows now that no row before is equal to, one for one, and of rows before."""
    shared = min(len(now), len(then))
    equal = (now[:shared] == then[:shared]).all(axis=1)
    here = np.concatenate([np.flatnonzero(~equal), np.arange(shared, len(now))])
    there = np.concatenate([np.flatnonzero(~equal), np.arange(shared, len(then))])
    free: dict[bytes, int] = {}
    for row in there.tolist():
        content = then[row].tobytes()
        free[content] = free.get(content, 0) + 1
    only_now = []
    for row in here.tolist():
        content = now[row].tobytes()
        if free.get(content, 0):
            free[content] -= 1
        else:
            only_now.append(row)
    only_then = []
    for row in reversed(there.tolist()):
        content = then[row].tobytes()
        if free.get(content, 0):
            free[content] -= 1
            only_then.append(row)
    return np.array(only_now, dtype=np.int64), np.array(only_then[::-1], dtype=np.int64)
