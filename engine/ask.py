"""The flow in one screen: a question in a thread becomes a reply."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Sequence
from datetime import datetime

from engine.answer import answer, clarify, no_answer
from engine.check import check
from engine.embedder import Embedder
from engine.errors import ExecutionError, PlanError
from engine.execute import execute
from engine.language import language as language_named
from engine.language import language_of
from engine.plan.decide import decide
from engine.remember import Asked, Memory
from engine.rephrase import rephrase
from engine.table import OpenTable
from engine.types import ChatThread, ClarifyPlan, NoAnswerPlan, Reply, Scope

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
) -> Reply:
    """Every row that answers the question, with its receipt; or a clarification, or why the tables do not tell.

    The tables are those that were opened for the scope: what it does not show is not in their files, and one of another scope is not looked at.
    memory: where the plan of a question that was asked before is found; it is run again.
    """
    known = {"question_id": secrets.token_hex(4), "platform": thread.platform, "turns": len(thread.turns)}
    start = time.perf_counter()
    visible = [table for table in tables if scope.slice_of(table.entry) == table.part]
    question = rephrase(text, thread, visible, embedder, now)
    language = language_named(question.language)
    asked = Asked(question, visible, scope, embedder, now, thread.chosen)
    recalled = memory.recall(asked) if memory else None
    decision = recalled or decide(question.text, language_of(question.text), visible, embedder, now, thread.chosen)
    planned = {
        "kind": decision.plan.kind,
        "language": question.language,
        "carried": len(question.carried),
        "recalled": recalled is not None,
    }
    log.info("planned", extra=known | planned)
    if isinstance(decision.plan, NoAnswerPlan):
        return Reply(parts=(no_answer(question, decision, language),))
    if isinstance(decision.plan, ClarifyPlan):
        return Reply(parts=(clarify(question, decision, language),))
    assert decision.table is not None
    try:
        check(decision.plan, decision.table.facts)
        result, sql = execute(decision.plan, decision.table)
    except (PlanError, ExecutionError) as error:
        log.warning("plan refused", extra=known | {"reason": str(error)})
        return Reply(parts=(no_answer(question, decision, language),))
    told = {"table": decision.table.name, "version": decision.table.version, "rows": result.total, "confidence": decision.confidence}
    log.info("answered", extra=known | told | {"seconds": round(time.perf_counter() - start, 4)})
    made = answer(question, decision, result, sql, language)
    if memory and not recalled:
        memory.keep(asked, decision, made.bindings)
    return Reply(parts=(made,))
