"""The agent that makes the plan: the prompt, the form of this table, three tries, and what is left after them."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from engine.agents.attempt import Attempts
from engine.agents.form import Beyond, QueryForm, Retype, SelectForm
from engine.agents.found import Found, gather, today
from engine.agents.ground import Ground
from engine.agents.strict import checked_form
from engine.agents.words import QuestionWords
from engine.errors import AlmanacError, DamageError, ModelError
from engine.language import language_of
from engine.message import Function, Message, ToolCall
from engine.plan.decide import Decision
from engine.prompt import as_data, messages_for
from engine.table import OpenTable
from engine.types import NoAnswerPlan

if TYPE_CHECKING:
    from engine.agents.planner import Work

log = logging.getLogger(__name__)
TRIES: Final = 3
TOOL: Final = "query_sql_table"
F = TypeVar("F", QueryForm, SelectForm)


def plan_query(work: Work, tables: Sequence[OpenTable], text: str, retypes: bool = True) -> Decision:
    """What a model makes of the question over these tables; the best that it came to where its tries are used up.

    retypes: whether it may have the table made again with other types first.
    Raises ModelError where it cannot be asked, and PlanError where nothing of the tables may be sent to it.
    """
    parts = work.planner.parts
    language = language_of(text)
    words = QuestionWords(text, language, tables[0], work.now)
    found = gather(words, tables[0], work.embedder, work.now, parts) if len(tables) == 1 else Found(today=today(tables, work.now))
    messages = messages_for(tables, text, work.planner.histories, found, parts)
    ground = Ground(words, language, tables, work.embedder, found.matches)
    may_retype = retypes and work.planner.retype is not None
    attempts = Attempts(ground, strict=parts.checks, seconds=work.spend.seconds_left, retypes=may_retype)
    tries = TRIES if parts.checks else 1
    try:
        beyond: Beyond | None = None
        if len(tables) == 1:
            said = work.ask(messages, _form(QueryForm, tables, attempts), tries=tries).action
            if isinstance(said, Retype) and attempts.retypes:
                return plan_query(work, [_retyped(work, tables[0], said)], text, retypes=False)
            beyond = said if isinstance(said, Beyond) else None
        if beyond or len(tables) > 1:
            messages += _beyond(beyond) if beyond else []
            work.ask(messages, _form(SelectForm, tables, attempts), tries=tries)
    except ModelError as error:
        if attempts.best is not None:
            return attempts.best
        if not attempts.said:
            raise
        tried = tuple(dict.fromkeys(attempts.said))
        return Decision(NoAnswerPlan(reason="plan_failed"), tables[0], reasons=(str(error), *tried), planner="model")
    assert attempts.good is not None, "what was not refused was taken"
    return attempts.good


def _retyped(work: Work, table: OpenTable, said: Retype) -> OpenTable:
    """The table with the types that a model wants, or as it is where it cannot have them."""
    assert work.planner.retype is not None
    try:
        return work.planner.retype(table, {column.name: column.type for column in said.columns})
    except DamageError:
        raise
    except AlmanacError as error:
        log.warning("a table keeps its types", extra={"table": table.name, "reason": str(error)})
        return table


def _beyond(action: Beyond) -> list[Message]:
    """What was said, and that a SELECT is wanted."""
    call = ToolCall(id="call_beyond", function=Function(name=TOOL, arguments=as_data({"action": action.model_dump(mode="json")})))
    return [
        Message(role="assistant", content="Rows and figures cannot say it.", tool_calls=(call,)),
        Message(role="tool", tool_call_id=call.id, content="Say it as one SELECT of SQLite over the same names; quote them."),
    ]


def _form(base: type[F], tables: Sequence[OpenTable], attempts: Attempts) -> type[F]:
    """The form of one question: with the names of these tables, and the checks as its validator."""
    columns = list(dict.fromkeys(column.name for table in tables for column in table.facts.sent))
    return checked_form(base, TOOL, {"columns": columns}, lambda form: attempts.take(form.action))
