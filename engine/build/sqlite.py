"""The SQLite file of a table: typed rows, folded shadows, items of list cells, terms and their words.

No name and no value of a source is ever part of the SQL: columns are c0, c1, ... by position.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from engine.build.facts import ColumnFacts, TableFacts
from engine.build.terms import ColumnTerms
from engine.fold import fold, name_key, stems
from engine.language.synonyms import alike
from engine.read.table import SourceColumn, SourceTable

INDEXED_COLUMNS = 40
LONGEST_TERM = 200  # letters; a longer text is found by its words alone


def write_sqlite(path: Path, table: SourceTable, terms: list[ColumnTerms], facts: TableFacts) -> None:
    """Writes the whole file; the caller puts it in service."""
    with closing(sqlite3.connect(path, isolation_level=None)) as base:
        base.execute("PRAGMA page_size = 8192")
        base.execute("PRAGMA journal_mode = OFF")
        base.execute("PRAGMA synchronous = OFF")  # the store syncs the finished file
        base.execute("BEGIN")
        _write_rows(base, table, facts)
        _write_items(base, table, terms, facts)
        _write_terms(base, terms, facts)
        _write_synonyms(base, terms, facts)
        base.execute("CREATE TABLE facts (json TEXT)")
        base.execute("INSERT INTO facts VALUES (?)", [facts.model_dump_json()])
        _write_indexes(base, facts)
        base.execute("COMMIT")
        base.execute("ANALYZE")


def stored_columns(column: ColumnFacts) -> list[str]:
    """The physical columns of a column: its value, its folded text, its spelling."""
    spot = f"c{column.position}"
    return [spot, *([f"{spot}_f"] if column.textual else []), *([f"{spot}_s"] if column.spelled else [])]


def _cells(column: SourceColumn, facts: ColumnFacts) -> Iterator[Iterator[Any]]:
    """For each physical column its cells, row by row."""
    nothing: list[Any] = [None]
    yield _spread(column, [*column.values, *nothing])
    if facts.textual:
        yield _spread(column, [*(None if value is None else fold(str(value)) for value in column.values), *nothing])
    if facts.spelled:
        yield _spread(column, [*_spellings(column), *nothing])


def _spellings(column: SourceColumn) -> Iterator[str | None]:
    """The source's text of each value, and of what does not fit the type; none for a spelling of "no value"."""
    for index, (text, value) in enumerate(zip(column.texts, column.values, strict=True)):
        yield text.strip() if value is not None or index in column.misfits else None


def _spread(column: SourceColumn, values: list[Any]) -> Iterator[Any]:
    for start in range(0, len(column.codes), 50_000):
        for code in column.codes[start : start + 50_000].tolist():
            yield values[code]  # code -1 is the last: nothing


def _write_rows(base: sqlite3.Connection, table: SourceTable, facts: TableFacts) -> None:
    names = [name for column in facts.columns for name in stored_columns(column)]
    base.execute(f"CREATE TABLE rows (row_id INTEGER PRIMARY KEY, {', '.join(names)})")
    cells = [one for column, known in zip(table.columns, facts.columns, strict=True) for one in _cells(column, known)]
    places = ", ".join("?" * (len(names) + 1))
    base.executemany(f"INSERT INTO rows VALUES ({places})", zip(table.row_numbers.tolist(), *cells, strict=True))


def _write_items(base: sqlite3.Connection, table: SourceTable, terms: list[ColumnTerms], facts: TableFacts) -> None:
    for column, found, known in zip(table.columns, terms, facts.columns, strict=True):
        if known.list_separator is None:
            continue
        items = f"items{known.position}"
        base.execute(f"CREATE TABLE {items} (row_id INTEGER, item TEXT, item_f TEXT)")
        rows = (
            (row, found.texts[item], found.folded[item])
            for row, code in zip(table.row_numbers.tolist(), column.codes.tolist(), strict=True)
            if code >= 0
            for item in found.items[code]
        )
        base.executemany(f"INSERT INTO {items} VALUES (?, ?, ?)", rows)
        base.execute(f"CREATE INDEX {items}_item ON {items} (item_f, row_id)")
        base.execute(f"CREATE INDEX {items}_row ON {items} (row_id, item_f)")


def _write_terms(base: sqlite3.Connection, terms: list[ColumnTerms], facts: TableFacts) -> None:
    base.execute(
        "CREATE TABLE term (id INTEGER PRIMARY KEY, position INTEGER, key TEXT, joined TEXT, stems TEXT, folded TEXT, text TEXT, rows INTEGER)"
    )
    base.execute(
        "CREATE VIRTUAL TABLE term_words USING fts5 (stems, content='', columnsize=0, tokenize=\"unicode61 remove_diacritics 0 tokenchars '._'\")"
    )
    for found, known in zip(terms, facts.columns, strict=True):
        wordy = known.kind not in ("value", "code")
        short = [len(text) <= LONGEST_TERM for text in found.texts]
        stemmed = [stems(words) if wordy else "" for words in found.keys]
        base.executemany(
            "INSERT INTO term VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    known.first_term + n,
                    known.position,
                    found.keys[n] if short[n] else None,
                    found.keys[n].replace(" ", "") if wordy and short[n] else None,
                    stemmed[n] if wordy and short[n] else None,
                    found.folded[n],
                    found.texts[n],
                    found.rows[n],
                )
                for n in range(len(found))
            ),
        )
        if wordy:
            words = (_words(stemmed[n], found.texts[n]) for n in range(len(found)))
            base.executemany("INSERT INTO term_words (rowid, stems) VALUES (?, ?)", enumerate(words, known.first_term))
    base.execute("INSERT INTO term_words (term_words) VALUES ('optimize')")


def _write_synonyms(base: sqlite3.Connection, terms: list[ColumnTerms], facts: TableFacts) -> None:
    """The general synonyms of what this table has, so that no question needs the whole file."""
    columns = {stems(name) for column in facts.columns for name in (column.key, *column.other_names)}
    others = {stems(noun) for noun in facts.nouns}
    for found, known in zip(terms, facts.columns, strict=True):
        if known.kind == "category" or (known.list_separator is not None and known.distinct <= 2000):
            others.update(stems(words) for words in found.keys)
    base.execute("CREATE TABLE synonym (phrase TEXT, means TEXT, about TEXT, hint INTEGER)")
    base.executemany("INSERT INTO synonym VALUES (?, ?, ?, ?)", ((a.phrase, a.means, a.about, a.hint) for a in alike(columns, others)))
    base.execute("CREATE INDEX synonym_phrase ON synonym (phrase)")


def _words(stemmed: str, text: str) -> str:
    """The stems of a term; where words are run together by capitals ("SuperStore"), also those of the single words."""
    single = stems(name_key(text))
    return stemmed if single == stemmed else f"{stemmed} {single}"


def _write_indexes(base: sqlite3.Connection, facts: TableFacts) -> None:
    base.execute("CREATE INDEX term_key ON term (key)")
    base.execute("CREATE INDEX term_joined ON term (joined) WHERE joined IS NOT NULL")
    base.execute("CREATE INDEX term_stems ON term (stems) WHERE stems IS NOT NULL")
    base.execute("CREATE INDEX term_folded ON term (folded, position)")
    base.execute("CREATE INDEX term_position ON term (position, folded)")
    plain = [column for column in facts.columns if column.list_separator is None and column.kind != "prose"]
    for column in plain[:INDEXED_COLUMNS]:
        spot = f"c{column.position}_f" if column.textual else f"c{column.position}"
        base.execute(f"CREATE INDEX rows_{spot} ON rows ({spot})")
