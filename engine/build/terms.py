"""The terms of a column: its texts gathered into classes that fold to the same."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.fold import fold, key
from engine.read.lists import items
from engine.read.table import SourceColumn
from engine.types import NUMERIC_TYPES, TEMPORAL_TYPES


@dataclass(frozen=True, slots=True)
class ColumnTerms:
    """folded, texts, keys, rows: one entry a term; class_of: for each of the column's texts its term, or -1 (no value). Lists have items instead."""

    folded: list[str]
    texts: list[str]
    keys: list[str]
    rows: list[int]
    class_of: NDArray[np.int32]
    items: list[list[int]]  # for list columns: the terms of each of the column's texts

    def __len__(self) -> int:
        return len(self.folded)


def spelled(value: object) -> str:
    """How a typed value is looked up: whole numbers without a point, dates in ISO form."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def terms_of(column: SourceColumn) -> ColumnTerms:
    """Gathers a column's texts into terms; the commonest spelling is the one shown."""
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.texts)) if len(column.texts) else np.zeros(0, dtype=np.int64)
    typed = column.type in NUMERIC_TYPES | TEMPORAL_TYPES | {"boolean"}
    known: dict[str, int] = {}
    spelling: list[dict[str, int]] = []
    rows: list[int] = []
    keys: list[str] = []
    class_of = np.full(len(column.texts), -1, dtype=np.int32)
    in_cell: list[list[int]] = []

    def classify(form: str, text: str, lookup: str, count: int) -> int:
        number = known.get(form)
        if number is None:
            number = known[form] = len(known)
            spelling.append({})
            rows.append(0)
            keys.append(lookup)
        spelling[number][text] = spelling[number].get(text, 0) + count
        rows[number] += count
        return number

    for index, (text, value) in enumerate(zip(column.texts, column.values, strict=True)):
        count = int(counts[index])
        if column.list_separator is not None:
            found = dict.fromkeys(
                classify(fold(item), item, key(item), 0) for item in (items(text, column.list_separator) if value is not None else [])
            )
            for number in found:
                rows[number] += count
            in_cell.append(list(found))
            continue
        if value is None:
            continue
        if typed:
            form = spelled(value)
            class_of[index] = classify(form, text.strip(), form, count)
        else:
            class_of[index] = classify(fold(text), str(value), key(text), count)
    texts = [max(spellings, key=lambda one: spellings[one]) for spellings in spelling]
    return ColumnTerms(list(known), texts, keys, rows, class_of, in_cell)


def row_classes(column: SourceColumn, terms: ColumnTerms) -> NDArray[np.int32]:
    """For each row its term, or -1."""
    classes = np.full(len(column.codes), -1, dtype=np.int32)
    filled = column.codes >= 0
    classes[filled] = terms.class_of[column.codes[filled]]
    return classes


def determines(finer: NDArray[np.int32], coarser: NDArray[np.int32]) -> bool:
    """Whether each value of one column goes with one value of the other, but for 2 % of odd pairs."""
    both = (finer >= 0) & (coarser >= 0)
    if not both.any():
        return False
    pairs = len(np.unique(finer[both].astype(np.int64) << 32 | coarser[both]))
    values, others = len(np.unique(finer[both])), len(np.unique(coarser[both]))
    return others > 1 and values > others and pairs <= values * 1.02 and int(both.sum()) >= 3 * values
