"""The SQLite file of a table: typed rows, folded shadows, items of list cells, terms and their words.

No name and no value of a source is ever part of the SQL: columns are c0, c1, ... by position.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from engine.build.facts import ColumnFacts, TableFacts
from engine.build.terms import ColumnTerms
from engine.fold import fold, key, name_key, stems
from engine.language.synonyms import Group, alike
from engine.read.table import SourceColumn, SourceTable

INDEXED_COLUMNS = 40
LONGEST_TERM = 200  # letters; a longer text is found by its words alone


def write_sqlite(
    path: Path, table: SourceTable, terms: list[ColumnTerms], ids: Sequence[Sequence[int]], facts: TableFacts, groups: Iterable[Group]
) -> None:
    """Writes the whole file; the caller puts it in service. ids: of each column's terms."""
    with closing(sqlite3.connect(path, isolation_level=None)) as base:
        base.execute("PRAGMA page_size = 8192")
        base.execute("PRAGMA journal_mode = OFF")
        base.execute("PRAGMA synchronous = OFF")  # the store syncs the finished file
        base.execute("BEGIN")
        write_rows(base, table, terms, facts)
        _write_terms(base, terms, ids, facts)
        base.execute("CREATE TABLE synonym (phrase TEXT, means TEXT, about TEXT, hint INTEGER)")
        base.execute("CREATE INDEX synonym_phrase ON synonym (phrase)")
        write_synonyms(base, terms, facts, groups)
        base.execute("CREATE TABLE facts (json TEXT)")
        base.execute("INSERT INTO facts VALUES (?)", [facts.model_dump_json()])
        base.execute("COMMIT")
        base.execute("ANALYZE")


def stored_columns(column: ColumnFacts) -> list[str]:
    """The physical columns of a column: its value, its folded text, its spelling."""
    spot = f"c{column.position}"
    return [spot, *([f"{spot}_f"] if column.textual else []), *([f"{spot}_s"] if column.spelled else [])]


def _cells(column: SourceColumn, found: ColumnTerms, facts: ColumnFacts) -> Iterator[list[Any]]:
    """For each physical column its value for each of the column's texts, and then for no cell."""
    yield [*column.values, None]
    if facts.textual and column.list_separator is None:
        yield [*(found.folded[number] if number >= 0 else None for number in found.class_of.tolist()), None]
    elif facts.textual:
        yield [*(None if value is None else fold(str(value)) for value in column.values), None]
    if facts.spelled:
        yield [*_spellings(column), None]


def _spellings(column: SourceColumn) -> Iterator[str | None]:
    """The source's text of each value, and of what does not fit the type; none for a spelling of "no value"."""
    for index, (text, value) in enumerate(zip(column.texts, column.values, strict=True)):
        yield text.strip() if value is not None or index in column.misfits else None


def _spread(column: SourceColumn, values: list[Any]) -> Iterator[Any]:
    for start in range(0, len(column.codes), 50_000):
        for code in column.codes[start : start + 50_000].tolist():
            yield values[code]  # code -1 is the last: nothing


def write_rows(base: sqlite3.Connection, table: SourceTable, terms: list[ColumnTerms], facts: TableFacts) -> None:
    """Makes the tables of rows and of the items of lists, and fills them."""
    names = [name for column in facts.columns for name in stored_columns(column)]
    base.execute(f"CREATE TABLE rows (row_id INTEGER PRIMARY KEY, {', '.join(names)})")
    cells = [
        _spread(column, values)
        for column, found, known in zip(table.columns, terms, facts.columns, strict=True)
        for values in _cells(column, found, known)
    ]
    places = ", ".join("?" * (len(names) + 1))
    base.executemany(f"INSERT INTO rows VALUES ({places})", zip(table.row_numbers.tolist(), *cells, strict=True))
    plain = [column for column in facts.columns if column.list_separator is None and column.kind != "prose"]
    for known in plain[:INDEXED_COLUMNS]:
        spot = f"c{known.position}_f" if known.textual else f"c{known.position}"
        base.execute(f"CREATE INDEX rows_{spot} ON rows ({spot})")
    for column, found, known in zip(table.columns, terms, facts.columns, strict=True):
        if known.list_separator is None:
            continue
        items = f"items{known.position}"
        base.execute(f"CREATE TABLE {items} (row_id INTEGER, item TEXT, item_f TEXT)")
        base.executemany(f"INSERT INTO {items} VALUES (?, ?, ?)", items_of(table, column, found, range(table.rows)))
        base.execute(f"CREATE INDEX {items}_item ON {items} (item_f, row_id)")
        base.execute(f"CREATE INDEX {items}_row ON {items} (row_id, item_f)")


