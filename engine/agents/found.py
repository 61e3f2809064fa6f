"""What is found for a question before a model plans it: terms by phrase, the most similar rows, rows that do not match, the nearest worked examples."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from zlib import crc32

from engine.agents.form import Action, Condition, Figure, Figures, Limit, Order, Rows
from engine.agents.parts import Parts
from engine.agents.words import QuestionWords
from engine.build.facts import ColumnFacts
from engine.check import named_columns
from engine.embed_discreet import discreet
from engine.embedder import Embedder
from engine.history import shown_cell
from engine.language import language_of
from engine.plan.examples import phrases_of
from engine.retrieve import nearest_examples, retrieve
from engine.table import Example, OpenTable
from engine.types import Match, Sort

DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
SIMILAR: Final = 5
NON_MATCHES: Final = 3
EXAMPLES: Final = 2
MOST_PHRASES: Final = 10
MOST_MEANINGS: Final = 4
_MOST_CELLS: Final = 7
_LETTERS: Final = 20
_POOR: Final = 0.45  # matches below this are shown only where a phrase has none better
_CLOSE: Final = 0.25  # of the best of a phrase


@dataclass(frozen=True, slots=True)
class Found:
    """For one question over one table; matches are the best first, and of columns that may be sent only."""

    matches: tuple[Match, ...] = ()
    named: Mapping[str, str] = field(default_factory=dict)  # for a phrase the column that it names
    narrower: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # for a column those that it determines
    columns: tuple[str, ...] = ()  # of the rows
    rows: tuple[tuple[Any, ...], ...] = ()
    non_matches: tuple[tuple[Any, ...], ...] = ()
    examples: tuple[tuple[str, Action, str], ...] = ()  # question, what is right, why
    today: str = ""  # where a column holds times

    def to_json(self) -> dict[str, Any]:
        """As a model reads it; what was not found is not there."""
        said: dict[str, Any] = {"today": self.today} if self.today else {}
        if self.named:
            said["columns_named"] = self.named
        if phrases := _by_phrase(self.matches, self.narrower):
            said["terms"] = phrases
        if self.rows or self.non_matches:
            rows = {"columns": self.columns, "similar": self.rows, "not_matching": self.non_matches}
            said["rows"] = {name: part for name, part in rows.items() if part}
        if self.examples:
            said["worked_examples"] = [_example(*example) for example in self.examples]
        return said


def gather(words: QuestionWords, table: OpenTable, embedder: Embedder, now: datetime, parts: Parts) -> Found:
    """What is worth showing a model that plans the question of these words, of what may be sent to it."""
    text, sent = words.text, {column.name for column in table.facts.sent}
    matches = [match for match in retrieve(text, language_of(text), table, embedder, now) if match.term.column in sent]
    return Found(
        matches=tuple(matches) if parts.terms else (),
        named=words.columns() if parts.terms else {},
        narrower={column.name: column.determines for column in table.facts.columns},
        columns=tuple(column.name for column in _telling(table)),
        rows=tuple(_similar(text, table, embedder)) if parts.rows else (),
        non_matches=tuple(_non_matches(text, table, matches)) if parts.negatives else (),
        examples=tuple(_examples(text, table, embedder, now, sent)) if parts.examples else (),
        today="" if parts.head else today([table], now),
    )


def today(tables: Sequence[OpenTable], now: datetime) -> str:
    """The asker's day, as in "Mon 2026-11-30", where these tables hold times that may be sent; a model knows no other than that of its training."""
    timed = any(column.temporal or column.hours for table in tables for column in table.facts.sent)
    return f"{DAYS[now.weekday()]} {now.date().isoformat()}" if timed else ""


