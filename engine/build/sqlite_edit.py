"""A copy of a version's SQLite file, brought to what the source holds now: only what changed is written."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from engine.build.compare import Comparison
from engine.build.facts import ColumnFacts, TableFacts
from engine.build.numbering import renumbered
from engine.build.sqlite import LONGEST_TERM, TermRow, insert_terms, items_of, stored_columns, words_of, write_rows, write_synonyms
from engine.build.terms import ColumnTerms
from engine.fold import fold, key
from engine.language.synonyms import Group
from engine.read.table import SourceColumn, SourceTable

MOST_CHANGED: Final = 0.2  # of the rows: where more changed, all are written, which is faster


class NoRoomError(Exception):
    """There is no id left between two terms; the file has to be written anew."""


@dataclass(frozen=True, slots=True)
class TermChange:
    """What became of a column's terms: gone, come, and those that stay with another text, key or number of rows (before, now).

    One that has another id now, as there was no room beside it, is among those gone and those that came.
    """

    column: ColumnFacts
    gone: list[TermRow]
    come: list[TermRow]
    other: list[tuple[TermRow, TermRow]]


def same_layout(before: TableFacts, now: TableFacts) -> bool:
    """Whether both are stored in the same tables and columns, and their terms found in the same way."""

    def layout(facts: TableFacts) -> list[tuple[Any, ...]]:
        return [(c.name, c.type, c.kind, c.list_separator, c.spelled, c.sent) for c in facts.columns]

    return layout(before) == layout(now)


def edit_sqlite(
    path: Path, table: SourceTable, terms: list[ColumnTerms], facts: TableFacts, compared: Comparison, groups: Sequence[Group]
) -> list[TermChange]:
    """Changes the file in place and gives what became of the terms; raises NoRoomError, and leaves the file unusable then."""
    with closing(sqlite3.connect(path, isolation_level=None)) as base:
        base.execute("PRAGMA journal_mode = OFF")
        base.execute("PRAGMA synchronous = OFF")
        base.execute("PRAGMA secure_delete = ON")  # what is gone from the source is gone from the file
        base.execute("PRAGMA cache_size = -65536")
        base.execute("BEGIN")
        changes = []
        for column, found, known in zip(table.columns, terms, facts.columns, strict=True):
            if not compared.same(column):
                changes.append(_edit_terms(base, found, known))
        rows, gone = compared.in_place()
        if len(rows) + len(gone) > MOST_CHANGED * table.rows:
            _drop_rows(base, facts)
            write_rows(base, table, terms, facts)
        elif len(rows) + len(gone):
            _edit_rows(base, table, terms, facts, rows.tolist(), gone.tolist())
        for change in changes:
            if change.column.list_separator is not None:
                was = {term.folded: term.text for term in (*change.gone, *(before for before, _ in change.other))}
                now = [*change.come, *(now for _, now in change.other)]
                shown = [(term.text, term.folded) for term in now if was.get(term.folded, term.text) != term.text]
                base.executemany(f"UPDATE items{change.column.position} SET item = ? WHERE item_f = ?", shown)
        if any(change.gone or change.come or any(a.key != b.key for a, b in change.other) for change in changes):
            write_synonyms(base, terms, facts, groups)
        base.execute("UPDATE facts SET json = ?", [facts.model_dump_json()])
        base.execute("COMMIT")
        if len(rows) + len(gone) > MOST_CHANGED * table.rows:
            base.execute("ANALYZE")
        return changes


def _edit_terms(base: sqlite3.Connection, found: ColumnTerms, column: ColumnFacts) -> TermChange:
    rows = base.execute(
        "SELECT id, key, folded, text, rows FROM term WHERE id >= ? AND id < ? ORDER BY id", [column.first_term, column.end_term]
    )
    before = {row[2]: row for row in rows}
    order = sorted(range(len(found)), key=found.folded.__getitem__)
    names = [found.folded[n] for n in order]
    ids = renumbered(column.position, names, [before[folded][0] if folded in before else None for folded in names])
    if ids is None:
        raise NoRoomError
    gone: list[TermRow] = []
    come: list[TermRow] = []
    other: list[tuple[TermRow, TermRow]] = []
    for n, number in zip(order, ids, strict=True):
        folded, words, text, count = found.folded[n], found.keys[n], found.texts[n], found.rows[n]
        was = before.pop(folded, None)
        if was is not None and was[0] == number and was[3] == text and was[4] == count and was[1] == words:
            continue
        now = TermRow(number, words, folded, text, count)
        then = _whole(was) if was is not None else None
        if then is None or then.id != number:
            come.append(now)
            gone += [then] if then is not None else []
        elif then != now:
            other.append((then, now))
    gone += map(_whole, before.values())
    _delete_terms(base, column, gone)
    reworded = [(then, now) for then, now in other if (then.key, then.text) != (now.key, now.text)]
    _delete_terms(base, column, [then for then, _ in reworded])
    insert_terms(base, column, [now for _, now in reworded])
    insert_terms(base, column, come)
    base.executemany("UPDATE term SET rows = ? WHERE id = ?", [(now.rows, now.id) for then, now in other if now.rows != then.rows])
    return TermChange(column, gone, come, other)


def _whole(row: tuple[Any, ...]) -> TermRow:
    number, words, folded, text, rows = row
    return TermRow(number, words if words is not None and len(text) <= LONGEST_TERM else key(text), folded, text, rows)


def _delete_terms(base: sqlite3.Connection, column: ColumnFacts, gone: list[TermRow]) -> None:
    base.executemany("DELETE FROM term WHERE id = ?", [(term.id,) for term in gone])
    if column.kind not in ("value", "code"):
        words = ((term.id, words_of(term.key, term.text)) for term in gone)
        base.executemany("INSERT INTO term_words (term_words, rowid, stems) VALUES ('delete', ?, ?)", words)


def _drop_rows(base: sqlite3.Connection, facts: TableFacts) -> None:
    base.execute("DROP TABLE rows")
    for column in facts.columns:
        if column.list_separator is not None:
            base.execute(f"DROP TABLE items{column.position}")


def _edit_rows(
    base: sqlite3.Connection, table: SourceTable, terms: list[ColumnTerms], facts: TableFacts, rows: list[int], gone: list[int]
) -> None:
    numbers = table.row_numbers.tolist()
    width = 1 + sum(len(stored_columns(column)) for column in facts.columns)
    columns = list(zip(table.columns, terms, facts.columns, [column.codes.tolist() for column in table.columns], strict=True))
    written = ([numbers[row], *(cell for c, t, f, codes in columns for cell in _cells(c, t, f, codes[row]))] for row in rows)
    base.executemany("DELETE FROM rows WHERE row_id = ?", [(number,) for number in gone])
    base.executemany(f"INSERT OR REPLACE INTO rows VALUES ({', '.join('?' * width)})", written)
    old = [(numbers[row],) for row in rows] + [(number,) for number in gone]
    for column, found, known, _ in columns:
        if known.list_separator is not None:
            items = f"items{known.position}"
            base.executemany(f"DELETE FROM {items} WHERE row_id = ?", old)
            base.executemany(f"INSERT INTO {items} VALUES (?, ?, ?)", items_of(table, column, found, rows))


def _cells(column: SourceColumn, found: ColumnTerms, facts: ColumnFacts, code: int) -> list[Any]:
    """The physical cells of one row, as in `engine.build.sqlite`."""
    value = column.values[code] if code >= 0 else None
    cells: list[Any] = [value]
    if facts.textual:
        cells.append(None if value is None else fold(str(value)))
    if facts.spelled:
        cells.append(column.texts[code].strip() if code >= 0 and (value is not None or code in column.misfits) else None)
    return cells
