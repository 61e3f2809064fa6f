"""What every chat must do, as tests that a surface's own test class inherits; the surface is driven at its wire through a Driver."""

from __future__ import annotations

import asyncio
import csv
import io
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from bot.chat.asking import Asking
from bot.chat.handler import Handler
from bot.chat.outbox import empty_outbox
from bot.chat.schedules import Schedules
from bot.chat.sentences import say
from bot.chat.state import State
from bot.chat.types import Deliver
from tests.chat.world import ACRE, HAIFA, HOSTILE, SAFED, asked, ruled

ANN, BEN = "ann", "ben"  # the driver makes the platform's ids of them


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that can be pressed or chosen in a message: its label and its value, as they stood on the wire."""

    label: str
    value: str

    @property
    def action(self) -> str:
        """What it does: page, receipt, how, file, judge, correct, pick, share."""
        return self.value.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the bot as it stands now: everything that a person reads in it, escapes undone.

    alive: mentions and links that the platform would make of it. to: who alone sees it, empty for everybody. name: the platform's id of it.
    """

    text: str
    offers: tuple[Offer, ...] = ()
    alive: tuple[str, ...] = ()
    to: str = ""
    name: str = ""

    def offer(self, action: str, number: int = 0) -> Offer:
        """The offer of that action; AssertionError where the message has none."""
        found = [offer for offer in self.offers if offer.action == action]
        assert len(found) > number, f"there is no {action} among {[offer.value for offer in self.offers]}"
        return found[number]

    def has(self, action: str) -> bool:
        """Whether it offers that action."""
        return any(offer.action == action for offer in self.offers)


@dataclass
class Driver(ABC):
    """A surface, run for real against a stand-in of its platform."""

    handler: Handler
    files: list[tuple[str, bytes]] = field(default_factory=list)

    platform = ""
    can_send_nothing = True  # whether the platform lets a person send an empty message
    redelivers = True  # whether the platform sends a message again

    @abstractmethod
    async def open(self) -> None:
        """Starts the surface and the stand-in."""

    @abstractmethod
    async def close(self) -> None:
        """Stops both."""

    @abstractmethod
    async def ask(self, text: str, *, asker: str = ANN, thread: str = "one", event: str = "") -> None:
        """Sends a message to the bot and waits until all that follows has happened; the same event is the platform's redelivery."""

    @abstractmethod
    async def press(self, offer: Offer, said: Said, *, asker: str = ANN) -> None:
        """Presses what a message offers, and waits likewise."""

    async def schedule(self, offer: Offer, said: Said, when: str, *, asker: str = ANN) -> str:
        """Presses what opens a form, writes when and sends it; what is then told to the person alone."""
        raise NotImplementedError

    @abstractmethod
    def said(self) -> list[Said]:
        """The bot's messages as they stand, oldest first."""

    def files_for_all(self) -> list[bytes]:
        """The files that stand where others than whoever asked for them can have them."""
        return []

    def refuse(self, refusing: bool) -> None:
        """The platform takes no message for now, or takes them again."""
        raise NotImplementedError

    @property
    def deliver(self) -> Deliver:
        """What the surface's register gave."""
        raise NotImplementedError


Scenario = Callable[[Driver], Awaitable[None]]