def items_of(table: SourceTable, column: SourceColumn, found: ColumnTerms, rows: Iterable[int]) -> Iterator[tuple[int, str, str]]:
    """The items of these rows (the first is 0): the row's number, the item as it is shown, and folded."""
    numbers, codes = table.row_numbers.tolist(), column.codes.tolist()
    for row in rows:
        if (code := codes[row]) >= 0:
            for item in found.items[code]:
                yield numbers[row], found.texts[item], found.folded[item]


def _write_terms(base: sqlite3.Connection, terms: list[ColumnTerms], ids: Sequence[Sequence[int]], facts: TableFacts) -> None:
    base.execute(
        "CREATE TABLE term (id INTEGER PRIMARY KEY, position INTEGER, key TEXT, joined TEXT, stems TEXT, folded TEXT, text TEXT, rows INTEGER)"
    )
    base.execute(
        "CREATE VIRTUAL TABLE term_words USING fts5 (stems, content='', columnsize=0, tokenize=\"unicode61 remove_diacritics 0 tokenchars '._'\")"
    )
    for found, numbers, known in zip(terms, ids, facts.columns, strict=True):
        order = sorted(range(len(found)), key=numbers.__getitem__)  # each row goes to the end of its table
        insert_terms(base, known, [TermRow(numbers[n], found.keys[n], found.folded[n], found.texts[n], found.rows[n]) for n in order])
    base.execute("INSERT INTO term_words (term_words) VALUES ('optimize')")
    base.execute("CREATE INDEX term_key ON term (key)")
    base.execute("CREATE INDEX term_joined ON term (joined) WHERE joined IS NOT NULL")
    base.execute("CREATE INDEX term_stems ON term (stems) WHERE stems IS NOT NULL")
    base.execute("CREATE INDEX term_folded ON term (folded, position)")
    base.execute("CREATE INDEX term_position ON term (position, folded)")


class TermRow(NamedTuple):
    """A term as it is written: its id, looked-up and compared forms, its text, and how many rows hold it."""

    id: int
    key: str
    folded: str
    text: str
    rows: int


def insert_terms(base: sqlite3.Connection, column: ColumnFacts, found: Sequence[TermRow]) -> None:
    """Adds terms to a column, with their words."""
    wordy, position = column.kind not in ("value", "code"), column.position
    base.executemany("INSERT INTO term VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (_term_cells(term, position, wordy) for term in found))
    if wordy:
        base.executemany(
            "INSERT INTO term_words (rowid, stems) VALUES (?, ?)", ((term.id, words_of(term.key, term.text)) for term in found)
        )


def _term_cells(term: TermRow, position: int, wordy: bool) -> tuple[Any, ...]:
    """A longer text is found by its words alone."""
    if len(term.text) > LONGEST_TERM:
        return (term.id, position, None, None, None, term.folded, term.text, term.rows)
    joined, stemmed = (term.key.replace(" ", ""), stems(term.key)) if wordy else (None, None)
    return (term.id, position, term.key, joined, stemmed, term.folded, term.text, term.rows)


def words_of(words: str, text: str) -> str:
    """The stems of a term; where words are run together by capitals ("SuperStore"), also those of the single words.

    words: its key, which is not stored for a longer text, and is then the text's.
    """
    stemmed = stems(words if len(text) <= LONGEST_TERM else key(text))
    single = stems(name_key(text))
    return stemmed if single == stemmed else f"{stemmed} {single}"


def write_synonyms(base: sqlite3.Connection, terms: list[ColumnTerms], facts: TableFacts, groups: Iterable[Group]) -> None:
    """The general synonyms of what this table has, so that no question needs the whole file; those that were there go."""
    columns = {stems(name) for column in facts.columns for name in (column.key, *column.other_names)}
    others = {stems(noun) for noun in facts.nouns}
    for found, known in zip(terms, facts.columns, strict=True):
        if known.kind == "category" or (known.list_separator is not None and known.distinct <= 2000):
            others.update(stems(words) for words in found.keys)
    base.execute("DELETE FROM synonym")
    base.executemany(
        "INSERT INTO synonym VALUES (?, ?, ?, ?)", ((a.phrase, a.means, a.about, a.hint) for a in alike(columns, others, groups))
    )
