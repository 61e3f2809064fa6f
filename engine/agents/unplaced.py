"""The words of a question that a plan of rows or figures leaves without a place, and what a model is told of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from engine.agents.decided import SURE
from engine.agents.form import Figures, Rows
from engine.agents.ground import Ground
from engine.settings import printable
from engine.types import Comparison, Match

MUCH: Final = 0.5  # share of a question's content words that a model may say to say nothing without being asked again
_FEW: Final = 0.34  # share of them that a plan may leave without a place where none is better
_HINTS: Final = 3


class Unplaced(NamedTuple):
    """lost: words without a place; quiet: those that are said to say nothing; doubts: sentences that a model is told."""

    lost: list[str]
    quiet: list[str]
    doubts: list[str]


def unplaced(action: Rows | Figures, tests: Sequence[Comparison], columns: set[str], ground: Ground) -> Unplaced:
    """What the plan leaves, and the conditions that nobody asked for; columns are those that it names."""
    words, doubts, used = ground.words, list[str](), set[int]()
    for condition, test in zip(action.conditions, tests, strict=True):
        places = words.places(condition.words)
        used |= places | _found_at(test, places, ground)
        if not places or words.hollow(places):
            doubts.append(
                f'"{condition.words}" does not stand in the question: words are copied from it, and a condition that nobody asked for is left out.'
            )
    if action.limit is not None:
        used |= words.number(action.limit)
    without = set(words.lost(used, columns))
    for one in action.unused:
        places = words.places(one.words)
        if one.why == "says_nothing" and words.names(places):
            doubts.append(f'"{one.words}" is a name or a figure, which says something: use it, or say that it is not_in_table.')
        else:
            used |= places
    lost = words.lost(used, columns)
    if lost:
        hints = "".join(_meanings(lost, ground.matches, ground))
        doubts.append(used_by_nothing(lost, f"{hints} Use them, or list them under unused and say why."))
    return Unplaced(lost, sorted(without - set(lost), key=ground.text.find), doubts)


def used_by_nothing(lost: Sequence[str], then: str) -> str:
    """The sentence that names words without a place, and what is to be done."""
    return f"These words of the question are used by nothing: {_listed(lost)}.{then}"


def are_few(lost: Sequence[str], ground: Ground) -> bool:
    """Whether a plan that leaves these words is better than none: few of the question's, and no name or figure."""
    places = frozenset().union(*map(ground.words.places, lost))
    return not ground.words.names(places) and len(lost) <= max(1, _FEW * ground.words.needing)


def passed_over(quiet: Sequence[str], ground: Ground) -> list[str]:
    """A doubt where words are said to say nothing that terms were found for, or that are much of the question."""
    places = frozenset().union(*map(ground.words.places, quiet))
    sure = [match for match in ground.matches if match.score >= SURE and ground.words.places(match.phrase) <= places]
    hints = "".join(_meanings(quiet, sure, ground))
    if not hints and len(quiet) <= max(1, MUCH * ground.words.needing):
        return []
    return [f"{_listed(quiet)} may say something.{hints} Use it, or say the same again if it is right."]


def _listed(words: Sequence[str]) -> str:
    return ", ".join(f'"{printable(word, 60)}"' for word in words)


def _meanings(lost: Sequence[str], matches: Sequence[Match], ground: Ground) -> Iterator[str]:
    """What was found for phrases that hold words without a place, the best for each phrase."""
    without, told = frozenset().union(*map(ground.words.places, lost)), set[str]()
    for match in matches:
        if match.phrase not in told and len(told) < _HINTS and ground.words.places(match.phrase) & without:
            told.add(match.phrase)
            yield f' "{match.phrase}" may be {match.term.column} = "{match.term.text}".'


def _found_at(test: Comparison, places: frozenset[int], ground: Ground) -> frozenset[int]:
    """Where the phrases stand that the terms of a test were found for, of those that its words touch: "Le Zion" belongs to "Rishon"."""
    found = [ground.words.places(match.phrase) for match in ground.found(test.column, {str(value) for value in test.values})]
    return frozenset().union(*(phrase for phrase in found if phrase & places))
