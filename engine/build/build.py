"""Builds a source table: its terms, its SQLite file, its LanceDB tables, its card."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.build.compare import Comparison, Difference
from engine.build.earlier import EarlierTable
from engine.build.facts import ColumnFacts, TableFacts
from engine.build.kept import write_kept
from engine.build.known import Known
from engine.build.numbering import numbered
from engine.build.profile import asked_columns, table_facts
from engine.build.sqlite import TermRow, write_sqlite
from engine.build.sqlite_edit import MOST_CHANGED, NoRoomError, TermChange, edit_sqlite, same_layout
from engine.build.terms import ColumnTerms, terms_of
from engine.catalog import TableEntry
from engine.embedder import Embedder
from engine.errors import CatalogError
from engine.lance import TermEntry, edit_index, write_index
from engine.language.synonyms import Group, stemmed_groups
from engine.progress import Progress
from engine.read.sample import representative
from engine.read.table import SourceTable
from engine.slice import cut
from engine.table import LANCE_NAME, SQLITE_NAME


@dataclass(frozen=True, slots=True)
class Built:
    """A table that was built: its name, and how it differs from the version before, where there was one."""

    name: str
    facts: TableFacts
    before: TableFacts | None = None
    difference: Difference = field(default_factory=Difference)
    new_terms: dict[str, tuple[str, ...]] = field(default_factory=dict)  # by category column, values that were not there before


def build(
    folder: Path, source: SourceTable, entry: TableEntry, embedder: Embedder, told: Progress, before: EarlierTable | None = None
) -> Built:
    """Builds one table of a source into an empty folder; raises CatalogError for a column that the source does not have.

    before: the table as it was built before with the same embedder: what did not change is taken over, and what comes of it is the same.
    """
    _check_columns(entry, source)
    table = asked_columns(cut(source, entry.part), entry)
    told("gathering terms", 0, 1)
    kept = before.kept if before else None
    compared = Comparison(table, kept) if kept else None
    items = Known(kept.items if kept else None)
    terms = [
        terms_of(column, items if column.list_separator is not None else None, compared.terms_before(column) if compared else None)
        for column in table.columns
    ]
    facts = table_facts(source, table, entry, terms)
    sent = [place for place, column in enumerate(facts.columns) if column.sent]
    shown = replace(table, columns=[table.columns[place] for place in sent])
    sample = representative(shown) if sent else []
    facts = facts.model_copy(update={"sample": tuple(int(table.row_numbers[row - 1]) for row in sample)})
    card = _card(shown, sample, facts, [(facts.columns[place], terms[place]) for place in sent])
    groups = kept.groups if kept else stemmed_groups()
    made = _Made(table, shown, terms, facts, card, groups)
    changes = None
    if before and compared and same_layout(before.facts, facts):
        changes = _edited(folder, made, before, compared, embedder, told)
    if changes is None:
        _written(folder, made, embedder, told, before)
    write_kept(folder, table, terms, items, groups)
    if before is None:
        return Built(facts.name, facts)
    difference = compared.difference(facts.keys) if compared else Difference(table.rows, 0, before.facts.rows)
    return Built(facts.name, facts, before.facts, difference, _new_terms(facts, terms, before))


@dataclass(frozen=True, slots=True)
class _Made:
    """What is to be written of a table; shown is the part of it that may be sent to a model."""

    table: SourceTable
    shown: SourceTable
    terms: list[ColumnTerms]
    facts: TableFacts
    card: str
    groups: list[Group]


def _written(folder: Path, made: _Made, embedder: Embedder, told: Progress, before: EarlierTable | None) -> None:
    told("writing rows", 0, 1)
    ids = [numbered(column.position, found.folded) for column, found in zip(made.facts.columns, made.terms, strict=True)]
    write_sqlite(folder / SQLITE_NAME, made.table, made.terms, ids, made.facts, made.groups)
    told("indexing terms", 0, 1)
    entries = [
        entry
        for column, found, numbers in zip(made.facts.columns, made.terms, ids, strict=True)
        for entry in _entries(column, zip(numbers, found.keys, found.texts, strict=True), embedder)
    ]
    rows = list(_row_texts(made.shown, embedder.calibration.most_rows)) if made.shown.columns else []
    write_index(folder / LANCE_NAME, entries, rows, made.card, embedder, before)


def _edited(
    folder: Path, made: _Made, before: EarlierTable, compared: Comparison, embedder: Embedder, told: Progress
) -> list[TermChange] | None:
    """Writes what changed beside what is taken over from the version before; None, and nothing is left, where that cannot be done."""
    told("writing rows", 0, 1)
    path = folder / SQLITE_NAME
    shutil.copyfile(before.database, path)
    try:
        changes = edit_sqlite(path, made.table, made.terms, made.facts, compared, made.groups)
    except NoRoomError:
        path.unlink()
        return None
    told("indexing terms", 0, 1)
    gone, come = [], []
    for change in changes:
        anew = [(then, now) for then, now in change.other if (then.key, then.text) != (now.key, now.text)]
        gone += [entry.id for entry in _entries(change.column, _named([*change.gone, *(then for then, _ in anew)]), embedder)]
        come += _entries(change.column, _named([*change.come, *(now for _, now in anew)]), embedder)
    changed, lost = compared.in_place()
    step = _step(made.shown.rows, embedder.calibration.most_rows)
    all_rows = step != _step(before.facts.rows, embedder.calibration.most_rows) or len(changed) + len(lost) > MOST_CHANGED * made.table.rows
    chosen = range(0, made.shown.rows, step) if all_rows else sorted(set(changed.tolist()) & set(range(0, made.shown.rows, step)))
    numbers = made.table.row_numbers
    if made.shown.numbers.size and step > 1:
        all_rows, chosen = True, range(0, made.shown.rows, step)  # a row that goes moves all places behind it
    rows = list(_texts_of(made.shown, chosen)) if made.shown.columns else []
    rows_gone = [*(int(numbers[row]) for row in changed.tolist()), *lost.tolist()]
    edit_index(before, folder / LANCE_NAME, gone, come, rows_gone, rows, made.card, embedder, all_rows)
    return changes


def _named(terms: Sequence[TermRow]) -> Iterator[tuple[int, str, str]]:
    return ((term.id, term.key, term.text) for term in terms)


def _entries(column: ColumnFacts, terms: Iterable[tuple[int, str, str]], embedder: Embedder) -> list[TermEntry]:
    """Those of a column's terms (id, key, text) that are found by likeness."""
    if column.kind not in ("category", "name"):
        return []
    by_meaning = column.kind == "category" and (column.sent or not embedder.address)
    return [TermEntry(number, column.position, words, text, by_meaning) for number, words, text in terms if 0 < len(text) <= 80]


def _new_terms(facts: TableFacts, terms: Sequence[ColumnTerms], before: EarlierTable) -> dict[str, tuple[str, ...]]:
    known = {column.name: column for column in before.facts.columns}
    new: dict[str, tuple[str, ...]] = {}
    for column, found in zip(facts.columns, terms, strict=True):
        was = known.get(column.name)
        if was is not None and column.kind == was.kind == "category":
            old = before.folded_of(was)
            values = tuple(text for text, folded in zip(found.texts, found.folded, strict=True) if folded not in old)
            new |= {column.name: values} if values else {}
    return new


def _step(rows: int, most: int) -> int:
    return max(1, -(-rows // most))


def _row_texts(table: SourceTable, most: int) -> Iterator[tuple[int, str]]:
    return _texts_of(table, range(0, table.rows, _step(table.rows, most)))


def _texts_of(table: SourceTable, rows: Iterable[int]) -> Iterator[tuple[int, str]]:
    numbers, columns = table.row_numbers.tolist(), [(column.texts, column.codes) for column in table.columns[:30]]
    for row in rows:
        texts = (texts[codes[row]] for texts, codes in columns if codes[row] >= 0)
        yield numbers[row], " | ".join(text[:200] for text in texts if text)


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
