"""Scheduling at Slack's wire: the modal, another channel, a notice to its maker alone."""

from __future__ import annotations

from bot.chat.asking import Asking
from bot.chat.outbox import empty_outbox
from bot.chat.schedules import Schedules
from bot.chat.sentences import say
from bot.chat.state import State
from tests.slack.driver import Served, to_said
from tests.slack.standin import BOT_USER
from tests.slack.test_surface import element
from tests.slack.views import Modal
from tests.slack.world import asking, play, state

__all__ = ["asking", "state"]  # fixtures


async def form(served: Served, channel: str = "C1") -> Modal:
    """The modal of an answer that was asked for in a channel."""
    await served.slack.ask("doctors in Acre", channel=channel)
    await served.settled()
    answer = served.slack.from_bot()[-1]
    assert await served.slack.press(answer, element(answer, "schedule")) == 200
    await served.settled()
    assert not served.slack.refused
    return served.slack.views.modals[-1]


def test_the_answer_goes_to_the_channel_that_was_chosen(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        modal = await form(served)
        assert await served.slack.submit(modal, when="every Sunday 08:00", where="C2") == 200
        await served.settled()
        (kept,) = Schedules(state).all()
        assert kept.next_text in modal.texts and (kept.place.channel, kept.place.thread, kept.place.private) == ("C2", "", False)
        assert await served.handler.tick(kept.next_at) == 1
        assert await empty_outbox(served.handler, "slack", served.deliver) == 1
        posted = served.slack.from_bot()[-1]
        assert (posted.channel, posted.thread, posted.only_for) == ("C2", "", "") and "Acre: 4 rows" in to_said(posted).text
        assert not served.slack.refused

    play(state, asking, scenario)


def test_what_is_wrong_stands_at_its_field_and_can_be_put_right(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        modal = await form(served)
        await served.slack.submit(modal, when="now and then")
        assert modal.errors == {"when": say("en", "schedule_when", least=15)} and not Schedules(state).all()
        await served.slack.submit(modal, when="weekdays 9:00")
        await served.settled()
        assert not modal.errors and len(Schedules(state).all()) == 1 and not served.slack.refused

    play(state, asking, scenario)


def test_a_channel_without_its_maker_is_refused(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        served.slack.members["C9"] = [BOT_USER, "U2"]
        modal = await form(served)
        await served.slack.submit(modal, when="weekdays 9:00", where="C9")
        await served.settled()
        assert modal.texts == say("en", "schedule_not_there") and not Schedules(state).all()

    play(state, asking, scenario)


def test_a_chat_with_the_bot_alone_can_be_scheduled_for(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        modal = await form(served, "D1")
        await served.slack.submit(modal, when="weekdays 9:00")
        await served.settled()
        (kept,) = Schedules(state).all()
        assert kept.place.private and await served.handler.tick(kept.next_at) == 1
        await empty_outbox(served.handler, "slack", served.deliver)
        assert served.slack.from_bot()[-1].channel == "D1" and "Acre: 4 rows" in served.slack.from_bot()[-1].text

    play(state, asking, scenario)


def test_a_form_that_nobody_opened_is_none(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        modal = await form(served)
        modal.view = modal.view | {"private_metadata": "x"}
        assert await served.slack.submit(modal, when="weekdays 9:00") == 200
        await served.settled()
        assert not modal.open and not Schedules(state).all() and not served.slack.refused

    play(state, asking, scenario)


def test_a_modal_that_was_closed_is_kept_nevertheless(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        modal = await form(served)
        await served.slack.submit(modal, when="weekdays 9:00")
        modal.open = False
        await served.settled()
        assert len(Schedules(state).all()) == 1

    play(state, asking, scenario)


def test_its_maker_alone_is_told_that_it_is_paused(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        modal = await form(served)
        await served.slack.submit(modal, when="weekdays 9:00")
        await served.settled()
        (kept,) = Schedules(state).all()
        served.slack.not_in.add("C1")  # the bot was removed there
        now = kept.next_at
        for _ in range(3):
            assert await served.handler.tick(now) == 1
            await empty_outbox(served.handler, "slack", served.deliver)
            now = Schedules(state).all()[0].next_at
        assert Schedules(state).all()[0].paused == "failures"
        await empty_outbox(served.handler, "slack", served.deliver)
        told = served.slack.from_bot()[-1]
        assert told.channel == "D1" and "three times in a row" in told.text
        assert [message.channel for message in served.slack.from_bot()] == ["C1", "D1"]

    play(state, asking, scenario)


def test_over_a_socket_a_form_is_answered_as_well(state: State, asking: Asking) -> None:
    async def scenario(served: Served) -> None:
        await served.slack.until(lambda: bool(served.slack.sockets))
        said = served.slack.write(f"<@{BOT_USER}> doctors in Acre")
        await served.slack.send_by_socket("events_api", served.slack.event("app_mention", said))
        await served.settled()
        answer = served.slack.from_bot()[-1]
        await served.slack.send_by_socket("interactive", served.slack.press_payload(answer, element(answer, "schedule")))
        await served.settled()
        (modal,) = served.slack.views.modals
        assert await served.slack.submit_by_socket(modal, when="sometimes") == {"when": say("en", "schedule_when", least=15)}
        assert await served.slack.submit_by_socket(modal, when="weekdays 9:00") == {}
        await served.settled()
        assert len(Schedules(state).all()) == 1 and not served.slack.refused

    play(state, asking, scenario, socket=True)