def _by_phrase(matches: Sequence[Match], narrower: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """For each phrase what it may mean, the best first; of phrases within another that is matched as well, nothing."""
    found: dict[str, list[Match]] = {}
    for match in matches:
        meanings = found.setdefault(match.phrase, [])
        if len(meanings) < MOST_MEANINGS and (not meanings or match.score >= max(_POOR, meanings[0].score - _CLOSE)):
            meanings.append(match)
    best = sorted(found.items(), key=lambda item: -item[1][0].score)
    kept: list[tuple[str, list[Match]]] = []
    for phrase, meanings in best:
        within = [other for other, others in kept if phrase in other and others[0].score >= meanings[0].score]
        if not within and (meanings[0].score >= _POOR or not kept):
            kept.append((phrase, meanings))
    return {
        phrase: [f"{match.term.column} = {match.term.text[:60]}" for match in _narrowest_first(meanings, narrower)]
        for phrase, meanings in kept[:MOST_PHRASES]
    }


def _narrowest_first(meanings: Sequence[Match], narrower: Mapping[str, Sequence[str]]) -> list[Match]:
    """A city before the district of the same name that it lies in; else the best first."""
    columns = {match.term.column for match in meanings}
    wide = {wider for column in columns for wider in narrower.get(column, ()) if wider in columns}
    return sorted(meanings, key=lambda match: match.term.column in wide)


def _similar(text: str, table: OpenTable, embedder: Embedder) -> list[tuple[Any, ...]]:
    from engine.lance import near_rows  # seconds to import

    vector = discreet(embedder, table).embed([text])[0]
    return _cells(table, near_rows(table.index, vector, SIMILAR))


def _non_matches(text: str, table: OpenTable, matches: Sequence[Match]) -> list[tuple[Any, ...]]:
    """Rows drawn at random, with a seed from the question, that hold none of the terms that its phrases most probably mean."""
    wanted: dict[str, set[str]] = {}
    for match in matches[:6]:
        wanted.setdefault(match.term.column, set()).add(match.term.text.casefold())
    drawing = random.Random(crc32(text.encode("utf-8", "replace")))
    base = table.connection()
    low, high = base.execute("SELECT min(row_id), max(row_id) FROM rows").fetchone()
    if low is None:
        return []
    spots = [drawing.randint(low, high) for _ in range(4 * NON_MATCHES)]
    drawn = [base.execute("SELECT row_id FROM rows WHERE row_id >= ? ORDER BY row_id LIMIT 1", [spot]).fetchone()[0] for spot in spots]
    rows = _cells(table, list(dict.fromkeys(drawn)))
    shown = [wanted.get(column.name, set()) for column in _telling(table)]
    return [row for row in rows if not any(str(cell).casefold() in terms for cell, terms in zip(row, shown, strict=True))][:NON_MATCHES]


def _cells(table: OpenTable, numbers: Sequence[int]) -> list[tuple[Any, ...]]:
    """Rows as a model sees them: the columns that tell most, cells cut short."""
    shown = _telling(table)
    if not numbers or not shown:
        return []
    cells = ", ".join(f"c{column.position}" for column in shown)
    places = ", ".join("?" * len(numbers))
    found = table.connection().execute(f"SELECT row_id, {cells} FROM rows WHERE row_id IN ({places})", list(numbers)).fetchall()
    by_number = {number: row for number, *row in found}
    return [tuple(shown_cell(cell, _LETTERS) for cell in by_number[number]) for number in numbers if number in by_number]


def _telling(table: OpenTable) -> list[ColumnFacts]:
    keys = table.facts.keys

    def place(column: ColumnFacts) -> tuple[bool, bool, int]:
        return column.kind not in ("category", "name", "value"), column.name not in keys, column.position

    return sorted(sorted(table.facts.sent, key=place)[:_MOST_CELLS], key=lambda column: column.position)


def _example(question: str, action: Action, why: str) -> dict[str, Any]:
    said = {"question": question, "right": {"action": action.model_dump(mode="json")}}
    return said | ({"why": why} if why else {})


def _examples(text: str, table: OpenTable, embedder: Embedder, now: datetime, sent: set[str]) -> list[tuple[str, Action, str]]:
    found = nearest_examples(text, table, embedder, EXAMPLES + 2)
    fits = [example for example in found if sent.issuperset(named_columns(example.plan))][:EXAMPLES]
    return [(example.question, _action(example, table, embedder, now), example.explanation) for example in fits]


def _action(example: Example, table: OpenTable, embedder: Embedder, now: datetime) -> Action:
    """The plan of an example as a model would have said it."""
    plan = example.plan
    words = phrases_of(example.question, table, embedder, now)
    either = len(plan.where) == 1 and len(plan.where[0].any_of) > 1
    tests = tuple(
        Condition(
            words=words.get(test.column, ", ".join(map(str, test.values))),
            column=test.column,
            op=test.op,
            values=tuple(value for value in test.values if value is not None),
        )
        for clause in plan.where
        for test in clause.any_of
    )
    match: Any = "any" if either else "all"
    sort = tuple(_order(one) for one in plan.sort)
    if not plan.measures and not plan.group_by:
        return Rows(conditions=tests, match=match, columns=plan.select, distinct=plan.distinct, sort=sort, limit=plan.limit)
    return Figures(
        conditions=tests,
        match=match,
        figures=tuple(Figure(function=measure.function, column=measure.column) for measure in plan.measures),
        group_by=plan.group_by,
        having=tuple(Limit(function=h.measure.function, column=h.measure.column, op=h.op, value=h.value) for h in plan.having),
        sort=sort,
        limit=plan.limit,
    )


def _order(sort: Sort) -> Order:
    if isinstance(sort.by, str):
        return Order(by="value", column=sort.by, descending=sort.descending)
    return Order(by=sort.by.function, column=sort.by.column, descending=sort.descending)
