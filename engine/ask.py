"""The flow in one screen: a question in a thread becomes a reply."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from engine.answer import answer, clarify, failed, no_answer
from engine.embedder import Embedder
from engine.errors import ExecutionError, PlanError
from engine.language import language as language_named
from engine.language import language_of
from engine.plan.decide import Decision, decide
from engine.remember import Asked, Memory
from engine.rephrase import rephrase
from engine.run import run_plan
from engine.table import OpenTable
from engine.types import Answer, ChatThread, ClarifyPlan, NoAnswerPlan, Question, Reply, Scope, Spent

if TYPE_CHECKING:
    from engine.agents.planner import ModelPlanner, Work

log = logging.getLogger(__name__)


def ask(
    text: str,
    thread: ChatThread,
    scope: Scope,
    *,
    tables: Sequence[OpenTable],
    embedder: Embedder,
    now: datetime,
    memory: Memory | None = None,
    planner: ModelPlanner | None = None,
) -> Reply:
    """Every row that answers the question, with its receipt; or a clarification, or why the tables do not tell.

    The tables are those that were opened for the scope: what it does not show is not in their files, and one of another scope is not looked at.
    memory: where the plan of a question that was asked before is found; it is run again. planner: the model that plans what cannot be planned
    without one; what goes wrong with it is noted in the reply, unless it is to be alone: then ModelError is raised.
    """
    told = {"question_id": secrets.token_hex(4), "platform": thread.platform, "turns": len(thread.turns)}
    start = time.perf_counter()
    visible = [table for table in tables if scope.slice_of(table.entry) == table.part]
    question = rephrase(text, thread, visible, embedder, now)
    asked = Asked(question, visible, scope, embedder, now, thread.chosen, planner.name if planner else "")
    work = _work(planner, asked) if planner and visible else None
    decision = recalled = memory.recall(asked) if memory else None
    if decision is None:
        question, decision = _decided(asked, text, thread, work)
    spent = work.spend.spent if work else Spent()
    log.info(
        "planned",
        extra=told
        | {
            "kind": decision.plan.kind,
            "language": question.language,
            "carried": len(question.carried),
            "recalled": recalled is not None,
            "planner": decision.planner,
        }
        | ({"model": spent.model_dump()} if spent.calls else {}),
    )
    made = _answered(question, decision, visible, told, start)
    if memory and not recalled and question is asked.question and made.kind == "answer":
        memory.keep(asked, decision, made.bindings)
    return Reply(parts=(made.model_copy(update={"notes": decision.notes}),), planner=decision.planner, spent=spent)


def _work(planner: ModelPlanner, asked: Asked) -> Work:
    from engine.agents.planner import Work  # openai, which only a model needs
    from engine.spend import Spend

    return Work(planner, asked.tables, asked.embedder, asked.now, Spend(planner.budget), asked.chosen)


def _decided(asked: Asked, text: str, thread: ChatThread, work: Work | None) -> tuple[Question, Decision]:
    """The question and its plan, by whichever planner it goes to."""
    question = asked.question
    if work is None:
        return question, decide(question.text, language_of(question.text), asked.tables, asked.embedder, asked.now, asked.chosen)
    from engine.agents.auto import planned

    return planned(work, text, thread, question)


def _answered(question: Question, decision: Decision, tables: Sequence[OpenTable], told: dict[str, object], start: float) -> Answer:
    """What came of the decision: the rows of its plan, a question back, or why there is no answer."""
    language = language_named(question.language)
    if isinstance(decision.plan, ClarifyPlan):
        return clarify(question, decision, language)
    if isinstance(decision.plan, NoAnswerPlan):
        return failed(question, decision, language) if decision.plan.reason == "plan_failed" else no_answer(question, decision, language)
    try:
        # a table that a model had made again with other types is not the one that was opened before
        result, sql, table = run_plan(decision.plan, [_same(table, decision.table) for table in tables])
    except (PlanError, ExecutionError) as error:
        log.warning("plan refused", extra=told | {"reason": str(error)})
        return no_answer(question, decision, language)
    found = {"table": table.name, "version": table.version, "rows": result.total, "confidence": decision.confidence}
    log.info("answered", extra=told | found | {"seconds": round(time.perf_counter() - start, 4)})
    return answer(question, replace(decision, table=table), result, sql, language)


def _same(table: OpenTable, decided: OpenTable | None) -> OpenTable:
    return decided if decided is not None and decided.source_key == table.source_key and decided.name == table.name else table
