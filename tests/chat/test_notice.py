"""The off switch: everything is answered with the notice, and nothing is looked up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from bot.chat.asking import Asking
from bot.chat.handler import Handler
from bot.chat.state import State
from bot.chat.types import Press, Shown
from tests.chat.test_handler import ANN, PLACE, button, heard, with_handler
from tests.chat.test_state import Clock
from tests.chat.world import asked

NOTICE = "We are closed until Monday."


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
    with asked(tmp_path_factory.mktemp("world")) as made:
        yield made


def test_everything_is_answered_with_the_notice_and_nothing_is_looked_up(asking: Asking, tmp_path: Path) -> None:
    clock = Clock()
    state = State(f"sqlite:///{tmp_path / 'state.sqlite'}", clock)
    before: list[Shown] = []

    async def open_house(handler: Handler) -> None:
        shown = await handler.ask(heard())
        waits = await handler.ask(heard("doctors in Haifa", "e2"))
        assert shown is not None and waits is not None
        await handler.posted(shown)
        before.extend((shown, waits))

    def looked_up(*_: object) -> NoReturn:
        raise AssertionError("it was looked up")

    async def closed(handler: Handler) -> None:
        for number, text in enumerate(["doctors in Acre", "", "and in Haifa?"]):
            shown = await handler.ask(heard(text, f"new {number}"))
            assert shown is not None and shown.view == "notice" and shown.lines == (NOTICE,)
            await handler.posted(shown)
        for action in ("receipt", "how", "csv", "judge"):
            value = button(before[0], "file" if action == "csv" else action)
            pressed = await handler.press(Press(PLACE, ANN, value, (action,)))
            assert pressed is not None and pressed.lines == (NOTICE,) and pressed.private
        taken = await handler.file(Press(PLACE, ANN, button(before[0], "file")))
        assert isinstance(taken, Shown) and taken.lines == (NOTICE,)
        about = await handler.about(heard("tables", "about"), "tables")
        assert about is not None and about.lines == (NOTICE,)
        clock.now += 1000
        (entry,) = await handler.undelivered("slack")
        assert entry.id == before[1].reply_id and entry.shown.lines == (NOTICE,)

    with_handler(state, asking, open_house)
    shut = replace(asking, answer=looked_up, again=looked_up, correct=looked_up, pick=looked_up, tables=looked_up)
    with_handler(state, shut, closed, notice=NOTICE)  # type: ignore[arg-type]
    assert state.verdicts(before[0].reply_id) == {}
    state.close()
