"""Builds a source table: its terms, its SQLite file, its LanceDB tables, its card."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from engine.build.facts import ColumnFacts, TableFacts
from engine.build.profile import asked_columns, table_facts
from engine.build.sqlite import write_sqlite
from engine.build.terms import ColumnTerms, terms_of
from engine.catalog import TableEntry
from engine.embedder import Embedder
from engine.errors import CatalogError
from engine.lance import TermEntry, write_index
from engine.progress import Progress
from engine.read.sample import representative
from engine.read.table import SourceTable
from engine.slice import cut
from engine.table import LANCE_NAME, SQLITE_NAME


def build(folder: Path, source: SourceTable, entry: TableEntry, embedder: Embedder, told: Progress) -> str:
    """Builds one table of a source into an empty folder, and gives its name; raises CatalogError for a column that the source does not have."""
    _check_columns(entry, source)
    source = cut(source, entry.part)
    table = asked_columns(source, entry)
    told("gathering terms", 0, 1)
    terms = [terms_of(column) for column in table.columns]
    facts = table_facts(source, table, entry, terms)
    sent = [place for place, column in enumerate(facts.columns) if column.sent]
    shown = replace(table, columns=[table.columns[place] for place in sent])
    sample = representative(shown) if sent else []
    facts = facts.model_copy(update={"sample": tuple(int(table.row_numbers[row - 1]) for row in sample)})
    told("writing rows", 0, 1)
    write_sqlite(folder / SQLITE_NAME, table, terms, facts)
    told("indexing terms", 0, 1)
    entries = [
        TermEntry(
            column.first_term + n,
            column.position,
            found.keys[n],
            found.texts[n],
            column.kind == "category" and (column.sent or not embedder.address),
        )
        for column, found in zip(facts.columns, terms, strict=True)
        if column.kind in ("category", "name")
        for n in range(len(found))
        if 0 < len(found.texts[n]) <= 80
    ]
    rows = list(_row_texts(shown, embedder.calibration.most_rows)) if sent else []
    card = _card(shown, sample, facts, [(facts.columns[place], terms[place]) for place in sent])
    write_index(folder / LANCE_NAME, entries, rows, card, embedder)
    return facts.name


def _row_texts(table: SourceTable, most: int) -> Iterator[tuple[int, str]]:
    step, numbers = max(1, -(-table.rows // most)), table.row_numbers
    for row in range(0, table.rows, step):
        texts = (column.texts[column.codes[row]] for column in table.columns[:30] if column.codes[row] >= 0)
        yield int(numbers[row]), " | ".join(text[:200] for text in texts if text)


def _card(table: SourceTable, sample: list[int], facts: TableFacts, terms: list[tuple[ColumnFacts, ColumnTerms]]) -> str:
    """The table in words, for a model: description, columns with counts and examples, a representative sample."""
    lines = [f"{facts.name}: {facts.description or ', '.join(facts.nouns)}", f"{facts.rows} rows"]
    for column, found in terms[:60]:
        examples = ", ".join(text[:40] for text in found.texts[:5])
        lines.append(f"{column.name} ({column.type}, {column.distinct} distinct, {column.empty} empty): {examples}")
    for row in sample:
        lines.append(
            " | ".join(column.texts[column.codes[row - 1]][:60] if column.codes[row - 1] >= 0 else "" for column in table.columns[:60])
        )
    return "\n".join(lines)


def _check_columns(entry: TableEntry, table: SourceTable) -> None:
    names = [column.name for column in table.columns]
    for name in (*entry.keys, *entry.columns, *entry.partition[:1]):
        if name not in names:
            shown = ", ".join(names[:12])
            raise CatalogError(
                f'The catalog\'s table "{entry.name}" names the column "{name}", which its source does not have; it has {shown}.'
            )
