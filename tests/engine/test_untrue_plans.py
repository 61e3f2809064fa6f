"""Plans that a model made up, or was talked into by a text in a cell: of the right form, and refused before anything runs."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("instructor", reason='the extra "model" is not installed')

from engine.check import check
from engine.errors import PlanError
from engine.message import Message
from engine.model import ModelEndpoint, plan_from
from engine.select.check import check_select
from engine.types import TablePlan
from tests.engine.conftest import Opened
from tests.engine.samples import FILMS
from tests.model.failures import CELL, ORDERED_SQL, UNTRUE
from tests.model.recordings import FOLDER, recorded
from tests.model.replies import Reply, Said, Script
from tests.model.standin import KEY, serving


def planned(question: str, replies: Reply | Script) -> TablePlan:
    """The plan that comes of a question and what a model says to it."""
    messages = [Message(role="system", content="Plan."), Message(role="user", content=question)]
    with serving(replies) as standing:
        return plan_from(messages, ModelEndpoint("small", standing.address, KEY))


@pytest.mark.parametrize("said", UNTRUE.values(), ids=UNTRUE)
def test_a_plan_of_what_is_not_there_is_refused(opened: Opened, said: Said) -> None:
    (films,) = opened(FILMS + f"{CELL},Lena Fors,Drama,Sweden,1999-01-01,90,$1\n", "films.csv").tables
    plan = planned("which films are there?", said)
    with pytest.raises(PlanError):
        check(plan, films.facts)


@pytest.mark.parametrize("said", ORDERED_SQL.values(), ids=ORDERED_SQL)
def test_sql_that_was_ordered_is_refused(opened: Opened, said: Said) -> None:
    films = opened(FILMS, "films.csv")
    with pytest.raises(PlanError):
        check_select(json.loads(said.text or "")["sql"], films.tables)
    assert films("how many films are there?").result is not None, "the table is still there"


def test_what_a_small_model_really_said(opened: Opened) -> None:
    """Two plans of three may run; the third has a count as a column."""
    (films,) = opened(FILMS, "films.csv").tables
    script = recorded(FOLDER / "films.jsonl")
    for question in ("which dramas are there?", "the longest thriller from Sweden"):
        plan = planned(question, script)
        check(plan, films.facts)
        assert (plan.table, plan.select) == ("films", ("title",))
    with pytest.raises(PlanError, match=r"count\(\*\)"):
        check(planned("how many films of each country?", script), films.facts)
