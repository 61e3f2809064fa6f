"""What Slack sends and what it hears back: mentions, direct messages, commands, presses, refusals, and both ways in."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.chat.alerts import post_alert
from bot.chat.asking import Asking
from bot.chat.outbox import empty_outbox
from bot.chat.sentences import say
from bot.chat.state import State
from bot.chat.types import Place
from engine.types import ChatThread, Reply, Scope
from jobs.alert import Alert
from tests.slack.driver import Served, to_said
from tests.slack.standin import APP_TOKEN, BOT_TOKEN, BOT_USER, SECRET, TEAM, Fault, Posted, elements_of
from tests.slack.world import asking, play, state

__all__ = ["asking", "state"]  # fixtures


def element(posted: Posted, action: str, number: int = 0) -> dict[str, Any]:
    """The button or menu of a message that does this."""
    found = [item for item in elements_of(posted) if (item.get("value") or item["options"][0]["value"]).startswith(action + ".")]
    return found[number]


def slowed(asking: Asking, seconds: float) -> Asking:
    """The same engine, taking its time."""

    def answer(text: str, thread: ChatThread, scope: Scope) -> Reply:
        time.sleep(seconds)
        return asking.answer(text, thread, scope)

    return replace(asking, answer=answer)


# ---- where it is asked


def test_a_mention_is_answered_in_its_thread(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        asked = await served.slack.ask("doctors in Acre")
        await served.settled()
        (posted,) = served.slack.from_bot()
        assert (posted.channel, posted.thread) == ("C1", asked.ts)
        assert "Acre: 4 rows" in posted.text and "Dr Acre 01" in posted.text  # the plain text says the same
        assert posted.text.count("Dr Acre") == to_said(posted).text.count("Dr Acre") == 4
        assert not served.slack.refused

    play(state, asking, scenario)


def test_mention_and_message_events_of_one_message_are_one_question(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        said = served.slack.write(f"<@{BOT_USER}> doctors in Acre", channel="D1")
        events = [served.slack.event(kind, said) for kind in ("app_mention", "message", "app_mention")]
        await asyncio.gather(*(served.slack.deliver(event) for event in events))
        await served.settled()
        assert len(served.slack.from_bot()) == 1

    play(state, asking, scenario)


def test_what_is_acknowledged_is_kept_so_that_another_process_can_answer_it(state: State, asking: Asking, tmp_path: Path) -> None:
    later = State(f"sqlite:///{tmp_path / 'state.sqlite'}", clock=lambda: time.time() + 1000)  # when nobody works on it any more

    async def scenario(served: Served) -> None:
        served.slack.broken.add("users.info")  # who asks is not known yet when this process ends
        said = served.slack.write(f"<@{BOT_USER}> doctors in Acre")
        assert await served.slack.deliver(served.slack.event("app_mention", said)) == 200
        ((_, incoming, _),) = later.abandoned("slack", 60)
        assert (incoming.text, incoming.place.thread) == ("doctors in Acre", said.ts)
        served.slack.broken.clear()
        await served.settled()

    play(state, asking, scenario)
    later.close()


def test_a_direct_message_goes_on_below_and_in_a_thread_on_a_reply(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        await served.slack.ask("which doctors are in Haifa?", channel="D1")
        await served.settled()
        await served.slack.ask("and in Acre?", channel="D1")
        await served.settled()
        first, second = served.slack.from_bot()
        assert first.thread == second.thread == ""
        assert "Acre: 4 rows" in second.text and not second.only_for
        await served.slack.ask("and in Safed?", channel="D1", thread=first.ts)
        await served.settled()
        third = served.slack.from_bot()[-1]
        assert third.thread == first.ts and "Safed" in third.text and "doctors" in to_said(third).text

    play(state, asking, scenario)


def test_an_old_thread_is_read_when_the_bot_is_called_into_it(state: State, asking: Asking) -> None:
    heard: list[ChatThread] = []

    def answer(text: str, thread: ChatThread, scope: Scope) -> Reply:
        heard.append(thread)
        return asking.answer(text, thread, scope)

    async def scenario(served: Served) -> None:
        slack = served.slack
        root = slack.write("which doctors are in Haifa?", user="U1")
        slack.write("good question &amp; old", user="U2", thread=root.ts)
        await slack.ask("and in Acre?", user="U1", thread=root.ts)
        await served.settled()
        assert [(turn.who, turn.text) for turn in heard[0].turns] == [
            ("asker", "which doctors are in Haifa?"),
            ("other", "good question & old"),
        ]
        assert "Acre: 4 rows" in slack.from_bot()[0].text
        await slack.ask("and in Safed?", user="U1", thread=root.ts)
        await served.settled()
        assert sum(method == "conversations.replies" for method, _ in slack.calls) == 1

    play(state, replace(asking, answer=answer), scenario)


def test_a_long_thread_is_read_to_its_end(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        slack = served.slack
        root = slack.write("good morning", user="U2")
        for number in range(420):
            slack.write(f"talk {number}", user="U2", thread=root.ts)
        slack.write("which doctors are in Haifa?", user="U1", thread=root.ts)
        slack.faults["chat.postMessage"] = [Fault(lost="after")]
        await slack.ask("and in Acre?", user="U1", thread=root.ts)
        await served.settled()
        (posted,) = slack.from_bot()
        assert "Acre: 4 rows" in posted.text and "doctors" in to_said(posted).text

    play(state, asking, scenario)


def test_who_asks_is_known_once(state: State, asking: Asking) -> None:
    heard: list[ChatThread] = []

    def answer(text: str, thread: ChatThread, scope: Scope) -> Reply:
        heard.append(thread)
        return asking.answer(text, thread, scope)

    async def scenario(served: Served) -> None:
        served.slack.people["U1"] = {"real_name": "Ann", "email": "ann@example.com", "locale": "he-IL", "tz": "Asia/Jerusalem"}
        for _ in range(3):
            await served.slack.ask("doctors in Acre")
        await served.settled()
        assert {(thread.email, thread.locale, thread.time_zone) for thread in heard} == {("ann@example.com", "he-IL", "Asia/Jerusalem")}
        assert sum(method == "users.info" for method, _ in served.slack.calls) == 1

    play(state, replace(asking, answer=answer), scenario)


def test_the_handler_is_told_who_knows_the_people(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        said = await served.slack.ask("doctors in Acre", user="U7")
        place = Place("slack", TEAM, said.channel, said.ts)
        assert served.handler._desk.access._of(place) is served.surface.people
        assert "U7" in {asker.id for asker in await served.surface.people.audience(place) or ()}

    play(state, asking, scenario)


def test_a_stranger_is_answered_too(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        served.slack.strangers.add("U1")
        served.slack.broken.add("conversations.replies")
        await served.slack.ask("doctors in Acre", thread="1.000100")
        await served.settled()
        assert len(served.slack.from_bot()) == 1

    play(state, asking, scenario)


def test_what_is_no_question_is_left_alone(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        slack = served.slack
        said = slack.write("doctors in Acre", channel="D1")
        for more in ({"subtype": "message_changed"}, {"bot_id": "B1"}, {"user": ""}, {"channel_type": "channel"}):
            envelope = slack.event("message", said)
            envelope["event"] |= more
            assert await slack.deliver(envelope) == 200
        envelope = slack.event("message", said)
        envelope["event"] |= {"user": BOT_USER}
        assert await slack.deliver(envelope) == 200
        await slack.deliver({**slack.event("reaction_added", said)}, tries=1)
        await served.settled()
        assert not slack.from_bot()

    play(state, asking, scenario)


# ---- the command


def test_the_command_is_answered_for_their_eyes_only_and_can_be_shared(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        slack = served.slack
        slack.not_in.add("C9")  # where the bot was never invited
        assert await slack.command("doctors in Acre", channel="C9") == 200
        await served.settled()
        (hidden,) = slack.from_bot()
        assert (hidden.only_for, hidden.channel) == ("U1", "C9") and "Acre: 4 rows" in hidden.text
        await slack.press(hidden, element(hidden, "share"))
        await slack.press(hidden, element(hidden, "share"))
        await served.settled()
        shared = [message for message in slack.from_bot() if not message.only_for]
        assert len(shared) == 1 and "Dr Acre 01" in shared[0].text and "doctors in Acre" in shared[0].text
        assert not [item for item in elements_of(shared[0]) if item.get("value", "").startswith("share.")]

    play(state, asking, scenario)


def test_the_command_pages_where_it_stands_and_hands_its_file_to_the_asker_alone(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        slack = served.slack
        await slack.command("which doctors are in Haifa?")
        await served.settled()
        (hidden,) = slack.from_bot()
        await slack.press(hidden, element(hidden, "page"))
        await served.settled()
        assert len(slack.from_bot()) == 1 and "Dr Haifa 11" in hidden.text and "Dr Haifa 01" not in hidden.text
        await slack.press(hidden, element(hidden, "file"))
        await served.settled()
        (with_file,) = [message for message in slack.from_bot() if message.files]
        assert with_file.channel == "D1"
        assert with_file.files[0][1].decode("utf-8-sig").count("Dr Haifa") == 23

    play(state, asking, scenario)


@pytest.mark.parametrize(("text", "word"), [("tables", "doctors"), ("help", "doctors"), ("", "doctors")])
def test_the_command_tells_what_there_is(state: State, asking: Asking, text: str, word: str) -> None:
    async def scenario(served: Served) -> None:
        assert await served.slack.command(text) == 200
        await served.settled()
        (said,) = served.slack.from_bot()
        assert said.only_for == "U1" and word in said.text and not elements_of(said)

    play(state, asking, scenario)


# ---- presses


def test_a_receipt_is_for_who_pressed_and_its_correction_is_for_all(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        slack = served.slack
        asked = await slack.ask("doctors from Safed")
        await served.settled()
        (posted,) = slack.from_bot()
        await slack.press(posted, element(posted, "receipt"), user="U2")
        await served.settled()
        receipt = slack.from_bot()[-1]
        assert receipt.only_for == "U2"
        menu = element(receipt, "correct")
        await slack.press(receipt, menu, user="U2")
        await served.settled()
        corrected = slack.from_bot()[-1]
        assert (corrected.only_for, corrected.thread) == ("", asked.ts)
        assert "Dr Hill 01" in corrected.text
        assert not slack.refused

    play(state, asking, scenario)


def test_nobody_else_can_press_what_only_the_asker_saw(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        slack = served.slack
        await slack.command("which doctors are in Haifa?", user="U1")
        await served.settled()
        (hidden,) = slack.from_bot()
        await slack.press(hidden, element(hidden, "page"), user="U2")
        await served.settled()
        assert say("en", "not_yours") in slack.from_bot()[-1].text
        assert "Dr Haifa 11" not in "".join(message.text for message in slack.from_bot())

    play(state, asking, scenario)


def test_a_press_after_half_an_hour_still_turns_the_page(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        slack = served.slack
        await slack.ask("which doctors are in Haifa?")
        await served.settled()
        (posted,) = slack.from_bot()
        payload = slack.press_payload(posted, element(posted, "page"))
        for where in slack.responses.values():
            where["left"] = 0
        await slack.send_press(payload)
        await served.settled()
        assert "Dr Haifa 11" in posted.text and len(slack.from_bot()) == 1

    play(state, asking, scenario)


# ---- the sign of work


def test_slow_work_is_seen_and_its_sign_becomes_the_reply(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        slack = served.slack
        await slack.ask("médicos en Acre")
        await slack.until(lambda: bool(slack.from_bot()))
        (posted,) = slack.from_bot()
        assert posted.text == say("es", "working")
        await served.settled()
        assert len(slack.from_bot()) == 1 and "Dr Acre 01" in posted.text
        assert [text for text, _ in posted.versions] == [say("es", "working")]

    play(state, slowed(asking, 1.2), scenario)


def test_a_sign_whose_posting_is_not_confirmed_is_found_again(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        slack = served.slack
        slack.faults["chat.postMessage"] = [Fault(lost="after")]
        await slack.ask("doctors in Acre")
        await served.settled()
        (posted,) = slack.from_bot()
        assert "Dr Acre 01" in posted.text

    play(state, slowed(asking, 1.2), scenario)


# ---- what goes wrong on the way to Slack


@pytest.mark.parametrize("channel", ["C1", "G1", "M1", "D1"])
@pytest.mark.parametrize("lost", ["before", "after"])
def test_a_lost_response_makes_no_second_reply(state: State, asking: Asking, lost: str, channel: str) -> None:
    async def scenario(served: Served) -> None:
        slack = served.slack
        slack.faults["chat.postMessage"] = [Fault(lost=lost)]
        await slack.ask("doctors in Acre", channel=channel)
        await served.settled()
        assert len(slack.from_bot()) == 1
        assert state.waiting() == 0

    play(state, asking, scenario)


def test_retry_after_is_obeyed(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        slack = served.slack
        slack.faults["chat.postMessage"] = [Fault(retry_after=1)]
        await slack.ask("doctors in Acre")
        await slack.until(lambda: bool(slack.waiting_until))
        await asyncio.sleep(0.05)  # until the surface has read that it has to wait
        for _ in range(3):
            await slack.ask("doctors in Acre")
        await served.settled()
        assert len(slack.from_bot()) == 4
        assert slack.called_too_soon == []

    play(state, asking, scenario)


def test_a_long_retry_after_is_for_the_outbox(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        slack = served.slack
        slack.faults["chat.postMessage"] = [Fault(retry_after=300)]
        await slack.ask("doctors in Acre")
        await served.settled()
        assert not slack.from_bot() and state.waiting() == 1
        assert await empty_outbox(served.handler, "slack", served.deliver) == 0  # it is not due
        assert slack.called_too_soon == []

    play(state, asking, scenario)


def test_blocks_that_slack_refuses_are_said_as_text(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        slack = served.slack
        slack.faults["chat.postMessage"] = [Fault(error="invalid_blocks")]
        await slack.ask("doctors in Acre")
        await served.settled()
        (posted,) = slack.from_bot()
        assert posted.blocks == [] and "Dr Acre 01" in posted.text

    play(state, asking, scenario)


def test_a_deleted_channel_is_given_up(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        slack = served.slack
        slack.deleted_channels.add("C1")
        await slack.ask("doctors in Acre")
        await served.settled()
        assert not slack.from_bot() and state.waiting() == 1
        await slack.until(lambda: True)
        for _ in range(40):
            await empty_outbox(served.handler, "slack", served.deliver)
            if not state.waiting():
                break
            await asyncio.sleep(0.1)
        assert state.waiting() == 0
        await slack.ask("doctors in Acre", channel="C2")
        await served.settled()
        assert len(slack.from_bot()) == 1

    play(state, asking, scenario)


def test_a_revoked_token_stops_nothing_else(state: State, asking: Asking, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario(served: Served) -> None:
        slack = served.slack
        await slack.ask("doctors in Acre")
        await served.settled()
        slack.revoked.add(BOT_TOKEN)
        assert (await slack.ask("doctors in Acre")).text
        await served.settled()
        assert [status for status, _ in slack.sent] == [200, 200]
        assert len(slack.from_bot()) == 1

    play(state, asking, scenario)
    assert BOT_TOKEN not in caplog.text and SECRET not in caplog.text


def test_events_wait_at_slack_while_the_token_is_not_known(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        slack = served.slack
        slack.revoked.add(BOT_TOKEN)
        said = slack.write("doctors in Acre", channel="D1")
        assert await slack.deliver(slack.event("message", said), tries=2) == 503
        assert not slack.from_bot()

    play(state, asking, scenario)


# ---- what must not come in


def test_what_is_not_signed_is_refused(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        slack = served.slack
        body = json.dumps(slack.event("message", slack.write("doctors in Acre", channel="D1")))
        assert await slack.send(body, "application/json", secret="another") == 401
        assert await slack.send(body, "application/json", at=time.time() - 400) == 401
        assert await slack.send(body, "application/json", at=time.time() + 400) == 401
        for stamp in ("", "soon", "1e9", "²"):
            assert await slack.send(body, "application/json", headers={"X-Slack-Request-Timestamp": stamp}) == 401
        assert await slack.send(body, "application/json", headers={"X-Slack-Signature": ""}) == 401
        await served.settled()
        assert not slack.from_bot()

    play(state, asking, scenario)


def test_a_replayed_request_does_nothing_twice(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        slack = served.slack
        event = slack.event("message", slack.write("doctors in Acre", channel="D1"))
        for _ in range(3):
            assert await slack.deliver(event) == 200
        await served.settled()
        (posted,) = slack.from_bot()
        press = slack.press_payload(posted, element(posted, "how"))
        for _ in range(3):
            assert await slack.send_press(press) == 200
        await served.settled()
        assert len(slack.from_bot()) == 2

    play(state, asking, scenario)


def test_another_workspace_is_left_alone(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        slack = served.slack
        said = slack.write("doctors in Acre", channel="D1")
        assert await slack.deliver(slack.event("message", said, team="T0OTHER")) == 200
        guest = slack.event("message", said)
        guest["event"]["user_team"] = "T0OTHER"
        assert await slack.deliver(guest) == 200
        assert await slack.command("doctors in Acre", team="T0OTHER") == 200
        await served.settled()
        assert not slack.from_bot()
        assert await slack.deliver(slack.event("message", said, team=TEAM)) == 200
        await served.settled()
        (posted,) = slack.from_bot()
        assert await slack.send_press(slack.press_payload(posted, element(posted, "how"), team="T0OTHER")) == 200
        await served.settled()
        assert len(slack.from_bot()) == 1

    play(state, asking, scenario)


@pytest.mark.parametrize(
    "body", ["", "{}", "[]", "null", "{", '{"type": "event_callback"}', '{"type": "event_callback", "event": 1}', "payload=%7B%7D"]
)
def test_a_signed_body_that_says_nothing_is_survived(state: State, asking: Asking, body: str) -> None:
    async def scenario(served: Served) -> None:
        kind = "application/x-www-form-urlencoded" if body.startswith("payload") else "application/json"
        await served.slack.send(body, kind)
        await served.slack.ask("doctors in Acre")
        await served.settled()
        assert len(served.slack.from_bot()) == 1

    play(state, asking, scenario)


def test_the_address_is_verified(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        assert await served.slack.send(json.dumps({"type": "url_verification", "challenge": "c"}), "application/json") == 200

    play(state, asking, scenario)


# ---- Socket Mode


def test_the_same_goes_over_a_socket(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        slack = served.slack
        await slack.until(lambda: bool(slack.sockets))
        envelope = slack.event("message", slack.write("doctors in Acre", channel="D1"))
        for _ in range(2):
            await slack.send_by_socket("events_api", envelope)
        await served.settled()
        (posted,) = slack.from_bot()
        await slack.send_by_socket("interactive", slack.press_payload(posted, element(posted, "how")))
        await served.settled()
        assert "SELECT" in slack.from_bot()[-1].text
        assert ("apps.connections.open", {}) in [(method, {}) for method, _ in slack.calls]
        assert await slack.send("{}", "application/json") == 404  # nothing is heard over HTTP then

    assert APP_TOKEN.startswith("xapp-")
    play(state, asking, scenario, socket=True)


def test_an_alert_is_said_once_in_a_channel_where_nobody_asked(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        stale = Alert("doctors <!channel>", "stale", 1_800_000_000.0, "There is no file doctors.csv.", ("slack", "C1"))
        for _ in range(2):
            assert post_alert(state, stale)
        await empty_outbox(served.handler, "slack", served.deliver)
        assert post_alert(state, stale), "another process tells it again"
        await empty_outbox(served.handler, "slack", served.deliver)
        (said,) = served.slack.from_bot()
        assert (said.channel, said.thread) == ("C1", "")
        assert "There is no file doctors.csv." in said.text and "2027-01-15 08:00 UTC" in said.text and "<!channel>" not in said.text
        assert state.waiting() == 0
        assert post_alert(state, Alert("doctors <!channel>", "well", 1_800_000_000.0, to=("slack", "C1")))
        await empty_outbox(served.handler, "slack", served.deliver)
        assert "fresh again" in served.slack.from_bot()[1].text

    play(state, asking, scenario)
