"""Plans that a model made up, or was talked into by a text in a cell: refused before anything runs."""

from __future__ import annotations

import json

import pytest

from engine.check import check
from engine.errors import PlanError
from engine.select.check import check_select
from engine.types import TablePlan
from tests.engine.conftest import Opened
from tests.engine.samples import FILMS
from tests.model.asked import Asked
from tests.model.failures import CELL, ORDERED_SQL, UNTRUE
from tests.model.recordings import FOLDER, recorded
from tests.model.replies import Said


def plan_of(said: Said) -> TablePlan:
    """The plan that a reply is."""
    return TablePlan.model_validate_json(said.text or "")


@pytest.mark.parametrize("said", UNTRUE.values(), ids=UNTRUE)
def test_a_plan_of_what_is_not_there_is_refused(opened: Opened, said: Said) -> None:
    (films,) = opened(FILMS + f"{CELL},Lena Fors,Drama,Sweden,1999-01-01,90,$1\n", "films.csv").tables
    with pytest.raises(PlanError):
        check(plan_of(said), films.facts)


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

    def plan(question: str) -> TablePlan:
        said = script(Asked("", {}, {"messages": [{"role": "user", "content": question}]}))
        assert isinstance(said, Said)
        return plan_of(said)

    for question in ("which dramas are there?", "the longest thriller from Sweden"):
        made = plan(question)
        check(made, films.facts)
        assert (made.table, made.select) == ("films", ("title",))
    with pytest.raises(PlanError, match=r"count\(\*\)"):
        check(plan("how many films of each country?"), films.facts)
