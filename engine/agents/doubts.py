"""What a question does not bear out in a plan that fits its table: a limit, a choice or a denial that nobody asked for or that is left out, no rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from engine.agents.form import Condition, Figures, Rows
from engine.agents.ground import Ground
from engine.agents.words import QuestionWords
from engine.execute import count_rows
from engine.fold import fold, words_of
from engine.table import OpenTable
from engine.types import Comparison, ResultTable, TablePlan

_DENYING: Final = frozenset({"is_not", "has_none", "not_contains", "blank", "closed", "less", "at_most"})


def doubts_of(action: Rows | Figures, tests: Sequence[Comparison], words: QuestionWords) -> Iterator[str]:
    """Sentences that a model is told once: where it says the same again, the plan stands, less sure."""
    yield from _limit(action, words)
    yield from _either(action, tests, words)
    yield from _denial(action, tests, words)
    yield from _several(action, tests, words)


def _several(action: Rows | Figures, tests: Sequence[Comparison], words: QuestionWords) -> Iterator[str]:
    """A phrase without "or" became several values."""
    for test, made in zip(action.conditions, tests, strict=True):
        if len(made.values) > 1 and not words.joined(words.places(test.words)):
            yield (
                f'"{test.words}" is one thing and became {len(made.values)} values of "{made.column}"; choose the one that it means, '
                "or say the same again if it is right."
            )


def _limit(action: Rows | Figures, words: QuestionWords) -> Iterator[str]:
    wanted = action.limit
    if wanted is None or (isinstance(action, Figures) and not action.group_by):
        return
    if not words.number(wanted) and not (action.sort if wanted == 1 else words.says("top")):
        yield f"The question does not ask for {wanted} of them only; limit is null where all that match are asked for."


def _either(action: Rows | Figures, tests: Sequence[Comparison], words: QuestionWords) -> Iterator[str]:
    """Any of several conditions is enough only where "or" stands between them, or the same words are looked for in several columns."""
    if action.match != "any" or len({test.column for test in tests}) < 2:
        return
    spots = sorted({tuple(sorted(words.places(test.words))) for test in action.conditions} - {()})
    for before, after in pairwise(spots):
        if not words.says("or", range(before[-1] + 1, after[0])):
            yield (
                f'No "or" stands between "{words.phrase(before)}" and "{words.phrase(after)}": where both must hold, match is "all"; '
                "several values of one column are one condition."
            )
            return


def _denial(action: Rows | Figures, tests: Sequence[Comparison], words: QuestionWords) -> Iterator[str]:
    denied = [place for place in words.spots("negation") if not _named(words, place, action.conditions)]
    if not denied or any(test.op in _DENYING or test.values == ("no",) for test in tests):
        return
    if isinstance(action, Figures) and any(limit.op in _DENYING for limit in action.having):
        return
    yield f'The question says "{words.phrase(denied)}", and nothing of the query does; use is_not, has_none or blank where it denies something.'


def _named(words: QuestionWords, place: int, conditions: Sequence[Condition]) -> bool:
    """Whether a word is part of a value: of the film "Do Not Enter"."""
    said = {one.folded for one in words_of(words.phrase([place]))}
    return any(said <= {one.folded for one in words_of(str(value))} for test in conditions for value in test.values)


def overlooked(conditions: Sequence[Condition], tests: Sequence[Comparison], ground: Ground) -> Iterator[str]:
    """A term that stands word for word in the question and became something else."""
    meant = {(test.column, fold(str(value))) for test in tests for value in test.values}
    sent = {column.name for column in ground.table.facts.sent}
    for condition in conditions:
        values = " ".join(fold(str(value)) for value in condition.values)
        exact = ground.words.exact(ground.words.places(condition.words))
        if fold(condition.words) in values or any((column, fold(term)) in meant for _, column, term in exact):
            continue
        if told := [one for one in exact if one[1] in sent]:
            phrase, column, term = told[0]
            yield f'"{phrase}" is the value "{term}" of "{column}"; a condition takes the column that has the value.'


def nothing_found(plan: TablePlan, result: ResultTable, table: OpenTable) -> Iterator[str]:
    """That no row meets all conditions, and without which one some would; it may be right and mostly is not."""
    if result.total or not plan.where:
        return
    without = [plan.model_copy(update={"where": tuple(one for one in plan.where if one is not clause)}) for clause in plan.where]
    counts = [(count_rows(rest, table), clause.any_of[0].column) for rest, clause in zip(without, plan.where, strict=True)]
    rows, column = max(counts)
    hint = f' Without the one on "{column}" there are {rows}.' if rows and len(plan.where) > 1 else ""
    yield f"No row meets all of these conditions.{hint} Change that, or say the same again if it is right."
