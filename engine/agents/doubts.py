"""What a question does not bear out in a plan that fits its table: a limit, a choice or a denial that nobody asked for, or that is left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from engine.agents.form import Condition, Figures, Rows
from engine.agents.words import QuestionWords
from engine.fold import words_of
from engine.types import Comparison

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
