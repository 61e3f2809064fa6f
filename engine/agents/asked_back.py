"""A question back that a model wants to ask: two to five meanings of the same words, each another answer."""

from __future__ import annotations

from collections.abc import Sequence

from engine.agents.form import AskBack
from engine.agents.ground import Ground
from engine.agents.plan_of import clauses
from engine.agents.receipt import receipt
from engine.agents.unplaced import are_few, used_by_nothing
from engine.check import check
from engine.errors import PlanError
from engine.execute import count_rows
from engine.fold import fold
from engine.plan.decide import Decision
from engine.types import ClarifyPlan, Comparison, Reading, TablePlan


def ambiguous(action: AskBack, rest: Sequence[Comparison], meanings: Sequence[Comparison], ground: Ground) -> tuple[str, list[str]]:
    """The words that the meanings are of, and those of the question that nothing stands for; raises PlanError."""
    words = ground.words
    phrase = words.phrase(words.places(action.meanings[0].words))
    places = words.places(phrase)
    if not phrase or not all(words.places(one.words) & places for one in action.meanings):
        raise PlanError("The words of the meanings are copied from the question, and are the same words for all of them.")
    used = places.union(*(words.places(one.words) for one in (*action.conditions, *action.meanings)))
    lost = words.lost(used, {test.column for test in (*rest, *meanings)})
    if lost and not are_few(lost, ground):
        raise PlanError(used_by_nothing(lost, " Every meaning needs their conditions."))
    return phrase, lost


def plain(phrase: str, meanings: Sequence[Comparison], ground: Ground) -> int | None:
    """Which of the meanings the words have word for word, where one alone has them."""
    exact = {(column, fold(term)) for _, column, term in ground.words.exact(ground.words.places(phrase))}
    found = [at for at, test in enumerate(meanings) if any((test.column, fold(str(value))) in exact for value in test.values)]
    return found[0] if len(found) == 1 else None


def asked_back(
    action: AskBack, rest: Sequence[Comparison], meanings: Sequence[Comparison], phrase: str, lost: Sequence[str], ground: Ground
) -> Decision:
    """The clarification, with how many rows each meaning gives; raises PlanError where only one gives any."""
    readings = []
    for test in meanings:
        plan = TablePlan(table=ground.table.name, where=(*clauses(rest, action.match == "any"), *clauses([test], False)))
        check(plan, ground.table.facts)
        label = f"{test.column} = {' / '.join(map(str, test.values))}"
        readings.append(Reading(label=label, question=ground.text, plan=plan, rows=count_rows(plan, ground.table)))
    offered = tuple(reading for reading in readings if reading.rows)
    if len({reading.plan for reading in offered}) < 2:
        raise PlanError("Only one of the meanings has rows; use rows or figures with that one.")
    clarification = ClarifyPlan(reason="ambiguous", phrase=phrase, readings=offered)
    return Decision(clarification, ground.table, unused=tuple(lost), receipt=receipt(action.conditions, rest, ground))