class Contract:
    """Inherited by a test class with `make`, which gives the surface's Driver."""

    @staticmethod
    def make(handler: Handler) -> Driver:
        """The driver of the surface."""
        raise NotImplementedError

    @pytest.fixture(scope="class")
    @classmethod
    def asking(cls, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
        """The engine over a small table."""
        with asked(tmp_path_factory.mktemp("world")) as made:
            yield made

    @pytest.fixture
    def state(self, tmp_path: Path) -> Iterator[State]:
        """A state database in a file."""
        made = State(f"sqlite:///{tmp_path / 'state.sqlite'}")
        yield made
        made.close()

    def run(self, state: State, asking: Asking, scenario: Scenario) -> None:
        """Runs a scenario on the surface."""

        async def all_of_it() -> None:
            handler = Handler(state, asking, secret="of the tests")
            driver = self.make(handler)
            await driver.open()
            try:
                await scenario(driver)
            finally:
                await driver.close()
                handler.close()

        asyncio.run(asyncio.wait_for(all_of_it(), 60))

    # ---- a question and its reply

    def test_a_question_has_one_reply_with_its_count(self, state: State, asking: Asking) -> None:
        async def scenario(driver: Driver) -> None:
            await driver.ask("which doctors are in Haifa?")
            (said,) = driver.said()
            assert "Haifa: 23 rows" in said.text
            assert "Dr Haifa 01" in said.text and "04-100001" in said.text
            assert f"of {HAIFA}" in said.text
            assert "Dr Acre 01" not in said.text
            assert state.waiting() == 0

        self.run(state, asking, scenario)

    def test_a_redelivery_has_none(self, state: State, asking: Asking) -> None:
        async def scenario(driver: Driver) -> None:
            if not driver.redelivers:
                pytest.skip(f"{driver.platform} sends nothing again")
            for _ in range(3):
                await driver.ask("doctors in Acre", event="e1")
            assert len(driver.said()) == 1
            await driver.ask("doctors in Acre", event="e2")
            assert len(driver.said()) == 2

        self.run(state, asking, scenario)

    def test_a_redelivery_after_a_restart_has_none(self, state: State, asking: Asking) -> None:
        async def scenario(driver: Driver) -> None:
            if not driver.redelivers:
                pytest.skip(f"{driver.platform} sends nothing again")
            await driver.ask("doctors in Acre", event="over a restart")

        async def again(driver: Driver) -> None:
            await scenario(driver)
            assert not driver.said()
            await driver.ask("doctors in Acre", event="something new")
            assert len(driver.said()) == 1

        self.run(state, asking, scenario)
        self.run(state, asking, again)

    def test_a_thread_goes_on(self, state: State, asking: Asking) -> None:
        async def scenario(driver: Driver) -> None:
            await driver.ask("which doctors are in Haifa?")
            await driver.ask("and in Acre?")
            said = driver.said()[-1]
            assert "Acre: 4 rows" in said.text and "which doctors are in Acre?" in said.text
            assert f"Dr Acre {ACRE:02}" in said.text and "Dr Haifa" not in said.text

        self.run(state, asking, scenario)

    def test_another_thread_knows_nothing_of_it(self, state: State, asking: Asking) -> None:
        async def scenario(driver: Driver) -> None:
            await driver.ask("cardiology in Haifa", thread="one")
            await driver.ask("and in Acre?", thread="two")
            assert "cardiology" not in driver.said()[-1].text.casefold().replace("dr acre", "").split("acre: 4 rows")[0]

        self.run(state, asking, scenario)

    @pytest.mark.parametrize(
        ("question", "language"),
        [("doctors in Haifa", "en"), ("אילו רופאים בנתניה?", "he"), ("врачи в Haifa", "ru"), ("médicos en Haifa", "es")],
    )
    def test_the_reply_is_in_the_language_of_the_question(self, state: State, asking: Asking, question: str, language: str) -> None:
        async def scenario(driver: Driver) -> None:
            await driver.ask(question)
            (said,) = driver.said()
            assert say(language, "button_how") in [offer.label for offer in said.offers]
            assert "Dr Haifa 01" in said.text or "ד״ר כהן" in said.text

        self.run(state, asking, scenario)

    # ---- what can be pressed

    def test_all_rows_can_be_paged_through(self, state: State, asking: Asking) -> None:
        async def scenario(driver: Driver) -> None:
            await driver.ask("which doctors are in Haifa?")
            (said,) = driver.said()
            seen = {name for name in _names() if name in said.text}
            assert 0 < len(seen) < HAIFA
            for _ in range(HAIFA):
                onward = [offer for offer in said.offers if offer.action == "page"][-1]
                if onward.label != say("en", "next"):
                    break
                await driver.press(onward, said)
                assert len(driver.said()) == 1, "a page takes the place of the page before"
                (said,) = driver.said()
                seen |= {name for name in _names() if name in said.text}
            assert seen == set(_names())
            await driver.press(said.offer("page"), said)
            assert say("en", "next") in [offer.label for offer in driver.said()[0].offers]

        self.run(state, asking, scenario)

    def test_the_receipt_tells_how_it_was_understood_and_corrects_it_once(self, state: State, asking: Asking) -> None:
        async def scenario(driver: Driver) -> None:
            await driver.ask("doctors from Safed")
            answer = driver.said()[0]
            assert "Dr Lake 01" in answer.text
            await driver.press(answer.offer("receipt"), answer)
            receipt = driver.said()[-1]
            assert "Safed → city = Safed" in receipt.text
            correction = receipt.offer("correct")
            assert "studied in = Safed" in correction.label
            before = len(driver.said())
            await driver.press(correction, receipt)
            corrected = driver.said()[-1]
            assert f"Dr Hill {SAFED:02}" in corrected.text and "Dr Lake" not in corrected.text
            await driver.press(correction, receipt)
            assert len([said for said in driver.said()[before:] if "Dr Hill 01" in said.text]) == 1

        self.run(state, asking, scenario)

    def test_how_it_was_got_shows_the_query(self, state: State, asking: Asking) -> None:
        async def scenario(driver: Driver) -> None:
            await driver.ask("doctors in Acre")
            (answer,) = driver.said()
            await driver.press(answer.offer("how"), answer)
            said = driver.said()[-1]
            assert "SELECT row_id" in said.text and "city = Acre" in said.text

        self.run(state, asking, scenario)

    def test_a_question_back_is_answered_by_its_readings(self, state: State, asking: Asking) -> None:
        async def scenario(driver: Driver) -> None:
            await driver.ask("doctors with Rosh")
            asked_back = driver.said()[0]
            choices = [offer for offer in asked_back.offers if offer.action == "pick"]
            assert len(choices) == 2
            chosen = next(offer for offer in choices if "clinic" in offer.label)
            await driver.press(chosen, asked_back)
            said = driver.said()[-1]
            assert "Dr Port 01" in said.text and "Dr Inn 01" not in said.text

        self.run(state, asking, scenario)

    @pytest.mark.parametrize("kind", ["csv", "xlsx"])
    def test_all_rows_can_be_had_as_a_file(self, state: State, asking: Asking, kind: str) -> None:
        async def scenario(driver: Driver) -> None:
            await driver.ask("which doctors are in Haifa?")
            (answer,) = driver.said()
            wanted = next(offer for offer in answer.offers if offer.action == "file" and f".{kind}." in offer.value)
            await driver.press(wanted, answer)
            ((name, content),) = driver.files
            assert name.endswith(f".{kind}")
            if kind == "csv":
                rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
                assert len(rows) == HAIFA + 1
                assert {row[0] for row in rows[1:]} == set(_names())
            else:
                assert "xl/worksheets/sheet1.xml" in zipfile.ZipFile(io.BytesIO(content)).namelist()

        self.run(state, asking, scenario)

    def test_a_thumb_counts_once_for_each(self, state: State, asking: Asking) -> None:
        async def scenario(driver: Driver) -> None:
            await driver.ask("doctors in Acre")
            (answer,) = driver.said()
            up, down = answer.offer("judge", 0), answer.offer("judge", 1)
            await driver.press(up, answer)
            await driver.press(up, answer)
            await driver.press(down, answer)
            assert list(state.verdicts(up.value.split(".")[1]).values()) == ["down"]

        self.run(state, asking, scenario)

    def test_a_press_by_someone_else_works_where_everyone_sees_the_reply(self, state: State, asking: Asking) -> None:
        async def scenario(driver: Driver) -> None:
            if driver.platform == "terminal":
                pytest.skip("there is one person at a terminal")
            await driver.ask("which doctors are in Haifa?", asker=ANN)
            (answer,) = driver.said()
            await driver.press(answer.offer("page"), answer, asker=BEN)
            assert "Dr Haifa 11" in driver.said()[0].text

        self.run(state, asking, scenario)

    # ---- two people of different rights in one thread

    def test_all_see_what_all_may_see_and_one_more_alone(self, state: State, tmp_path: Path) -> None:
        async def scenario(driver: Driver) -> None:
            if driver.platform == "terminal":
                pytest.skip("there is one person at a terminal")
            await driver.ask("phone of Dr Port 01", asker=ANN)
            await driver.ask("doctors in Eilat", asker=ANN)
            asides = [said for said in driver.said() if say("en", "more") in said.text]
            assert [said.to for said in asides] == [ANN, ANN]
            await driver.press(asides[0].offer("more"), asides[0], asker=ANN)
            (alone,) = [said for said in driver.said() if "04-600001" in said.text]
            assert alone.to == ANN
            await driver.ask("phone of Dr Port 01", asker=BEN, thread="two")
            await driver.ask("doctors in Rehovot", asker=BEN, thread="two")
            hidden, _absent = [said for said in driver.said() if not said.to][-2:]
            assert "04-6" not in hidden.text and not [said for said in driver.said() if said.to == BEN]
            for said in driver.said():
                assert said.to == ANN or not ("04-" in said.text or "Dr Inn" in said.text or "Second" in said.text), said

        with ruled(tmp_path) as asking:
            self.run(state, asking, scenario)

    def test_whoever_presses_gets_it_under_their_own_rights(self, state: State, tmp_path: Path) -> None:
        async def scenario(driver: Driver) -> None:
            if driver.platform == "terminal":
                pytest.skip("there is one person at a terminal")
            await driver.ask("doctors in Acre", asker=BEN)
            answer = driver.said()[0]
            for asker, phones in ((BEN, 0), (ANN, ACRE)):
                for action in ("receipt", "how", "file"):
                    await driver.press(answer.offer(action), answer, asker=asker)
                csv_file = driver.files[-1][1].decode("utf-8-sig")
                assert csv_file.count("Dr Acre") == ACRE and csv_file.count("04-2000") == phones
            assert not [content for content in driver.files_for_all() if b"04-2000" in content]
            for said in driver.said():
                assert said.to == ANN or not ("phone" in said.text or "04-" in said.text), said

        with ruled(tmp_path) as asking:
            self.run(state, asking, scenario)

    def test_where_nobody_can_tell_who_asks_nothing_is_shown(self, state: State, tmp_path: Path) -> None:
        async def scenario(driver: Driver) -> None:
            if driver.platform == "terminal":
                pytest.skip("there is one person at a terminal")
            (tmp_path / "people.csv").unlink()
            await driver.ask("doctors in Acre", asker=ANN)
            (said,) = driver.said()
            assert say("en", "unknown_people") in said.text and "Dr Acre" not in said.text

        with ruled(tmp_path) as asking:
            self.run(state, asking, scenario)

    # ---- a question that is asked again at its times

    def test_an_answer_is_scheduled_said_at_its_time_and_stopped_by_its_maker(self, state: State, asking: Asking) -> None:
        async def scenario(driver: Driver) -> None:
            if driver.platform == "terminal":
                pytest.skip("nothing is scheduled from a terminal")
            await driver.ask("which doctors are in Haifa?", thread="one")
            await driver.ask("and in Acre?", thread="one")
            answer = driver.said()[-1]
            told = await driver.schedule(answer.offer("schedule"), answer, "every Sunday 08:00")
            (kept,) = Schedules(state).all()
            assert "which doctors are in Acre?" in told and kept.next_text in told and kept.maker.id.endswith(ANN)
            before = len(driver.said())
            assert await driver.handler.tick(kept.next_at - 1) == 0
            assert await driver.handler.tick(kept.next_at) == 1
            assert await driver.handler.tick(kept.next_at) == 0
            assert await empty_outbox(driver.handler, driver.platform, driver.deliver) == 1
            assert await empty_outbox(driver.handler, driver.platform, driver.deliver) == 0
            (posted,) = driver.said()[before:]
            assert "Acre: 4 rows" in posted.text and "every Sunday 08:00: which doctors are in Acre?" in posted.text
            assert "Scheduled by ann" in posted.text and not posted.to and not posted.alive and not posted.has("schedule")
            assert Schedules(state).all()[0].outcome == "said"
            await driver.press(posted.offer("stop"), posted, asker=BEN)
            assert driver.said()[-1].to == BEN and "Only ann" in driver.said()[-1].text and not Schedules(state).all()[0].paused
            await driver.press(posted.offer("stop"), posted, asker=ANN)
            assert Schedules(state).all()[0].paused == "maker"
            assert await driver.handler.tick(kept.next_at + 30 * 86_400) == 0

        self.run(state, asking, scenario)

    @pytest.mark.parametrize("when", ["tomorrow", "every 3 minutes", "x" * 90, "<!channel> every day"])
    def test_what_is_no_time_gets_one_sentence_and_schedules_nothing(self, state: State, asking: Asking, when: str) -> None:
        async def scenario(driver: Driver) -> None:
            if driver.platform == "terminal":
                pytest.skip("nothing is scheduled from a terminal")
            await driver.ask("doctors in Acre")
            answer = driver.said()[0]
            told = await driver.schedule(answer.offer("schedule"), answer, when)
            assert say("en", "schedule_when", least=15) in told and not Schedules(state).all()

        self.run(state, asking, scenario)

    def test_somebody_lists_changes_and_removes_their_schedules_alone(self, state: State, asking: Asking) -> None:
        async def scenario(driver: Driver) -> None:
            if driver.platform == "terminal":
                pytest.skip("nothing is scheduled from a terminal")
            await driver.ask("doctors in Acre")
            answer = driver.said()[0]
            await driver.schedule(answer.offer("schedule"), answer, "every Sunday 08:00")
            (before,) = Schedules(state).all()
            await driver.ask(say("ru", "schedules"), asker=BEN)
            none = driver.said()[-1]
            assert none.to == BEN and say("en", "schedule_none") in none.text and not none.offers
            await driver.ask(say("en", "schedules"), asker=ANN)
            listed = driver.said()[-1]
            assert listed.to == ANN and "“doctors in Acre”, every Sunday 08:00; next: " in listed.text
            told = await driver.schedule(listed.offer("edit"), listed, "Mondays 9:00")
            assert "Scheduled: “doctors in Acre”, Mondays 9:00." in told
            (changed,) = Schedules(state).all()
            assert changed.when.cron == "0 9 * * mon" and changed.place == before.place
            await driver.press(listed.offer("pause"), listed)
            assert Schedules(state).all()[0].paused == "maker"
            await driver.ask(say("en", "schedules"), asker=ANN, thread="two")
            listed = driver.said()[-1]
            await driver.press(listed.offer("resume"), listed)
            assert not Schedules(state).all()[0].paused
            await driver.press(listed.offer("remove"), listed, asker=BEN)
            assert Schedules(state).all()
            await driver.press(listed.offer("remove"), listed)
            assert not Schedules(state).all()

        self.run(state, asking, scenario)

    def test_what_is_scheduled_shows_what_all_there_may_see(self, state: State, tmp_path: Path) -> None:
        async def scenario(driver: Driver) -> None:
            if driver.platform == "terminal":
                pytest.skip("nothing is scheduled from a terminal")
            await driver.ask("doctors in Acre", asker=ANN)
            answer = driver.said()[0]
            await driver.schedule(answer.offer("schedule"), answer, "every day 08:00", asker=ANN)
            (kept,) = Schedules(state).all()
            before = len(driver.said())
            assert await driver.handler.tick(kept.next_at) == 1
            await empty_outbox(driver.handler, driver.platform, driver.deliver)
            (posted,) = driver.said()[before:]
            assert "Dr Acre 01" in posted.text and "04-2000" not in posted.text and not posted.to
            await driver.press(posted.offer("how"), posted, asker=ANN)
            assert driver.said()[-1].to == ANN

        with ruled(tmp_path) as asking:
            self.run(state, asking, scenario)

    # ---- what is wrong, and what is hostile

    def test_a_value_that_was_not_signed_here_gets_one_sentence(self, state: State, asking: Asking) -> None:
        async def scenario(driver: Driver) -> None:
            await driver.ask("which doctors are in Haifa?")
            (answer,) = driver.said()
            good = answer.offer("page")
            head, _, signature = good.value.rpartition(".")
            forged = replace(good, value=f"{head.rpartition('.')[0]}.3.{signature}")
            await driver.press(forged, answer)
            assert [said for said in driver.said() if say("en", "old_button") in said.text]
            assert not [said for said in driver.said() if "Dr Haifa 21" in said.text]

        self.run(state, asking, scenario)

    def test_a_button_of_a_reply_that_is_forgotten_gets_one_sentence(self, state: State, asking: Asking) -> None:
        async def scenario(driver: Driver) -> None:
            await driver.ask("which doctors are in Haifa?")
            (answer,) = driver.said()
            assert state.forget(-1) > 0
            await driver.press(answer.offer("page"), answer)
            assert [said for said in driver.said() if say("en", "old_button") in said.text]

        self.run(state, asking, scenario)

    @pytest.mark.parametrize(("text", "key"), [("x" * 40_000, "too_long"), ("🎉🎉 👍", "no_word"), ("", "empty")])
    def test_what_is_no_question_gets_one_sentence(self, state: State, asking: Asking, text: str, key: str) -> None:
        async def scenario(driver: Driver) -> None:
            if not text and not driver.can_send_nothing:
                pytest.skip(f"{driver.platform} sends no empty message")
            await driver.ask(text)
            (said,) = driver.said()
            assert say("en", key, length=f"{len(text):,}", most="2,000") in said.text
            assert not said.offers

        self.run(state, asking, scenario)

    def test_cells_mention_nobody_and_open_no_link(self, state: State, asking: Asking) -> None:
        async def scenario(driver: Driver) -> None:
            await driver.ask("doctors in Lod")
            (said,) = driver.said()
            assert said.alive == ()
            shown = "".join(said.text.split())
            for part in ("<!channel>", "<@U0HOST>", "*bold*", "[here](https://evil.example/x)", "`code`", "&amp;", "=1+1"):
                assert part in shown, f"{part} of {HOSTILE} is not shown as it stands"

        self.run(state, asking, scenario)

    def test_a_question_that_is_hostile_comes_back_harmless(self, state: State, asking: Asking) -> None:
        async def scenario(driver: Driver) -> None:
            await driver.ask("doctors in <!everyone> [x](https://evil.example/q) Haifa zzz")
            assert driver.said()
            assert all(said.alive == () for said in driver.said())

        self.run(state, asking, scenario)

    def test_an_error_is_told_by_its_incident_alone(self, state: State, asking: Asking) -> None:
        def fails(*_: object) -> object:
            raise RuntimeError("the password is hunter2")

        async def scenario(driver: Driver) -> None:
            await driver.ask("doctors in Acre")
            (said,) = driver.said()
            assert "hunter2" not in said.text and "RuntimeError" not in said.text
            assert say("en", "incident", incident="").rstrip(".") in said.text

        self.run(state, replace(asking, answer=fails), scenario)

    def test_a_reply_that_cannot_be_posted_is_said_later_and_once(self, state: State, asking: Asking) -> None:
        async def scenario(driver: Driver) -> None:
            if driver.platform == "terminal":
                pytest.skip("a terminal is always there")
            driver.refuse(True)
            await driver.ask("doctors in Acre")
            assert not driver.said()
            assert state.waiting() == 1
            driver.refuse(False)
            for _ in range(100):
                if await empty_outbox(driver.handler, driver.platform, driver.deliver):
                    break
                await asyncio.sleep(0.1)
            (said,) = driver.said()
            assert "Acre: 4 rows" in said.text and "Dr Acre 01" in said.text
            assert await empty_outbox(driver.handler, driver.platform, driver.deliver) == 0
            assert state.waiting() == 0

        self.run(state, asking, scenario)


def _names() -> list[str]:
    return [f"Dr Haifa {number:02}" for number in range(1, HAIFA + 1)]
