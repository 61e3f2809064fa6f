"""Which planner a question goes to: a model gets what the offline planner does not cover, and what it cannot do goes back."""

from __future__ import annotations

import logging
from dataclasses import replace

from engine.agents.decided import REPAIRED
from engine.agents.planner import Work, plan_with_model
from engine.agents.rephrase import rephrase_with_model
from engine.errors import ModelError, PlanError
from engine.language import language as language_named
from engine.language import language_of
from engine.plan.decide import Decision, decide
from engine.types import ChatThread, ClarifyPlan, NoAnswerPlan, Question, SqlPlan, TablePlan

MOST_TURNS = 8  # of the asker's own, the latest, that a model sees
_SETTLED = frozenset({"empty_question", "not_a_question"})
log = logging.getLogger(__name__)


def planned(work: Work, text: str, thread: ChatThread, question: Question) -> tuple[Question, Decision]:
    """The question and what was decided about it; question is what was made of the text without a model.

    Raises ModelError where the planner is to be alone and cannot be asked.
    """
    offline = _offline(work, question)
    auto = work.planner.kind == "auto"
    if _settled(offline) or (auto and covers(offline)):
        return question, offline
    earlier = [turn.text for turn in thread.turns if turn.who == "asker"][-MOST_TURNS:]
    try:
        if earlier and not covers(offline):
            question = rephrase_with_model(work, text, earlier)
            offline = _offline(work, question)
            if auto and covers(offline):
                return question, offline
        decision = plan_with_model(work, question.text)
    except ModelError as error:
        if work.planner.alone:
            raise
        log.warning("a model could not plan", extra={"reason": str(error)})
        note = language_named(question.language).sentences["without_model"]
        return question, replace(offline, notes=(note,), reasons=(*offline.reasons, str(error)))
    except PlanError as error:
        if work.planner.alone:
            raise
        return question, replace(offline, reasons=(*offline.reasons, str(error)))
    return question, decision if not auto or _better(decision, offline) else offline


def covers(decision: Decision) -> bool:
    """Whether the offline planner answered, or asked back what nobody but the asker can say."""
    return isinstance(decision.plan, (TablePlan, ClarifyPlan))


def _settled(decision: Decision) -> bool:
    return isinstance(decision.plan, NoAnswerPlan) and decision.plan.reason in _SETTLED


def _better(decision: Decision, offline: Decision) -> bool:
    """Whether a model's decision says more than that there is no answer: rows, with every word in its place."""
    if isinstance(decision.plan, (TablePlan, SqlPlan)):
        return decision.confidence >= REPAIRED
    return isinstance(decision.plan, ClarifyPlan) and not covers(offline)


def _offline(work: Work, question: Question) -> Decision:
    return decide(question.text, language_of(question.text), work.tables, work.embedder, work.now, work.chosen)
