"""The terms of a column: its texts gathered into classes that fold to the same."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.build.known import Known
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


@dataclass(frozen=True, slots=True)
class KeptTerms:
    """The terms of the column in the version before: folded and keys by term, class_of by its texts, and places: for each of the texts now its
    number among those then, -1 for a new one.
    """

    folded: list[str]
    keys: list[str]
    class_of: NDArray[np.int32]
    places: NDArray[np.int32]


def spelled(value: object) -> str:
    """How a typed value is looked up: whole numbers without a point, dates in ISO form."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def terms_of(column: SourceColumn, known: Known | None = None, before: KeptTerms | None = None) -> ColumnTerms:
    """Gathers a column's texts into terms; the commonest spelling is the one shown, the first of those that are equally common.

    before: the terms that the column had, where many of its texts are the same.
    """
    known = known or Known()
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.texts)) if len(column.texts) else np.zeros(0, dtype=np.int64)
    if column.list_separator is not None:
        return _items_of(column, counts.tolist(), known)
    if column.type in NUMERIC_TYPES | TEMPORAL_TYPES | {"boolean"}:
        return _typed_of(column, counts)
    return _texts_of(column, counts, known, before)


def _typed_of(column: SourceColumn, counts: NDArray[np.int64]) -> ColumnTerms:
    present = [index for index, value in enumerate(column.values) if value is not None]
    said = [spelled(column.values[index]) for index in present]
    numbers: dict[str, int] = {}
    classes = np.array([numbers.setdefault(form, len(numbers)) for form in said], dtype=np.int32)
    first = _first_of(classes, len(numbers))
    texts = [column.texts[index].strip() for index in present]
    return _gathered(column, present, classes, list(numbers), [said[index] for index in first], texts, counts)


def _texts_of(column: SourceColumn, counts: NDArray[np.int64], known: Known, before: KeptTerms | None) -> ColumnTerms:
    present = [index for index, value in enumerate(column.values) if value is not None]
    shown = [str(column.values[index]) for index in present]
    if before is not None and (found := _as_before(column, present, known, before)) is not None:
        return _gathered(column, present, *found, shown, counts)
    numbers: dict[str, int] = {}
    forms = known.forms([column.texts[index] for index in present])
    classes = np.array([numbers.setdefault(folded, len(numbers)) for folded, _ in forms], dtype=np.int32)
    keys = [forms[index][1] for index in _first_of(classes, len(numbers))]
    return _gathered(column, present, classes, list(numbers), keys, shown, counts)


def _as_before(
    column: SourceColumn, present: list[int], known: Known, before: KeptTerms
) -> tuple[NDArray[np.int32], list[str], list[str]] | None:
    """Classes of the texts, folded forms and keys, the forms of known texts taken over; None where a new spelling is looked up differently."""
    places = before.places[present]
    classes = np.where(places >= 0, before.class_of[places], -1)
    fresh = np.flatnonzero(classes < 0).tolist()
    folds, keys = before.folded, before.keys
    if fresh:
        numbers = dict(zip(folds, range(len(folds)), strict=True))
        keys = [*keys]
        for index, (folded, lookup) in zip(fresh, known.forms([column.texts[present[index]] for index in fresh]), strict=True):
            number = classes[index] = numbers.setdefault(folded, len(numbers))
            if number == len(keys):
                keys.append(lookup)
            elif keys[number] != lookup:
                return None
        folds = list(numbers)
    # Numbered anew in the order of the source, as without a version before.
    found, first, inverse = np.unique(classes, return_index=True, return_inverse=True)
    sequence = np.argsort(first, kind="stable")
    place = np.empty(len(found), dtype=np.int32)
    place[sequence] = np.arange(len(found), dtype=np.int32)
    order = found[sequence].tolist()
    return place[inverse.ravel()], [folds[number] for number in order], [keys[number] for number in order]


def _first_of(classes: NDArray[np.int32], size: int) -> list[int]:
    """For each class where it stands first."""
    first = np.full(size, -1, dtype=np.int64)
    first[classes[::-1]] = np.arange(len(classes) - 1, -1, -1)
    return first.tolist()


def _gathered(
    column: SourceColumn,
    present: list[int],
    classes: NDArray[np.int32],
    folds: list[str],
    keys: list[str],
    texts: list[str],
    counts: NDArray[np.int64],
) -> ColumnTerms:
    """The terms of a column's texts: for each text that has a value its class and how it is shown."""
    class_of = np.full(len(column.texts), -1, dtype=np.int32)
    class_of[present] = classes
    told = counts[present] if len(present) else np.zeros(0, dtype=np.int64)
    rows = np.bincount(classes, weights=told, minlength=len(folds)).astype(np.int64)
    shown = [texts[index] for index in _first_of(classes, len(folds))]
    several = np.flatnonzero((np.bincount(classes, minlength=len(folds)) > 1)[classes])
    spellings: dict[int, dict[str, int]] = {}
    for index in several.tolist():
        found = spellings.setdefault(int(classes[index]), {})
        found[texts[index]] = found.get(texts[index], 0) + int(told[index])
    for number, found in spellings.items():
        shown[number] = max(found, key=lambda one: found[one])
    return ColumnTerms(folds, shown, keys, rows.tolist(), class_of, [])


def _items_of(column: SourceColumn, counts: list[int], known: Known) -> ColumnTerms:
    separator = column.list_separator or ""
    cells = [items(text, separator) if value is not None else [] for text, value in zip(column.texts, column.values, strict=True)]
    different = list(dict.fromkeys(item for cell in cells for item in cell))
    forms = known.forms(different)
    numbers: dict[str, int] = {}
    class_of = {item: numbers.setdefault(folded, len(numbers)) for item, (folded, _) in zip(different, forms, strict=True)}
    found = [list(dict.fromkeys(class_of[item] for item in cell)) for cell in cells]
    told = dict.fromkeys(different, 0)
    rows = [0] * len(numbers)
    for cell, classes, count in zip(cells, found, counts, strict=True):
        for item in cell:
            told[item] += count
        for number in classes:
            rows[number] += count
    keys: list[str | None] = [None] * len(numbers)
    shown = [""] * len(numbers)
    most = [-1] * len(numbers)
    for item, (_, lookup) in zip(different, forms, strict=True):
        number = class_of[item]
        if keys[number] is None:
            keys[number] = lookup
        if told[item] > most[number]:
            shown[number], most[number] = item, told[item]
    return ColumnTerms(list(numbers), shown, [one or "" for one in keys], rows, np.full(len(column.texts), -1, dtype=np.int32), found)


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
