"""What is Teams' own: who is let in, answering at once whatever the engine does, signs of work, refusals of the connector, files."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.chat.alerts import post_alert, unreachable
from bot.chat.asking import Asking
from bot.chat.audit import Audit
from bot.chat.erase import erase
from bot.chat.handler import Handler
from bot.chat.outbox import empty_outbox
from bot.chat.sentences import say
from bot.chat.state import State
from bot.teams.activity import to_chat_thread
from bot.teams.settings import TeamsSettings
from bot.teams.surface import INVOKE_SECONDS
from engine.catalog import TableEntry
from engine.types import ChatThread, Reply, Scope
from jobs.alert import Alert
from tests.chat.world import asked
from tests.teams.card_check import texts
from tests.teams.driver import Served

Work = Callable[[Served], Awaitable[None]]


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
    with asked(tmp_path_factory.mktemp("world")) as made:
        yield made


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    made = State(f"sqlite:///{tmp_path / 'state.sqlite'}")
    yield made
    made.close()


def served(state: State, asking: Asking, work: Work, **more: Any) -> None:
    async def run() -> None:
        handler = Handler(state, asking, secret="of the tests")
        try:
            async with Served(handler, **more) as running:
                await work(running)
        finally:
            handler.close()

    asyncio.run(asyncio.wait_for(run(), 60))


class Held:
    """An engine that answers when it is let."""

    def __init__(self, asking: Asking) -> None:
        self.let = threading.Event()
        self._asking = asking

    def answer(self, text: str, thread: ChatThread, scope: Scope) -> Reply:
        assert self.let.wait(30)
        return self._asking.answer(text, thread, scope)

    def again(self, *arguments: Any) -> Reply:
        assert self.let.wait(30)
        return self._asking.again(*arguments)


def test_a_request_is_answered_while_the_engine_works_and_redeliveries_change_nothing(state: State, asking: Asking, tmp_path: Path) -> None:
    held = Held(asking)
    later = State(f"sqlite:///{tmp_path / 'state.sqlite'}", clock=lambda: time.time() + 1000)

    async def work(running: Served) -> None:
        teams = running.teams
        activity = teams.activity("doctors in Acre")
        for _ in range(3):  # the stand-in fails where an answer takes longer than Teams waits
            assert await teams.send(activity) == (200, None)
        ((_, incoming, _),) = later.abandoned("teams", 60)
        assert incoming.text == "doctors in Acre", "what is acknowledged is kept, and another process could answer it"
        while not teams.said:
            await asyncio.sleep(0.02)
        assert {posted.activity["type"] for posted in teams.said} == {"typing"}, "a sign of work and nothing else so far"
        held.let.set()
        await running.settled()
        (posted,) = teams.messages
        assert "Acre: 4 rows" in texts(posted.card)
        assert (posted.how, posted.activity["replyToId"]) == ("reply", activity["id"])
        assert posted.activity["summary"] == "Acre: 4 rows"

    served(state, replace(asking, answer=held.answer), work)


def test_the_handler_is_told_who_knows_the_people(state: State, asking: Asking) -> None:
    async def work(running: Served) -> None:
        place = to_chat_thread(running.teams.activity("doctors in Acre", conversation="19:a@thread.v2;messageid=1", person="Eli")).place
        assert running.handler._desk.access._of(place) is running.surface.people
        found = await running.surface.people.audience(place)
        assert "aad-Eli" in {asker.id for asker in found or ()} and not any(asker.outsider for asker in found or ())

    served(state, asking, work)


def test_a_press_that_takes_long_is_answered_and_the_card_follows(state: State, asking: Asking) -> None:
    held = Held(asking)

    async def work(running: Served) -> None:
        teams = running.teams
        held.let.set()
        await teams.send(teams.activity("doctors in Haifa"))
        await running.settled()
        (posted,) = teams.messages
        held.let.clear()
        asked_at = len(teams.seconds)
        status, reply = await teams.press(posted, "Next")
        assert (status, reply["type"], reply["value"]) == (200, "application/vnd.microsoft.activity.message", say("en", "working"))
        assert INVOKE_SECONDS < 5 and len(teams.seconds) == asked_at + 1
        assert len(teams.messages) == 1
        held.let.set()
        await running.settled()
        assert teams.messages[-1].how == "update"
        assert "Dr Haifa 11" in texts(teams.standing[0].card)

    served(state, replace(asking, answer=held.answer, again=held.again), work)


REFUSED: dict[str, dict[str, Any]] = {
    "another audience": {"aud": "x"},
    "expired": {"exp": 1},
    "another service URL": {"serviceurl": "https://evil.example/"},
}


def test_who_is_not_teams_is_refused_and_hears_nothing_more(state: State, asking: Asking) -> None:
    async def work(running: Served) -> None:
        teams = running.teams
        activity = teams.activity("doctors in Acre")
        for why, claims in REFUSED.items():
            status, body = await teams.send(activity, teams.token(**claims))
            assert status == 401 and body["error"], why
        assert (await teams.send(activity, headers={}))[0] == 401
        assert (await teams.send({**activity, "serviceUrl": None}))[0] == 401
        other = {**activity, "conversation": {**activity["conversation"], "tenantId": "other"}, "channelData": {"tenant": {"id": "other"}}}
        assert (await teams.send(other))[0] == 401, "another organisation"
        await running.settled()
        assert teams.said == []
        assert (await teams.send(activity))[0] == 200

    served(state, asking, work)


def test_what_is_no_activity_is_refused_and_what_is_not_for_us_is_let_pass(state: State, asking: Asking) -> None:
    async def work(running: Served) -> None:
        teams = running.teams
        async with aiohttp.ClientSession() as http:
            for body in (b"", b"{", b"[]", b"{}", b'{"type": 1}', b"[" * 100_000, b"\xff"):
                async with http.post(teams.bot, data=body) as response:
                    assert response.status == 400, body[:10]
        for kind in ("messageReaction", "typing", "endOfConversation", "something new", "conversationUpdate"):
            assert await teams.send(teams.activity(kind=kind)) == (200, None)
        assert (await teams.send(teams.activity(kind="invoke", name="composeExtension/query")))[0] == 501
        await running.settled()
        assert teams.said == []

    served(state, asking, work)


def test_a_message_without_text_and_a_foreign_button_get_a_sentence(state: State, asking: Asking) -> None:
    async def work(running: Served) -> None:
        teams = running.teams
        assert (await teams.send(teams.activity(None, attachments=[{"contentType": "image/png", "contentUrl": "x"}])))[0] == 200
        await running.settled()
        (posted,) = teams.messages
        assert say("en", "empty") in texts(posted.card)
        for data in ({}, {"value": 7}, {"value": "page.x"}, {"input": "choice9", "choice9": "forged"}):
            status, reply = await teams.press_data(posted, data)
            assert (status, reply["value"]) == (200, say("en", "old_button"))
        status, reply = await teams.press_data(posted, {"input": "choice0"})
        assert (status, reply["value"]) == (200, say("en", "teams_choose_first"))

    served(state, asking, work)


def test_it_greets_where_it_is_added_and_lists_its_tables(state: State, asking: Asking) -> None:
    async def work(running: Served) -> None:
        teams = running.teams
        added = teams.activity(kind="conversationUpdate")
        await teams.send({**added, "membersAdded": [added["recipient"]]})
        await running.settled()
        await teams.send(teams.activity(kind="conversationUpdate", membersAdded=[{"id": "29:somebody"}]))
        await running.settled()
        await teams.send(teams.activity("Tables"))
        await running.settled()
        hello, tables = teams.messages
        assert "doctors" in " ".join(texts(hello.card)) and "doctors" in " ".join(texts(tables.card))

    served(state, asking, work)


def test_what_is_refused_for_now_waits_as_long_as_it_is_told(state: State, asking: Asking) -> None:
    async def work(running: Served) -> None:
        teams = running.teams
        teams.fail = [(429, {"Retry-After": "3600"})]
        await teams.send(teams.activity("doctors in Acre"))
        await running.settled()
        assert teams.messages == [] and len(teams.refused) == 1, "it is not asked again at once"
        assert state.waiting() == 1
        assert await empty_outbox(running.handler, "teams", running.deliver) == 0
        assert len(teams.refused) == 1

    served(state, asking, work)


@pytest.mark.parametrize("why", ["the bot was removed", "the secret is wrong"])
def test_what_can_never_be_said_does_not_wait(state: State, asking: Asking, why: str) -> None:
    async def work(running: Served) -> None:
        teams = running.teams
        activity = teams.activity("doctors in Acre")
        if why == "the bot was removed":
            teams.gone.add(activity["conversation"]["id"])
        assert (await teams.send(activity))[0] == 200
        await running.settled()
        assert teams.messages == [] and state.waiting() == 0

    served(state, asking, work, **({"secret": "wrong"} if why == "the secret is wrong" else {}))


def test_a_file_goes_to_onedrive_alone_and_only_when_it_is_taken(state: State, asking: Asking) -> None:
    async def work(running: Served) -> None:
        teams = running.teams
        await teams.send(teams.activity("doctors in Acre"))
        await running.settled()
        await teams.press(teams.messages[0], "Download CSV")
        await running.settled()
        offered = teams.messages[-1]
        await teams.accept(offered, action="decline")
        await teams.accept(offered, uploadUrl="https://evil.example/upload")
        await teams.accept(offered, uploadUrl="https://sharepoint.com.evil.example/upload")
        await running.settled()
        assert teams.files == {}
        await teams.accept(offered)
        await running.settled()
        ((_, content),) = teams.files.items()
        assert content.decode("utf-8-sig").count("Dr Acre") == 4
        assert teams.messages[-1].activity["attachments"][0]["contentType"].endswith("file.info")

    served(state, asking, work)


def test_a_file_is_counted_when_it_is_taken_and_by_whom(state: State, asking: Asking) -> None:
    async def work(running: Served) -> None:
        teams = running.teams
        teams.people["Dana"] = {"email": "dana@example.com"}
        await teams.send(teams.activity("doctors in Acre"))
        await running.settled()
        await teams.press(teams.messages[0], "Download CSV")
        await running.settled()
        assert [one.action for one in Audit(state).read()] == ["ask"], "it is only offered"
        await teams.accept(teams.messages[-1])
        await running.settled()
        assert [(one.action, one.exported) for one in Audit(state).read(asker="dana@example.com")] == [("ask", 0), ("file", 4)]
        assert erase(state, "dana@example.com").replies == 1

    served(state, asking, work)


def test_without_a_registration_only_this_machine_may_call(state: State, asking: Asking) -> None:
    async def work(running: Served) -> None:
        teams = running.teams
        teams.tokens.add("")  # the connector beside it asks for none either
        activity = teams.activity("doctors in Acre")
        assert (await teams.send(activity, headers={"X-Forwarded-For": "10.0.0.1"}))[0] == 401
        assert (await teams.send(activity, headers={"Host": "rebound.example"}))[0] == 401
        assert (await teams.send({**activity, "serviceUrl": "https://evil.example/"}, headers={}))[0] == 401
        assert (await teams.send(activity, headers={}))[0] == 200
        await running.settled()
        assert [posted.activity["summary"] for posted in teams.messages] == ["Acre: 4 rows"]

    served(state, asking, work, settings=TeamsSettings(app_id=""))


def test_an_alert_is_said_in_a_channel_where_the_bot_was_met(state: State, asking: Asking, tmp_path: Path) -> None:
    async def work(running: Served) -> None:
        teams = running.teams
        channel = "19:owners@thread.tacv2"
        stale = Alert("doctors", "stale", 1_800_000_000.0, "There is no file doctors.csv.", ("teams", channel))
        entry = TableEntry(name="doctors", source="doctors.csv", base=tmp_path, alerts=f"teams:{channel}")
        assert not post_alert(state, stale) and state.waiting() == 0
        (sentence,) = unreachable(state, [entry], ["teams"])
        assert "was not met yet" in sentence and channel in sentence
        assert "not served" in unreachable(state, [entry], ["slack"])[0]
        await teams.send(teams.activity("help", conversation=f"{channel};messageid=1"))
        await running.settled()
        place = state.met("teams", channel)
        assert place is not None and "Dana" not in place.address
        teams.conversations.add(channel)
        assert unreachable(state, [entry], ["teams"]) == []
        assert post_alert(state, stale)
        assert await empty_outbox(running.handler, "teams", running.deliver) == 1
        said = teams.messages[-1]
        assert (said.how, said.conversation) == ("post", channel)
        assert "There is no file doctors.csv." in " ".join(texts(said.card))

    served(state, asking, work)
