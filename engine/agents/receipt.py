"""The receipt of a model's plan: which words of the question became which condition, and what else they may mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.agents.form import Condition
from engine.agents.ground import Ground
from engine.fold import fold
from engine.types import Binding, Candidate, Comparison, How


def receipt(conditions: Sequence[Condition], tests: Sequence[Comparison], ground: Ground) -> tuple[Binding, ...]:
    """A line for each condition, as it was said and as it is tested."""
    return tuple(_line(condition, test, ground) for condition, test in zip(conditions, tests, strict=True))


def _line(condition: Condition, test: Comparison, ground: Ground) -> Binding:
    phrase = ground.words.phrase(ground.words.places(condition.words)) or condition.words
    others = tuple(_others(condition, test, ground))
    return Binding(phrase=phrase, column=test.column, op=test.op, terms=test.values, how=_how(phrase, test, ground), candidates=others)


def _how(phrase: str, test: Comparison, ground: Ground) -> How:
    folded = fold(phrase)
    if any(fold(str(value)) in folded for value in test.values):
        return "exact"
    found = ground.found(test.column, {str(value) for value in test.values})
    return max(found, key=lambda match: match.score).how if found else "meant"


def _others(condition: Condition, test: Comparison, ground: Ground) -> Iterator[Candidate]:
    words, taken = ground.words.places(condition.words), {(test.column, str(value)) for value in test.values}
    for match in ground.matches:
        mark = (match.term.column, match.term.text)
        if words & ground.words.places(match.phrase) and mark not in taken and len(taken) < 6:
            taken.add(mark)
            yield Candidate(column=match.term.column, term=match.term.text, rows=match.term.rows)
