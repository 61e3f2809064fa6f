"""The handler: exactly one reply whatever happens, within its time, and to whom it may go."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.chat.asking import Asking
from bot.chat.handler import DOUBLE_PRESS, LEASE, Handler
from bot.chat.outbox import empty_outbox
from bot.chat.sentences import say
from bot.chat.state import MOST_TRIES, State
from bot.chat.types import Asker, Incoming, OutboxEntry, Place, Press, Shown, TryLater, Undeliverable
from engine.errors import ExecutionError, PlanError
from engine.types import ChatThread, Reply, Scope, Turn
from tests.bot.replies import answered, table
from tests.chat.test_state import Clock
from tests.chat.world import asked

PLACE = Place("slack", "T1", "C1", "1.0", address="there")
ANN, BEN = Asker("U-ann", "Ann"), Asker("U-ben", "Ben")
SOON = 5.0


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
    with asked(tmp_path_factory.mktemp("world")) as made:
        yield made


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def state(tmp_path: Path, clock: Clock) -> Iterator[State]:
    made = State(f"sqlite:///{tmp_path / 'state.sqlite'}", clock)
    yield made
    made.close()


def heard(text: str = "doctors in Acre", key: str = "e1", place: Place = PLACE, asker: Asker = ANN, **more: object) -> Incoming:
    return Incoming(place, asker, text, (key,), **more)  # type: ignore[arg-type]


def with_handler(state: State, asking: Asking, scenario: Callable[[Handler], Awaitable[None]], **settings: float) -> None:
    """Runs a scenario with a handler that is closed after it."""

    async def all_of_it() -> None:
        handler = Handler(state, asking, **settings)  # type: ignore[arg-type]
        try:
            await scenario(handler)
        finally:
            handler.close()

    asyncio.run(asyncio.wait_for(all_of_it(), 60))


def button(shown: Shown | None, action: str, number: int = 0) -> str:
    """The value of a button or choice of what is shown."""
    assert shown is not None
    every = [*shown.buttons, *(choice for menu in shown.menus for choice in menu.choices)]
    return [each.value for each in every if each.value.startswith(f"{action}.")][number]


def test_two_processes_that_hear_the_same_at_once_reply_once(state: State, asking: Asking) -> None:
    async def scenario(handler: Handler) -> None:
        other = Handler(state, asking)
        shown = await asyncio.gather(*(each.ask(heard()) for each in (handler, other) * 10))
        assert len([one for one in shown if one is not None]) == 1
        other.close()

    with_handler(state, asking, scenario)


def test_the_deadline_is_kept_and_told(state: State, asking: Asking) -> None:
    release = threading.Event()

    def slow(text: str, thread: ChatThread, scope: Scope) -> Reply:
        release.wait(30)
        return answered(table(("Adler", "Acre")))

    async def scenario(handler: Handler) -> None:
        shown = await asyncio.wait_for(handler.ask(heard()), SOON)
        release.set()
        assert shown is not None and shown.reply.kind == "failure"
        assert shown.lines == (say("en", "slow"),)
        assert state.waiting() == 1, "it is a reply like others, which is posted"

    with_handler(state, replace(asking, answer=slow), scenario, deadline=0.2)


def test_the_event_loop_goes_on_while_the_engine_works(state: State, asking: Asking) -> None:
    inside, release = threading.Event(), threading.Event()

    def slow(text: str, thread: ChatThread, scope: Scope) -> Reply:
        inside.set()
        release.wait(30)
        return answered(table(("Adler", "Acre")))

    async def scenario(handler: Handler) -> None:
        asked_for = asyncio.create_task(handler.ask(heard()))
        while not inside.is_set():
            await asyncio.sleep(0.01)
        assert not asked_for.done()
        release.set()
        shown = await asked_for
        assert shown is not None and shown.reply.kind == "answer"

    with_handler(state, replace(asking, answer=slow), scenario)


@pytest.mark.parametrize(("error", "key"), [(ExecutionError("too long"), "slow"), (PlanError("no column"), "gone")])
def test_what_the_engine_refuses_is_told_in_the_language_of_the_question(state: State, asking: Asking, error: Exception, key: str) -> None:
    def refuses(text: str, thread: ChatThread, scope: Scope) -> Reply:
        raise error

    async def scenario(handler: Handler) -> None:
        shown = await handler.ask(heard("врачи в Haifa"))
        assert shown is not None and shown.lines == (say("ru", key),)

    with_handler(state, replace(asking, answer=refuses), scenario)


def test_a_state_that_fails_is_an_incident(state: State, asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(handler: Handler) -> None:
        monkeypatch.setattr(state, "take", None)
        shown = await handler.ask(heard())
        assert shown is not None and shown.reply.kind == "failure" and "incident" in shown.lines[0]
        monkeypatch.setattr(state, "reply", None)
        value = f"page.{'a' * 12}.1.{'A' * 22}"
        told = await handler.press(Press(PLACE, ANN, value))
        assert told is not None and told.lines == (say("en", "old_button"),), "a forged value does not even reach the state"

    with_handler(state, asking, scenario)


def test_a_question_whose_process_died_is_answered_by_another(state: State, asking: Asking, clock: Clock) -> None:
    said: list[OutboxEntry] = []

    async def deliver(entry: OutboxEntry) -> None:
        said.append(entry)

    async def scenario(handler: Handler) -> None:
        assert state.take(heard(), LEASE) is not None  # and then nothing more is heard of that process
        assert await handler.ask(heard()) is None
        assert await empty_outbox(handler, "slack", deliver) == 0
        clock.now += LEASE + 1
        assert await empty_outbox(handler, "slack", deliver) == 1
        assert said[0].place.address == "there" and "Acre: 4 rows" in said[0].shown.reply.parts[0].headline
        assert len(said[0].shown.rows()) == 4
        clock.now += 10_000
        assert await empty_outbox(handler, "slack", deliver) == 0

    with_handler(state, asking, scenario)


def test_a_question_that_ends_every_process_is_given_up_with_a_sentence(state: State, asking: Asking, clock: Clock) -> None:
    async def scenario(handler: Handler) -> None:
        state.take(heard(), 1)
        for _ in range(3):
            clock.now += 1000
            assert state.abandoned("slack", 1)
        clock.now += 1000
        (entry,) = await handler.undelivered("slack")
        assert entry.shown.lines == (say("en", "slow"),)

    with_handler(state, asking, scenario)


def test_a_reply_whose_poster_died_is_said_from_its_plan(state: State, asking: Asking, clock: Clock) -> None:
    async def scenario(handler: Handler) -> None:
        first = await handler.ask(heard("which doctors are in Haifa?"))
        assert first is not None
        clock.now += LEASE + 1
        (entry,) = await handler.undelivered("slack")
        assert entry.shown == replace(first, reply=entry.shown.reply)
        assert entry.shown.rows() == first.rows()
        await handler.posted(first, "1.5")
        clock.now += LEASE + 1
        assert await handler.undelivered("slack") == []

    with_handler(state, asking, scenario)


def test_the_outbox_obeys_the_platform(state: State, asking: Asking, clock: Clock) -> None:
    answers: list[Exception] = [TryLater(30), RuntimeError("lost"), Undeliverable()]
    tries = []

    async def deliver(entry: OutboxEntry) -> None:
        tries.append(clock.now)
        raise answers[len(tries) - 1]

    async def scenario(handler: Handler) -> None:
        await handler.ask(heard())
        start = clock.now + LEASE
        for _ in range(200):
            clock.now += 1
            assert await empty_outbox(handler, "slack", deliver) == 0
        assert tries[0] == start and tries[1] - tries[0] == 30 and 1 <= tries[2] - tries[1] <= 4
        assert len(tries) == 3 < MOST_TRIES
        assert state.waiting() == 0

    with_handler(state, asking, scenario)


def test_history_from_the_platform_counts_where_nothing_is_remembered(state: State, asking: Asking) -> None:
    async def scenario(handler: Handler) -> None:
        earlier = (Turn(who="asker", text="which doctors are in Haifa?"), Turn(who="other", text="good question"))
        shown = await handler.ask(heard("and in Acre?", earlier=earlier))
        assert shown is not None and shown.carried == ("which doctors are in Acre?",)
        assert shown.lines == (say("en", "understood", question="which doctors are in Acre?"),)

    with_handler(state, asking, scenario)


@pytest.mark.parametrize("text", ["\ud800", "doctors \ud800 in Acre", "a\x00b", "doctors\x1b[2J", "\u202edoctors"])
def test_text_that_is_none_is_told_in_a_sentence(state: State, asking: Asking, text: str) -> None:
    async def scenario(handler: Handler) -> None:
        shown = await handler.ask(heard(text))
        assert shown is not None
        told = shown.lines or (shown.reply.parts[0].headline,)
        assert told[0] and "incident" not in told[0]
        told[0].encode()

    with_handler(state, asking, scenario)


def test_a_locale_speaks_where_the_text_has_no_letters(state: State, asking: Asking) -> None:
    async def scenario(handler: Handler) -> None:
        shown = await handler.ask(heard("🎉", locale="he-IL"))
        assert shown is not None and shown.lines == (say("he", "no_word"),)

    with_handler(state, asking, scenario)


def test_a_private_reply_is_for_its_asker_until_it_is_shared(state: State, asking: Asking, clock: Clock) -> None:
    async def scenario(handler: Handler) -> None:
        private = replace(PLACE, private=True)
        shown = await handler.ask(heard(place=private))
        assert shown is not None and shown.private
        told = await handler.press(Press(private, BEN, button(shown, "receipt")))
        assert told is not None and told.lines == (say("en", "not_yours"),) and told.private
        made = await handler.file(Press(private, BEN, button(shown, "file")))
        assert isinstance(made, Shown) and made.lines == (say("en", "not_yours"),)
        share = button(shown, "share")
        shared = await handler.press(Press(private, ANN, share))
        assert shared is not None and not shared.private and not shared.replaces
        assert shared.lines[0].startswith("Ann") and len(shared.rows()) == 4
        assert await handler.press(Press(private, ANN, share)) is None
        seen = await handler.press(Press(PLACE, BEN, button(shared, "receipt")))
        assert seen is not None and seen.view == "receipt"

    with_handler(state, asking, scenario)


def test_a_button_pressed_in_another_workspace_is_none_of_ours(state: State, asking: Asking) -> None:
    async def scenario(handler: Handler) -> None:
        shown = await handler.ask(heard())
        for place in (replace(PLACE, workspace="T2"), replace(PLACE, platform="teams")):
            told = await handler.press(Press(place, ANN, button(shown, "how")))
            assert told is not None and told.view == "notice" and told.lines == (say("en", "old_button"),)

    with_handler(state, asking, scenario)


@pytest.mark.parametrize(
    "value", ["", "page", "page.x.1.y", "a" * 5000, "page.0123456789ab.1." + "A" * 22, "\x00", "correct.0123456789ab.0-0.é"]
)
def test_any_value_is_answered(state: State, asking: Asking, value: str) -> None:
    async def scenario(handler: Handler) -> None:
        told = await handler.press(Press(PLACE, ANN, value))
        assert told is not None and told.lines == (say("en", "old_button"),)
        assert isinstance(await handler.file(Press(PLACE, ANN, value)), Shown)

    with_handler(state, asking, scenario)


def test_another_secret_signs_nothing_here(state: State, asking: Asking) -> None:
    async def scenario(handler: Handler) -> None:
        other = Handler(state, asking, secret="another")
        shown = await other.ask(heard())
        told = await handler.press(Press(PLACE, ANN, button(shown, "how")))
        assert told is not None and told.lines == (say("en", "old_button"),)
        other.close()

    with_handler(state, asking, scenario)


def test_pressed_twice_gives_the_same_once(state: State, asking: Asking, clock: Clock) -> None:
    async def scenario(handler: Handler) -> None:
        shown = await handler.ask(heard("doctors from Safed"))
        receipt = await handler.press(Press(PLACE, ANN, button(shown, "receipt")))
        assert await handler.press(Press(PLACE, ANN, button(shown, "receipt"))) is None
        assert await handler.press(Press(PLACE, BEN, button(shown, "receipt"))) is not None, "someone else may read it too"
        correct = button(receipt, "correct")
        both = await asyncio.gather(*(handler.press(Press(PLACE, ANN, correct)) for _ in range(5)))
        made = [one for one in both if one is not None and one.view == "answer"]
        assert len(made) == 1 and "Dr Hill 01" in {row[0] for row in made[0].rows()}
        clock.now += DOUBLE_PRESS + 1
        told = await handler.press(Press(PLACE, ANN, correct))
        assert told is not None and told.lines == (say("en", "already"),)

    with_handler(state, asking, scenario)


def test_a_redelivered_press_is_none(state: State, asking: Asking) -> None:
    async def scenario(handler: Handler) -> None:
        shown = await handler.ask(heard("which doctors are in Haifa?"))
        press = Press(PLACE, ANN, button(shown, "page"), keys=("trigger 1",))
        first = await handler.press(press)
        assert first is not None and first.page == 2 and first.replaces
        assert await handler.press(press) is None
        again = await handler.press(replace(press, keys=("trigger 2",)))
        assert again == replace(first, reply=again.reply) if again else False

    with_handler(state, asking, scenario)


def test_a_correction_can_be_taken_back_and_the_thread_goes_on_from_it(state: State, asking: Asking) -> None:
    async def scenario(handler: Handler) -> None:
        shown = await handler.ask(heard("doctors from Safed"))
        receipt = await handler.press(Press(PLACE, ANN, button(shown, "receipt")))
        corrected = await handler.press(Press(PLACE, ANN, button(receipt, "correct")))
        assert corrected is not None and corrected.reply.parts[0].bindings[0].column == "studied in"
        back = await handler.press(Press(PLACE, ANN, button(corrected, "receipt")))
        assert back is not None and "city = Safed (3 rows)" in {choice.label for choice in back.menus[0].choices}
        original = await handler.press(Press(PLACE, ANN, button(back, "correct")))
        assert original is not None and {row[0] for row in original.rows()} == {"Dr Lake 01", "Dr Lake 02", "Dr Lake 03"}

    with_handler(state, asking, scenario)


def test_help_names_the_tables(state: State, asking: Asking) -> None:
    async def scenario(handler: Handler) -> None:
        shown = await handler.about(heard(locale="es-ES"), "help")
        assert shown is not None and "doctors" in shown.lines[0] and shown.language == "es"
        assert await handler.about(heard(locale="es-ES"), "help") is None

    with_handler(state, asking, scenario)


def test_every_question_has_one_reply_under_load_and_redelivery(state: State, asking: Asking) -> None:
    def slow(text: str, thread: ChatThread, scope: Scope) -> Reply:
        time.sleep(0.02)
        return answered(table(("Adler", "Acre")), headline=text)

    async def scenario(handler: Handler) -> None:
        messages = [heard(f"question {number}", f"e{number % 150}") for number in range(300)]
        shown = await asyncio.gather(*map(handler.ask, messages))
        assert sorted(one.reply.parts[0].headline for one in shown if one) == sorted(f"question {number}" for number in range(150))

    with_handler(state, replace(asking, answer=slow), scenario)
