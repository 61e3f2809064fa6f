"""Asking a model for a typed reply, of a stand-in at HTTP: what is sent, and what becomes of each reply."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

pytest.importorskip("instructor", reason='the extra "model" is not installed')

from cache.hints import Hints
from engine import model
from engine.agents.strict import Form, checked_form
from engine.budget import Budget
from engine.errors import ModelError
from engine.message import Function, Message, ToolCall
from engine.model import ModelEndpoint, ask_model
from engine.spend import Spend
from tests.model.failures import FAILURES, PLAN, Failure, What
from tests.model.replies import Raw, Said, Use, error, internal, too_many
from tests.model.standin import KEY, Endpoint, serving

MESSAGES = [
    Message(role="system", content="Plan."),
    Message(
        role="assistant",
        content="First.",
        tool_calls=(ToolCall(id="call_1", function=Function(name="create_sql_table", arguments="{}")),),
    ),
    Message(role="tool", tool_call_id="call_1", content='{"rows":1}'),
    Message(role="user", content="{{ 7*7 }} {% for a in b %} names?"),
]


class Plan(Form):
    """A form as the agents have them."""

    kind: Literal["table"] = "table"
    table: str
    select: tuple[str, ...] = ()
    limit: int | None = None


MADE = {"kind": "table", "table": "t", "select": ("name",), "limit": None}


@pytest.fixture(autouse=True)
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """An endpoint that names no time is asked again at once."""
    monkeypatch.setattr(model, "_WAITS", (0.0, 0.0))


def asking(endpoint: Endpoint, seconds: float = 30.0) -> ModelEndpoint:
    return ModelEndpoint("small", endpoint.address, KEY, seconds=seconds)


def asked_of(
    endpoint: ModelEndpoint, messages: list[Message] = MESSAGES, spend: Spend | None = None, replies: Hints | None = None
) -> dict[str, object]:
    """What comes of asking."""
    return ask_model(messages, Plan, endpoint, spend or Spend(), replies=replies).model_dump()


def test_the_messages_are_sent_as_they_are_and_the_form_beside_them() -> None:
    with serving(Said(PLAN)) as endpoint:
        assert asked_of(asking(endpoint)) == MADE
    (asked,) = endpoint.asked
    assert asked.messages == [message.wire() for message in MESSAGES]
    assert asked.schema["properties"].keys() == Plan.model_fields.keys()
    assert (asked.body["model"], asked.body["temperature"]) == ("small", 0)
    assert asked.body["response_format"]["json_schema"]["strict"] is True


@pytest.mark.parametrize("mode", ["tools", "json"])
def test_an_endpoint_without_schemas_is_asked_in_its_way(mode: Literal["tools", "json"]) -> None:
    with serving(Said(uses=(Use("Plan", PLAN),)) if mode == "tools" else Said(PLAN)) as endpoint:
        assert asked_of(replace(asking(endpoint), mode=mode)) == MADE
    assert endpoint.asked[0].messages[-1]["content"].startswith("{{ 7*7 }} {% for a in b %} names?")


def test_the_same_request_is_made_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    replies = Hints(tmp_path, "replies")
    with serving(Said(PLAN)) as standing:
        endpoint = asking(standing)

        spend = Spend()
        assert asked_of(endpoint, replies=replies) == asked_of(endpoint, replies=replies, spend=spend) == MADE
        assert standing.calls == 1 and spend.spent.calls == 0, "what was kept costs nothing"
        asked_of(replace(endpoint, model="large"), replies=replies)
        asked_of(endpoint, [*MESSAGES[:-1], Message(role="user", content="and where?")], replies=replies)
        asked_of(endpoint, replies=Hints(tmp_path, "replies", on=False))
        asked_of(endpoint)
        assert standing.calls == 5, "another model, another question, and where nothing is remembered"
        asked_of(replace(endpoint, key="sk-another"), replies=replies)
        assert standing.calls == 5, "who pays makes no other reply"
    replies.close()


def test_a_kept_reply_that_is_none_is_asked_for_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    class Damaged(Hints):
        """Gives what somebody else spoiled, the second time."""

        asked = 0

        def get(self, key: str) -> object:
            self.asked += 1
            return super().get(key) if self.asked == 1 else {"kind": "clarify"}

    with serving(Said(PLAN)) as standing:
        replies = Damaged(tmp_path, "replies")
        for _ in range(2):
            assert asked_of(asking(standing), replies=replies) == MADE
    assert standing.calls == 2
    assert "a kept reply is none" in caplog.text


def test_what_was_refused_is_told_and_tried_again() -> None:
    def check(plan: Plan) -> None:
        if plan.table != "films":
            raise ValueError('There is no table "t"; the table is films, and {{ 7*7 }} is no table.')

    form = checked_form(Plan, "query_sql_table", {}, check)
    with serving([Said(PLAN), Said({**PLAN, "table": "films"})]) as standing:
        spend = Spend()
        assert ask_model(MESSAGES, form, asking(standing), spend, tries=3).table == "films"
    first, second = standing.asked
    assert spend.spent.calls == 2 and spend.read > first.tokens
    assert second.messages[: len(MESSAGES)] == first.messages, "what was said stays the same bytes"
    assert "the table is films, and {{ 7*7 }} is no table" in second.messages[-1]["content"]
    with serving(Said(PLAN)) as standing:
        with pytest.raises(ModelError, match="no reply of the right form"):
            ask_model(MESSAGES, form, asking(standing), Spend(), tries=3)
        assert standing.calls == 3, "three tries and no more"


SENTENCES: dict[What, str] = {
    "key": "refuses the key",
    "busy": "too much to do",
    "request": r"refused the request \(40[04]\)",
    "away": r"could not be reached|refused the request \(50\d\)",
    "form": "no reply of the right form",
}
MENDED = {"JSON in a fence"}  # which is taken out of it


def of(failure: Failure) -> str:
    return failure.name


@pytest.mark.parametrize("failure", [one for one in FAILURES if one.name not in MENDED], ids=of)
def test_what_is_no_reply_is_one_sentence(failure: Failure) -> None:
    with serving(failure.reply) as standing:
        endpoint = asking(standing, seconds=0.5 if failure.name == "silence" else 30.0)
        spend = Spend()
        with pytest.raises(ModelError, match=SENTENCES[failure.what]) as told:
            ask_model(MESSAGES, Plan, endpoint, spend)
    turned_away = failure.what == "busy" or failure.name in ("internal error", "bad gateway", "unavailable", "gateway time-out")
    assert standing.calls == spend.calls == (3 if turned_away else 1)
    sentence = str(told.value)
    assert sentence.endswith(".") and "\n" not in sentence
    assert not any(part in sentence + repr(endpoint) for part in ("sk-secret", KEY, "<html>", "Ada"))


@pytest.mark.parametrize("failure", [one for one in FAILURES if one.passes and "bod" not in one.name], ids=of)
def test_who_turns_away_is_asked_again(failure: Failure) -> None:
    with serving([failure.reply, Said(PLAN)]) as standing:
        assert asked_of(asking(standing)) == MADE
    first, second = standing.asked
    assert first.body == second.body


def test_the_wait_that_is_asked_for_is_kept_and_none_beyond_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr("engine.model.time.sleep", waited.append)
    with serving([too_many("2.5"), internal(), Said(PLAN)]) as standing:
        assert asked_of(asking(standing)) == MADE
    assert waited == [2.5, 0.0]
    for asked_for, budget in (("3600", Budget()), ("3", Budget(seconds=4))):
        with serving(too_many(asked_for)) as standing:
            with pytest.raises(ModelError, match="too much to do"):
                ask_model(MESSAGES, Plan, asking(standing), Spend(budget))
            assert standing.calls == 1
    assert waited == [2.5, 0.0]


def test_what_a_model_refuses_is_left_out() -> None:
    """Some know neither a temperature nor the old name of the limit."""

    def refused(name: str) -> Raw:
        said = f"Unsupported parameter: '{name}' is not supported with this model."
        raw = error(400, said, "unsupported_parameter", "invalid_request_error")
        raw.body["error"]["param"] = name  # type: ignore[index]
        return raw

    with serving([refused("temperature"), refused("max_tokens"), Said(PLAN)]) as standing:
        assert asked_of(asking(standing)) == MADE
    last = standing.asked[-1].body
    assert "max_tokens" not in last and last["max_completion_tokens"] == 700


def test_an_endpoint_that_is_not_there_is_one_sentence() -> None:
    with serving(Said(PLAN)) as standing:
        pass
    with pytest.raises(ModelError, match="could not be reached"):
        ask_model(MESSAGES, Plan, asking(standing), Spend())


def test_the_key_of_the_environment_goes_to_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    with serving(Said(PLAN), key=None) as standing:
        ask_model(MESSAGES, Plan, ModelEndpoint("small", standing.address), Spend())
    assert standing.asked[0].headers["authorization"] == "Bearer none" and not standing.holding("sk-other")
