"""The agent that makes the plan: the prompt, the form of this table, three tries, and what is left after them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from engine.agents.attempt import Attempts
from engine.agents.form import NotInTable, QueryForm, Select
from engine.agents.found import Found, gather
from engine.agents.strict import Form, checked_form
from engine.errors import ModelError, PlanError
from engine.language import language_of
from engine.plan.decide import Decision
from engine.prompt import messages_for
from engine.table import OpenTable
from engine.types import NoAnswerPlan

if TYPE_CHECKING:
    from engine.agents.planner import Work

TRIES: Final = 3
TOOL: Final = "query_sql_table"


class JoinForm(Form):
    """The base of `query_sql_table` over several tables, which only a SELECT can join."""

    action: Select | NotInTable


def plan_query(work: Work, tables: Sequence[OpenTable], text: str) -> Decision:
    """What a model makes of the question over these tables; the best that it came to where its tries are used up.

    Raises ModelError where it cannot be asked, and PlanError where nothing of the tables may be sent to it.
    """
    language = language_of(text)
    parts = work.planner.parts
    found = gather(text, tables[0], work.embedder, work.now, parts) if len(tables) == 1 else Found()
    messages = messages_for(tables, text, work.planner.histories, found, parts)
    attempts = Attempts(text, language, tables, work.embedder, work.now, found.matches, strict=parts.checks)
    try:
        work.ask(messages, _form(tables, attempts), tries=TRIES if parts.checks else 1)
    except ModelError as error:
        if attempts.best is not None:
            return attempts.best
        if not attempts.said:
            raise
        tried = tuple(dict.fromkeys(attempts.said))
        return Decision(NoAnswerPlan(reason="plan_failed", words=tried[-1:]), tables[0], reasons=(str(error), *tried), planner="model")
    if attempts.good is None:
        raise PlanError("The model decided nothing.")
    return attempts.good


def _form(tables: Sequence[OpenTable], attempts: Attempts) -> type[Form]:
    """The form of one question: with the names of these tables, and the checks as its validator."""
    columns = list(dict.fromkeys(column.name for table in tables for column in table.facts.columns if column.sent))
    base: type[QueryForm] | type[JoinForm] = QueryForm if len(tables) == 1 else JoinForm
    return checked_form(base, TOOL, {"columns": columns}, lambda form: attempts.take(form.action))
