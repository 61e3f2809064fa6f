"""Scheduling at Teams' wire: the card that asks when, a new thread in the channel, a notice to its maker alone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from bot.chat.handler import Handler
from bot.chat.outbox import empty_outbox
from bot.chat.reach import person_named, place_named, to_channel
from bot.chat.schedules import Schedule, Schedules
from bot.chat.sentences import say
from bot.chat.state import State
from engine.errors import UsageError
from jobs.when import read_when
from tests.chat.world import asked
from tests.teams.card_check import elements, texts
from tests.teams.driver import Served

CHANNEL = "19:doctors@thread.tacv2"


def play(folder: Path, scenario: Callable[[Served, State], Awaitable[None]]) -> None:
    """Runs a scenario on the surface as it is served."""

    async def all_of_it() -> None:
        with asked(folder) as asking:
            state = State(f"sqlite:///{folder / 'state.sqlite'}")
            handler = Handler(state, asking, secret="of the tests")
            try:
                async with Served(handler) as served:
                    await scenario(served, state)
            finally:
                handler.close()
                state.close()

    asyncio.run(asyncio.wait_for(all_of_it(), 60))


async def ask(served: Served, conversation: str) -> None:
    own = "<at>Almanac</at>"
    mention = {"type": "mention", "mentioned": served.teams.activity()["recipient"], "text": own}
    await served.teams.send(served.teams.activity(f"{own} doctors in Acre", conversation=conversation, entities=[mention]))
    await served.settled()


def test_the_card_asks_when_of_the_presser_alone_and_the_answer_begins_a_thread(tmp_path: Path) -> None:
    async def scenario(served: Served, state: State) -> None:
        teams = served.teams
        await ask(served, f"{CHANNEL};messageid=1")
        (answer,) = teams.messages
        _, card = await teams.press(answer, say("en", "button_schedule"))
        form = next(element for element in elements(card["value"]) if element["type"] == "Input.Text")
        assert form["id"] == "when" and "doctors in Acre" in "\n".join(texts(card["value"])) and len(teams.messages) == 1
        data = next(e for e in elements(card["value"]) if e["type"] == "Action.Execute")["data"]
        _, told = await teams.press_data(answer, data | {"when": "never"})
        assert told["value"] == say("en", "schedule_when", least=15)
        _, told = await teams.press_data(answer, data | {"when": "כל יום ראשון ב-08:00"})
        (kept,) = Schedules(state).all()
        assert kept.next_text in told["value"] and kept.when.zone == "Asia/Jerusalem"
        await served.settled()
        assert await served.handler.tick(kept.next_at) == 1
        assert await empty_outbox(served.handler, "teams", served.deliver) == 1
        posted = teams.messages[-1]
        assert (posted.how, posted.conversation) == ("post", CHANNEL) and "Acre: 4 rows" in "\n".join(texts(posted.card))
        assert not teams.refused

    play(tmp_path, scenario)


def test_a_channel_is_known_as_soon_as_the_bot_was_met_there_and_a_chat_with_one_person_is_none(tmp_path: Path) -> None:
    async def scenario(served: Served, state: State) -> None:
        for conversation in (f"{CHANNEL};messageid=1", "personal"):
            await served.teams.send(served.teams.activity("help", conversation=conversation))
        await served.settled()
        assert place_named(state, f"teams:{CHANNEL}").channel == CHANNEL
        for name in ("personal", "19:others@thread.tacv2"):
            with pytest.raises(UsageError, match="nobody has asked there yet"):
                place_named(state, f"teams:{name}")

    play(tmp_path, scenario)


def test_its_maker_alone_is_told_that_it_is_paused(tmp_path: Path) -> None:
    async def scenario(served: Served, state: State) -> None:
        teams = served.teams
        await ask(served, f"{CHANNEL};messageid=1")
        place = place_named(state, f"teams:{CHANNEL}")
        maker = person_named(state, place, "aad-ann")
        kept = Schedules(state).add(Schedule(to_channel(place, maker), maker, "doctors in Acre", "en", read_when("daily 8:00", "UTC")))
        assert await served.handler.tick(kept.next_at) == 1
        teams.members[CHANNEL] = ["Dana", "ben"]
        await served.handler.tick(Schedules(state).all()[0].next_at)
        assert not Schedules(state).all()[0].paused, "who is there is known for a while"
        served.surface.people._members._held.clear()
        served.surface.people._persons._held.clear()
        await served.handler.tick(Schedules(state).all()[0].next_at)
        assert Schedules(state).all()[0].paused == "rights"
        await empty_outbox(served.handler, "teams", served.deliver)
        told = [posted for posted in teams.messages if posted.conversation.startswith("personal of ")]
        assert [posted.conversation for posted in told] == ["personal of aad-ann"]
        assert "cannot be shown to you there any more" in "\n".join(texts(told[0].card))

    play(tmp_path, scenario)
