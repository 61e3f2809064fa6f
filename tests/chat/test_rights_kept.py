"""Rights over what is kept: a reply that waited, and a button that comes back from elsewhere, show nothing to people who may not see it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
import xlsxwriter

from bot.chat.asking import asking_of
from bot.chat.audit import Audit
from bot.chat.handler import LEASE, Handler
from bot.chat.sentences import say
from bot.chat.state import State
from bot.chat.types import Asker, Incoming, Place, Press, RowsFile, Shown
from cache.versions import Store
from engine.catalog import load_catalog
from engine.embed import default_embedder
from engine.errors import ExecutionError
from engine.library import Library
from engine.rights import Person
from engine.types import EVERYTHING, ChatThread, Reply, Scope
from tests.chat.test_handler import button
from tests.chat.test_state import Clock
from tests.chat.world import ruled

HEADS, ALL = Place("slack", "T1", "C-heads", "1", address="heads"), Place("slack", "T1", "C-all", "1", address="all")
ANN, BEN = Asker("ann"), Asker("ben")


class Channels:
    """A platform whose channels have these people, who are all of the organisation."""

    def __init__(self) -> None:
        self.people = {"C-heads": (ANN,), "C-all": (ANN, BEN)}

    async def identify(self, place: Place, asker: Asker) -> Asker:
        """The same."""
        return asker

    async def audience(self, place: Place) -> tuple[Asker, ...] | None:
        """Whoever is there now."""
        return self.people[place.channel]


def ruled_chat(folder: Path, scenario: Callable[[Handler, Channels, Clock, State], Awaitable[None]]) -> None:
    """Runs a scenario where ann may see all, and ben neither phones nor the second ward."""

    async def all_of_it() -> None:
        clock, channels = Clock(), Channels()
        with ruled(folder) as asking:
            state = State(f"sqlite:///{folder / 'state.sqlite'}", clock)
            handler = Handler(state, asking)
            handler.introduce("slack", channels)
            try:
                await scenario(handler, channels, clock, state)
            finally:
                handler.close()
                state.close()

    asyncio.run(all_of_it())


def told(shown: Shown | None) -> str:
    """All that is in it."""
    assert shown is not None
    labels = [choice.label for menu in shown.menus for choice in menu.choices]
    return "\n".join([*shown.lines, *labels, shown.code, str(shown.reply.to_json())])


def test_a_question_back_that_waited_is_asked_anew_for_whoever_reads_it_now(tmp_path: Path) -> None:
    async def scenario(handler: Handler, channels: Channels, clock: Clock, state: State) -> None:
        shown = await handler.ask(Incoming(HEADS, ANN, "doctors in Rosh", ("e1",)))
        assert "ward = Rosh" in told(shown) and shown is not None and shown.menus, "of the two, ben may see none"
        channels.people["C-heads"] = (ANN, BEN)
        clock.now += LEASE + 1
        (entry,) = await handler.undelivered("slack")
        assert "ward" not in told(entry.shown) and not entry.shown.menus

    ruled_chat(tmp_path, scenario)


def test_a_question_back_that_waited_is_not_said_by_a_server_that_answers_with_a_notice(tmp_path: Path) -> None:
    async def scenario(handler: Handler, channels: Channels, clock: Clock, state: State) -> None:
        await handler.ask(Incoming(HEADS, ANN, "doctors in Rosh", ("e1",)))
        clock.now += LEASE + 1
        other = Handler(state, handler._desk.asking, notice="Closed today.")
        other.introduce("slack", channels)
        (entry,) = await other.undelivered("slack")
        other.close()
        assert entry.shown.lines == ("Closed today.",) and "ward" not in told(entry.shown)

    ruled_chat(tmp_path, scenario)


@pytest.mark.parametrize("action", ["receipt", "how", "page", "file"])
def test_a_button_that_is_pressed_in_another_channel_is_none(tmp_path: Path, action: str) -> None:
    async def scenario(handler: Handler, channels: Channels, clock: Clock, state: State) -> None:
        shown = await handler.ask(Incoming(HEADS, ANN, "all doctors", ("e1",)))
        press = Press(ALL, ANN, button(shown, action))
        after = await handler.press(press)
        assert after is not None and after.lines == (say("en", "old_button"),)
        made = await handler.file(press)
        assert isinstance(made, Shown)
        alone = await handler.press(replace(press, place=replace(ALL, channel="D1", private=True)))
        assert alone is not None and alone.lines != after.lines, "in a chat with the bot alone it is the presser's own"

    ruled_chat(tmp_path, scenario)


def test_the_file_of_a_reply_that_one_person_sees_is_for_that_person(tmp_path: Path) -> None:
    async def scenario(handler: Handler, channels: Channels, clock: Clock, state: State) -> None:
        shown = await handler.ask(Incoming(ALL, ANN, "all doctors", ("e1",)))
        assert shown is not None
        more = await handler.press(Press(ALL, ANN, button(shown.aside, "more")))
        for reply in (shown, more):
            made = await handler.file(Press(ALL, ANN, button(reply, "file")))
            assert isinstance(made, RowsFile) and not made.for_all and b"04-600001" in made.content
        made = await handler.file(Press(ALL, BEN, button(shown, "file")))
        assert isinstance(made, RowsFile) and made.for_all

    ruled_chat(tmp_path, scenario)


def test_who_is_refused_is_in_the_audit_with_what_they_asked(tmp_path: Path) -> None:
    async def scenario(handler: Handler, channels: Channels, clock: Clock, state: State) -> None:
        (tmp_path / "people.csv").unlink()
        shown = await handler.ask(Incoming(ALL, BEN, "phone of Dr Port 01", ("e1",)))
        assert shown is not None and shown.lines == (say("en", "unknown_people"),)
        (entry,) = Audit(state).read()
        assert (entry.asker, entry.question, entry.kind, entry.rows) == ("ben", "phone of Dr Port 01", "failure", 0)

    ruled_chat(tmp_path, scenario)


def test_the_audit_keeps_the_row_numbers_of_every_sheet_of_a_table(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(tmp_path / "staff.xlsx") as book:
        for name, noun in (("nurses", "nurse"), ("drivers", "driver")):
            sheet = book.add_worksheet(name)
            for at, row in enumerate(((noun, "ward"), *((f"{noun} {number}", "First") for number in range(4)))):
                sheet.write_row(at, 0, row)
    (tmp_path / "almanac.toml").write_text('[tables.staff]\nsource = "staff.xlsx"\naudit_rows = true\n', encoding="utf-8")
    library = Library(load_catalog(tmp_path / "almanac.toml"), Store(tmp_path / "store"), default_embedder())
    asking = asking_of(library, EVERYTHING)
    try:
        assert {table.name for table in library.under(EVERYTHING)} == {"nurses", "drivers"}
        assert asking.audit_rows("nurses") and asking.audit_rows("drivers") and not asking.audit_rows("staffs")
    finally:
        library.close()


def test_what_all_may_see_is_said_even_if_it_cannot_be_told_whether_one_sees_more(tmp_path: Path) -> None:
    async def scenario(handler: Handler, channels: Channels, clock: Clock, state: State) -> None:
        asking = handler._desk.asking

        def slow_alone(text: str, thread: ChatThread, scope: Scope) -> Reply:
            if scope == asking.rights.scope_of(Person(ids=(ANN.id,))):  # type: ignore[union-attr]
                raise ExecutionError("It took too long.")
            return asking.answer(text, thread, scope)

        handler._desk.asking = replace(asking, answer=slow_alone)
        shown = await handler.ask(Incoming(ALL, ANN, "doctors in Acre", ("e1",)))
        assert "Dr Acre 01" in told(shown) and shown is not None and shown.aside is None

    ruled_chat(tmp_path, scenario)
