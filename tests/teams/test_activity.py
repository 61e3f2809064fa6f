"""Activities become messages and presses: whose, where, and which words of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.teams.activity import chose_nothing, to_chat_thread, to_place, to_press
from tests.teams.standin import APP_ID, BOT, TENANT, Teams


def activity(text: str | None = "hi", **more: Any) -> dict[str, Any]:
    return Teams(url="https://smba.example/").activity(text, **more)


def mention(who: dict[str, str], text: str) -> dict[str, Any]:
    return {"type": "mention", "mentioned": who, "text": text}


def test_a_message() -> None:
    incoming = to_chat_thread(activity("doctors in Acre", conversation="a chat"))
    assert incoming.text == "doctors in Acre"
    assert (incoming.asker.id, incoming.asker.name) == ("aad-Dana", "Dana")
    assert incoming.place == to_place(activity(conversation="a chat"))
    assert (incoming.place.workspace, incoming.place.channel, incoming.place.thread, incoming.place.private) == (TENANT, "a chat", "", True)
    assert (incoming.locale, incoming.time_zone) == ("en-US", "Asia/Jerusalem")
    assert len(incoming.keys) == 1 and incoming.keys != to_chat_thread(activity(id="another")).keys


def test_a_thread_of_a_channel() -> None:
    place = to_place(activity(conversation="19:x@thread.tacv2;messageid=1700"))
    assert (place.channel, place.thread, place.private) == ("19:x@thread.tacv2", "1700", False)
    assert json.loads(place.address)["conversation"]["id"] == "19:x@thread.tacv2;messageid=1700"


@pytest.mark.parametrize(
    ("text", "entities", "words"),
    [
        ("<at>Almanac</at> doctors in Acre", [mention(BOT, "<at>Almanac</at>")], "doctors in Acre"),
        ("<at>Almanac</at>&nbsp;doctors", [mention(BOT, "<at>Almanac</at>")], "doctors"),
        ("doctors <at>Almanac</at>", [mention(BOT, "<at>Almanac</at>")], "doctors"),
        (
            "<at>Almanac</at> who is <at>Noa Bar</at>?",
            [mention(BOT, "<at>Almanac</at>"), mention({"id": "29:n"}, "<at>Noa Bar</at>")],
            "who is Noa Bar?",
        ),
        # somebody of the bot's name is not the bot
        (
            "<at>Almanac</at> <at>Almanac</at> hi",
            [mention({"id": "29:n"}, "<at>Almanac</at>"), mention(BOT, "<at>Almanac</at>")],
            "Almanac hi",
        ),
        ("the almanac of Almanac", [], "the almanac of Almanac"),
        ("a < b & c", [], "a < b & c"),
        ("<at>Almanac</at>", [mention(BOT, "<at>Almanac</at>")], ""),
    ],
)
def test_only_the_own_mention_is_taken_out(text: str, entities: list[dict[str, Any]], words: str) -> None:
    assert " ".join(to_chat_thread(activity(text, entities=entities)).text.split()) == words


@pytest.mark.parametrize(
    "broken", [{"text": None}, {"from": None}, {"conversation": "x"}, {"entities": "x"}, {"entities": [1]}, {"channelData": 1}]
)
def test_a_broken_activity_breaks_nothing(broken: dict[str, Any]) -> None:
    incoming = to_chat_thread(activity("hi") | broken)
    assert incoming.text in ("hi", "")
    assert incoming.place.platform == "teams"


def invoke(data: Any) -> dict[str, Any]:
    return activity(None, kind="invoke", name="adaptiveCard/action", value={"action": {"type": "Action.Execute", "data": data}})


def test_a_press_carries_the_value_of_its_button_or_of_the_choice() -> None:
    pressed = to_press(invoke({"value": "v"}))
    assert pressed is not None and pressed.value == "v" and pressed.asker.id == "aad-Dana"
    chosen = to_press(invoke({"input": "choice1", "choice0": "a", "choice1": "b"}))
    assert chosen is not None and chosen.value == "b"
    submitted = to_press(activity(None, value={"value": "v"}))
    assert submitted is not None and submitted.value == "v"


@pytest.mark.parametrize("data", [None, "x", {}, {"value": 1}, {"value": ""}, {"input": "choice0"}, {"input": ["x"]}])
def test_what_is_no_press_of_ours(data: Any) -> None:
    assert to_press(invoke(data)) is None


def test_a_menu_sent_without_a_choice_is_told_from_a_foreign_button() -> None:
    assert chose_nothing(invoke({"input": "choice0"}))
    assert not chose_nothing(invoke({"value": "v"}))
    assert not chose_nothing(invoke(None))


def test_the_address_continues_the_conversation() -> None:
    address = json.loads(to_place(activity()).address)
    assert address["bot"]["id"] == f"28:{APP_ID}"
    assert address["serviceUrl"] == "https://smba.example/"
