"""What is known of a table before any question: kinds of columns, the naming column, what a row is called."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import numpy as np

from engine.build.facts import ColumnFacts, Kind, TableFacts
from engine.build.numbering import first_id
from engine.build.terms import ColumnTerms, determines, row_classes
from engine.catalog import TableEntry
from engine.fold import fold, key, name_key, stem
from engine.hours import is_hours
from engine.read.table import SourceColumn, SourceTable
from engine.types import NUMERIC_TYPES, TEMPORAL_TYPES

ASKED_COLUMNS = 900  # SQLite holds 2,000 columns, and each of these may need two
_NAMING = ("name", "title", "nombre", "titulo", "название", "имя", "фио", "שם", "כותרת")
_REACHING = ("type", "kind", "category", "address", "town", "city", "postcode", "zip", "phone", "telephone", "email", "code")
_GENERIC = frozenset(  # words of a file's or table's name that do not say what a row is
    [
        *(
            "data",
            "database",
            "dataset",
            "db",
            "table",
            "tables",
            "tbl",
            "sheet",
            "sheet1",
            "book",
            "file",
            "csv",
            "xlsx",
            "view",
            "query",
            "report",
        ),
        *(
            "list",
            "lists",
            "export",
            "exports",
            "result",
            "results",
            "rows",
            "records",
            "names",
            "info",
            "details",
            "master",
            "main",
            "full",
            "all",
        ),
        *("new", "final", "copy", "ref", "test", "sample"),
    ]
)
_URL = re.compile(r"^(https?://|www\.)|^[^@\s]+@[^@\s]+\.\w+$")
_WORDY = re.compile(r"[^\W\d_]{2,}")


def kind_of(column: SourceColumn, terms: ColumnTerms) -> Kind:
    """How the values of a column are found in a question."""
    if column.type in NUMERIC_TYPES | TEMPORAL_TYPES:
        return "value"
    if column.type == "boolean":
        return "category"
    if not len(terms):
        return "prose"
    sample = terms.texts[:: max(1, len(terms) // 500)]
    if column.type == "code" or sum(bool(_URL.search(text)) for text in sample) * 2 > len(sample):
        return "code"
    if sum(bool(_WORDY.search(text)) for text in sample) * 3 < len(sample):
        return "code"
    length = sum(map(len, sample)) / len(sample)
    rows = max(1, sum(terms.rows))
    if len(terms) <= max(30, min(2000, rows * 2 // 5)) and length < 80:  # values that recur
        return "category"
    return "prose" if length > 70 else "name"


def column_facts(table: SourceTable, entry: TableEntry, terms: list[ColumnTerms]) -> tuple[ColumnFacts, ...]:
    """The facts of each asked column; the ids of its terms lie from first_term up to end_term."""
    classes = {
        column.name: row_classes(column, found)
        for column, found in zip(table.columns, terms, strict=False)
        if column.list_separator is None
    }
    kinds = {column.name: kind_of(column, found) for column, found in zip(table.columns, terms, strict=False)}
    nested = [column.name for column in table.columns if kinds[column.name] in ("category", "name") and column.name in classes][:20]
    sizes = {column.name: len(found) for column, found in zip(table.columns, terms, strict=False)}
    facts = []
    for position, (column, found) in enumerate(zip(table.columns, terms, strict=False)):
        said = entry.columns.get(column.name)
        numbers = (
            [value for value in column.values if isinstance(value, (int, float)) and not isinstance(value, bool)]
            if column.type in NUMERIC_TYPES
            else []
        )
        has_value = np.array([value is not None for value in column.values], dtype=bool)
        filled = int(has_value[column.codes[column.codes >= 0]].sum()) if len(column.texts) else 0
        finer = column.name in nested and sizes[column.name] <= 20_000
        facts.append(
            ColumnFacts(
                name=column.name,
                position=position,
                type=column.type,
                kind=kinds[column.name],
                key=name_key(column.name),
                other_names=tuple(key(name) for name in said.synonyms) if said else (),
                list_separator=column.list_separator,
                sent=entry.send_to_model and (said is None or said.send_to_model),
                hours=(said is not None and said.hours)
                or (column.type == "text" and column.list_separator is None and is_hours(found.texts[:2000])),
                distinct=len(found),
                empty=table.rows - filled,
                spelled=_needs_spelling(column),
                shown_as_spelled=column.type in ("money", "percent")
                or column.type == "time"
                or (column.type in ("date", "datetime") and _in_words(column)),
                first_term=first_id(position),
                end_term=first_id(position + 1),
                determines=tuple(
                    other
                    for other in nested
                    if finer
                    and other != column.name
                    and sizes[other] < sizes[column.name]
                    and determines(classes[column.name], classes[other])
                ),
                low=float(min(numbers)) if numbers else None,
                high=float(max(numbers)) if numbers else None,
            )
        )
    return tuple(facts)


def _needs_spelling(column: SourceColumn) -> bool:
    if column.type in ("text", "code"):
        return False
    return any(text.strip() != str(value) for text, value in zip(column.texts, column.values, strict=True) if value is not None) or bool(
        column.misfits
    )


def _in_words(column: SourceColumn) -> bool:
    sample = [text for text, value in zip(column.texts, column.values, strict=True) if value is not None][:50]
    return bool(sample) and sum(bool(re.search(r"[^\W\d_]{3,}", text)) for text in sample) * 2 > len(sample)


def naming_column(columns: tuple[ColumnFacts, ...], rows: int, nouns: tuple[str, ...] = ()) -> str:
    """The column that names a row: by its name, else the first text with many values, else the first column."""

    def worth(column: ColumnFacts) -> float:
        words = column.key.split()
        score = 0.0
        if column.textual and column.kind in ("name", "category"):
            score += 2 + min(1.0, column.distinct / max(1, rows)) * 3
        if words and column.textual and column.list_separator is None:
            named = [word for word in words if word in _NAMING]
            score += 6 if len(words) == 1 and named else 4 if named else 0
            score += 1.5 if any(stem(noun.split()[-1]) in {stem(w) for w in words} for noun in nouns if noun) else 0
        if column.list_separator is not None or column.kind == "prose":
            score -= 2
        return score - column.position * 0.05

    return max(columns, key=worth).name


def key_columns(columns: tuple[ColumnFacts, ...], naming: str) -> tuple[str, ...]:
    """Columns that identify or reach a row, where the catalog does not say: the naming column and at most five more."""
    first = [next((c.name for c in columns if word in c.key.split() and c.name != naming), "") for word in _REACHING]
    return (naming, *[name for name in dict.fromkeys(first) if name][:5])


def nouns_of(table: SourceTable, entry: TableEntry) -> tuple[tuple[str, ...], bool]:
    """What a row is called (keys, the fullest first), and whether that is known rather than a number or a word like "data"."""
    if entry.row:
        return tuple(key(noun) for noun in entry.row), True
    words = [word for word in name_key(table.name).split() if word not in _GENERIC and not word[:1].isdigit()]
    if not any(len(word) > 2 for word in words):
        return (), False
    runs = [" ".join(words), *(" ".join(pair) for pair in list(pairwise(words))[-1:]), words[-1]]
    return tuple(dict.fromkeys(runs)), True


def table_facts(source: SourceTable, table: SourceTable, entry: TableEntry, terms: list[ColumnTerms]) -> TableFacts:
    """Everything that is known of a table of the source, narrowed to its asked columns, whose terms these are."""
    columns = column_facts(table, entry, terms)
    nouns, declared = nouns_of(table, entry)
    naming = entry.keys[0] if entry.keys else naming_column(columns, table.rows, nouns)
    keys = entry.keys or key_columns(columns, naming)
    return TableFacts(
        name=entry.name,
        description=entry.description or "",
        nouns=nouns,
        declared=declared,
        columns=columns,
        naming=naming,
        keys=tuple(keys),
        rows=table.rows,
        source=table.source,
        changed_at=table.changed_at,
        left_out=len(source.columns) - len(columns),
    )


def asked_columns(table: SourceTable, entry: TableEntry) -> SourceTable:
    """The table with the columns that can be asked over: all, or where there are too many those of the catalog, or the first 900."""
    if len(table.columns) <= ASKED_COLUMNS:
        return table
    named = {fold(name) for name in (*entry.columns, *entry.keys)}
    chosen = [column for column in table.columns if fold(column.name) in named][:ASKED_COLUMNS] or table.columns[:ASKED_COLUMNS]
    return replace(table, columns=chosen)
