"""A query that a model wrote as SQL: checked, its literals held to the tables' terms, run, and what of the question it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from engine.agents.decided import EMPTY, REPAIRED, at_most, not_told, planned
from engine.agents.form import Condition, Select
from engine.agents.ground import Ground
from engine.agents.unplaced import MUCH, used_by_nothing
from engine.errors import PlanError
from engine.fold import fold, words_of
from engine.plan.decide import Decision
from engine.select.check import CheckedSelect, check_select
from engine.select.execute import execute_select
from engine.select.folding import SelectLiteral
from engine.table import OpenTable
from engine.types import Binding, Operator, SqlPlan

_UNSAID: Final = "…"  # in the place of words of the question, where nothing tells which they were


def selected(action: Select, ground: Ground, seconds: float, repaired: bool) -> tuple[Decision, list[str]]:
    """What the query decides, and sentences that the model is told; raises PlanError, and ExecutionError where it fails or takes longer."""
    checked = check_select(action.sql, ground.tables, sent=True)
    terms = _terms(checked, ground)
    execute_select(checked, ground.tables, seconds)
    if told := ground.spoken(one.words for one in action.unused if one.why == "not_in_table"):
        return not_told(told, ground.table), []
    lines, used, unsaid = list[Binding](), set[int](), False
    for literal, term in terms:
        places = ground.words.places(literal.text) or _meant(literal.column, term, ground)
        used |= places
        unsaid = unsaid or not places
        if literal.denied is not None:
            op: Operator = "is_not" if literal.denied else "is"
            lines.append(Binding(phrase=ground.words.phrase(places) or _UNSAID, column=literal.column, op=op, terms=(term,)))
    table = next(iter(checked.tables.values()), ground.table)
    decided = planned(SqlPlan(sql=action.sql), table, tuple(lines), repaired=repaired)
    left, doubts = _left_by(action, used, {column for _, column in checked.reads}, ground)
    if unsaid:  # a term that no word is known to mean may well be what the words without a place mean
        left = []
    if unsaid or left:
        decided = at_most(decided, EMPTY if left else REPAIRED)
    return replace(decided, unused=tuple(left)), doubts


def _terms(checked: CheckedSelect, ground: Ground) -> list[tuple[SelectLiteral, str]]:
    """The whole literals of the query with the terms that they are; raises PlanError with a line for each that is none."""
    by_name: dict[str, OpenTable] = {table.name: table for table in ground.tables}
    made, wrong = [], []
    for literal in checked.literals:
        if literal.table not in by_name or not literal.whole:
            continue
        condition = Condition(words=literal.text, column=literal.column, op="is", values=(literal.text,))
        try:
            term = str(ground.literals(by_name[literal.table]).comparison(condition).values[0])
        except PlanError as error:
            wrong.append(str(error))
            continue
        if fold(term) != fold(literal.text):
            wrong.append(f'"{literal.text}" is no value of "{literal.column}"; "{term}" is.')
        made.append((literal, term))
    if wrong:
        raise PlanError("\n".join(wrong))
    return made


def _meant(column: str, term: str, ground: Ground) -> frozenset[int]:
    """Where the phrase stands that a term was found for, the likeliest."""
    found = [match for match in ground.found(column, {term}) if match.score >= REPAIRED]
    return ground.words.places(max(found, key=lambda match: match.score).phrase) if found else frozenset()


def _left_by(action: Select, used: set[int], columns: set[str], ground: Ground) -> tuple[Sequence[str], list[str]]:
    """The words that a query leaves without a place, where they are many; and a sentence about names and figures among them."""
    words = ground.words
    used = used.union(*(words.places(word.text) for word in words_of(action.sql)))
    passed = frozenset().union(*(words.places(one.words) for one in action.unused))
    passed = frozenset(place for place in passed if not words.names([place]))
    lost = words.lost(used, columns)
    named = [word for word in words.lost(used | passed, columns) if words.names(words.places(word))]
    if named:
        return lost, [used_by_nothing(named, " Use them, or list them under unused as not_in_table.")]
    return (lost if len(lost) > max(1, MUCH * words.needing) else []), []
