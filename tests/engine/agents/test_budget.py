"""What a question may cost, and that it is told in the reply and in the log."""

from __future__ import annotations

import logging

import pytest

from engine.agents.choose import FindTable
from engine.agents.form import Select
from engine.budget import Budget
from engine.errors import ModelError, UsageError
from engine.settings import model_budget
from engine.spend import Spend
from tests.engine.agents.playing import World, chosen, rows, said
from tests.engine.agents.test_query import BEYOND, FEET, RIGHT, TARNBY, TWICE
from tests.model.replies import Said, Silent, endless_calls, too_many


def test_what_was_spent_is_told(asking: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "engine")
    came = asking(FEET, [rows(TARNBY), RIGHT], budget=Budget(price=(2.0, 8.0)))
    spent = came.reply.to_json()["model"]
    assert came.reply.to_json()["planner"] == "model"
    assert spent["calls"] == came.calls == 2
    assert spent["tokens_read"] == sum(asked.tokens for asked in came.endpoint.asked)
    assert spent["tokens_cached"] == came.endpoint.asked[1].cached > 0.6 * came.endpoint.asked[1].tokens
    assert spent["tokens_written"] > 0
    assert spent["cost"] == pytest.approx((2 * spent["tokens_read"] + 8 * spent["tokens_written"]) / 1e6, abs=1e-6)
    (line,) = [record for record in caplog.records if record.message == "planned"]
    assert line.model == spent and line.planner == "model"  # type: ignore[attr-defined]


def test_without_a_model_nothing_is_spent(asking: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "engine")
    told = asking("cardiologists in Norwick", []).reply.to_json()
    assert told["planner"] == "offline" and not any(told["model"].values())
    assert not any(hasattr(record, "model") for record in caplog.records)


def test_no_more_calls_than_a_question_may_take(asking: World) -> None:
    came = asking(FEET, rows(TARNBY), budget=Budget(calls=2), kind="model")
    assert came.calls == 2 and came.part.kind == "failure"
    came = asking(FEET, too_many(None), budget=Budget(calls=1))
    assert came.calls == 1 and came.part.notes


def test_no_more_tokens_than_a_question_may_take(asking: World) -> None:
    came = asking(FEET, rows(TARNBY), budget=Budget(tokens=100), kind="model")
    assert came.calls == 1, "what was read tells that there is nothing left for another"


def test_no_more_seconds_than_a_question_may_take(asking: World) -> None:
    came = asking(FEET, Silent(), budget=Budget(seconds=0.4))
    assert came.calls == 1 and came.part.notes and came.part.kind == "no_answer"
    with pytest.raises(ModelError, match="more of the model than one question may"):
        asking(FEET, Silent(), budget=Budget(seconds=0), alone=True)


@pytest.mark.parametrize("tool", ["query_sql_table", "find_table", "run_shell"])
def test_an_endless_loop_of_tools_ends(asking: World, tool: str) -> None:
    for kind in ("auto", "model"):
        came = asking(FEET, endless_calls(tool, {"query": "more"}), kind=kind)
        assert came.calls == 3 and came.part.kind == "no_answer" and came.part.notes


def test_an_endless_loop_of_the_right_form_ends(asking: World) -> None:
    came = asking(FEET, BEYOND, kind="model")
    assert came.calls <= 4 and came.part.kind in ("failure", "no_answer")
    came = asking(FEET, chosen(FindTable(query="more")), kind="model")
    assert came.calls == 3


def test_a_budget_is_counted_from_the_question_on() -> None:
    spend = Spend(Budget(calls=2, tokens=10))
    assert 0 < spend.left() <= 20
    spend.add(3, 0, 1, 0.5)
    spend.add(0, 0, 0, 0.5)
    with pytest.raises(ModelError):
        spend.left()
    assert spend.spent.tokens == 4 and spend.spent.seconds == 1.0


@pytest.mark.parametrize(("name", "value"), [("CALLS", "many"), ("TOKENS", "-1"), ("SECONDS", "nan"), ("PRICE", "1"), ("PRICE", "a b")])
def test_a_budget_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"ALMANAC_MODEL_{name}", value)
    with pytest.raises(UsageError, match=f"ALMANAC_MODEL_{name}"):
        model_budget()


def test_a_reply_has_a_limit_and_what_is_cut_off_is_no_plan(asking: World) -> None:
    came = asking(FEET, Said('{"action":{"kind":"rows","conditions":[' + '{"words":"aching feet",' * 2_000, finished="length"))
    assert came.endpoint.asked[0].body["max_tokens"] == 700
    assert (came.calls, came.part.kind) == (1, "no_answer") and came.part.notes


def test_what_a_model_writes_runs_no_longer_than_the_question_may(asking: World) -> None:
    names = ", ".join(f"providers p{number}" for number in range(8))
    bomb = said(Select(sql=f"SELECT count(*) FROM {names}"))
    came = asking(TWICE, [BEYOND, bomb], kind="model", budget=Budget(seconds=1.0))
    assert came.part.result is None and came.calls == 2, "25 thousand million rows, and no second try of it"
