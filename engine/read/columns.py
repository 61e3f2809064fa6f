"""Types for the columns of a table, each by its own texts and, where these leave a choice, by those of its neighbours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TypeVar

import numpy as np

from engine.errors import SourceError
from engine.read import novalue
from engine.read.kind import Kind, KnownKind, Texts
from engine.read.kinds import kind_of
from engine.read.lists import list_separator
from engine.read.options import ReadOptions
from engine.read.raw import RawColumn, RawTable
from engine.read.table import Doubt, SourceColumn
from engine.types import ColumnType

_LINES_KEPT = 100
T = TypeVar("T")


def typed(table: RawTable, options: ReadOptions, shown: str, known: Mapping[str, KnownKind] = {}) -> tuple[list[SourceColumn], list[Doubt]]:
    """The columns with their types, and what was doubtful about them.

    known: by column name, from an earlier reading with the same options. Raises SourceError where the options name a column that is not there.
    """
    _known(table, options, shown)
    none = frozenset(novalue.key(text) for text in options.no_value)
    texts = [Texts(c.name, c.texts, np.bincount(c.codes[c.codes >= 0], minlength=len(c.texts)), none) for c in table.columns]
    decimal: str = options.decimal or "."
    day_first = True if options.day_first is None else options.day_first
    given = [options.type_of(column.name) or column.declared for column in table.columns]
    same = [_same(known.get(each.name), each, type_) for each, type_ in zip(texts, given, strict=True)]
    kinds = [was.kind if was else kind_of(each, decimal, day_first, type_) for was, each, type_ in zip(same, texts, given, strict=True)]
    said_decimal: str = options.decimal or _majority([kind.decimal for kind in kinds if kind.decimal]) or decimal
    said_order = options.day_first if options.day_first is not None else _majority([k.day_first for k in kinds if k.day_first is not None])
    columns: list[SourceColumn] = []
    doubts: list[Doubt] = []
    for column, each, type_, kind, was in zip(table.columns, texts, given, kinds, same, strict=True):
        settled, first = False, None if kind.open else kind
        if kind.open and (said_decimal != decimal or said_order is not None):
            kind = kind_of(each, said_decimal, day_first if said_order is None else said_order, type_)
            settled = said_order is not None
        separator = options.lists.get(column.name)
        if separator is None and was is not None:
            separator = was.separator
        elif separator is None and kind.type == "text":
            separator = list_separator([str(value) for value in kind.values if value is not None])
        columns.append(
            SourceColumn(
                column.name,
                kind.type,
                column.texts,
                kind.values,
                column.codes,
                separator or None,
                kind.misfits,
                column.header,
                type_,
                first,
            )
        )
        doubts += _doubts(table, column, kind, settled, options)
    return columns, doubts


def _same(known: KnownKind | None, column: Texts, given: ColumnType | None) -> KnownKind | None:
    return known if known is not None and known.holds_for(column, given) else None


def _known(table: RawTable, options: ReadOptions, shown: str) -> None:
    names = [column.name for column in table.columns]
    for name in (*options.columns, *options.lists):
        if name not in names:
            have = ", ".join(names[:8]) + (" ..." if len(names) > 8 else "")
            raise SourceError(f'{shown} has no column "{name}"; it has {have}.')


def _majority(found: list[T]) -> T | None:
    return Counter(found).most_common(1)[0][0] if found else None


def _doubts(table: RawTable, column: RawColumn, kind: Kind, settled: bool, options: ReadOptions) -> list[Doubt]:
    found = []
    if kind.misfits:
        found.append(("misfit", f"what does not fit the type {kind.type} is kept as text and has no value", sorted(kind.misfits)))
    for code, text, texts in kind.doubts:
        if code == "date_order" and (settled or options.day_first is not None):
            continue
        found.append((code, text, texts))
    if kind.open and kind.type == "decimal" and not kind.decimal and options.decimal is None:
        texts = [i for i, value in enumerate(kind.values) if isinstance(value, float) and not value.is_integer()]
        if texts and all(column.texts[i].strip()[-4:-3] == "." for i in texts) and len(texts) > 2:
            found.append(("decimal_sign", "three figures after the sign could be decimals or thousands, and are read as decimals", texts))
    return [_doubt(table, column, code, text, texts) for code, text, texts in found]


def _doubt(table: RawTable, column: RawColumn, code: str, text: str, texts: list[int]) -> Doubt:
    concerned = np.zeros(len(column.texts) + 1, dtype=bool)
    concerned[texts] = True
    rows = np.flatnonzero(concerned[column.codes])
    lines = tuple(int(line) for line in table.lines[rows[:_LINES_KEPT]]) if len(table.lines) else ()
    examples = ", ".join(f'"{_short(column.texts[i])}"' for i in texts[:3])
    cells = "1 cell" if len(rows) == 1 else f"{len(rows)} cells"
    return Doubt(code, f'Column "{column.name}": {text} ({cells}: {examples}{" ..." if len(texts) > 3 else ""}).', lines)


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= 40 else plain[:37] + "..."
