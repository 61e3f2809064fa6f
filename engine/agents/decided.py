"""What a model's try comes to: how sure it is, and why it is not surer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from engine.plan.decide import Decision
from engine.table import OpenTable
from engine.types import Binding, NoAnswerPlan, SqlPlan, TablePlan

SURE: Final = 0.9
REPAIRED: Final = 0.75
EMPTY: Final = 0.6  # a plan that gives nothing may be right, and may be of the wrong terms
DOUBTFUL: Final = 0.4
LOOSE: Final = "the wording leaves room"
_UNFIT: Final = "its first plan did not fit"


def planned(
    plan: TablePlan | SqlPlan, table: OpenTable, receipt: tuple[Binding, ...], lost: Sequence[str] = (), repaired: bool = False
) -> Decision:
    """A plan that runs; lost are the words that it leaves without a place, repaired says that others were refused before it."""
    reasons = ["planned by a model", *([_UNFIT] if repaired else []), *(["not used: " + ", ".join(lost)] if lost else [])]
    confidence = DOUBTFUL if lost else REPAIRED if repaired else SURE
    return Decision(plan, table, unused=tuple(lost), reasons=tuple(reasons), confidence=confidence, receipt=receipt, planner="model")


def not_told(words: Sequence[str], table: OpenTable) -> Decision:
    """That the table does not tell what is asked, with the words that have no place."""
    reason = NoAnswerPlan(reason="words_without_a_place", words=tuple(words)) if words else NoAnswerPlan(reason="not_in_table")
    return Decision(reason, table, unused=tuple(words))


def at_most(decided: Decision, confidence: float, reason: str = LOOSE) -> Decision:
    """The same, no surer than this."""
    reasons = decided.reasons if reason in decided.reasons else (*decided.reasons, reason)
    return replace(decided, confidence=min(decided.confidence, confidence), reasons=reasons)


def second_best(decided: Decision) -> Decision:
    """A plan that was refused, where nothing better came after it."""
    return at_most(decided, DOUBTFUL, _UNFIT)
