"""The contract on the terminal, and what is its own."""

from __future__ import annotations

import asyncio
import io
import re
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.chat.asking import Asking
from bot.chat.handler import Handler
from bot.chat.state import State
from bot.chat.terminal import Terminal, converse, options_of
from bot.chat.types import Asker
from tests.chat.contract import ANN, Contract, Driver, Offer, Said
from tests.chat.world import asked


class TerminalDriver(Driver):
    """Types into a conversation and reads what it prints."""

    platform = "terminal"
    redelivers = False

    async def open(self) -> None:
        self._folder = TemporaryDirectory()
        self._out = io.StringIO()
        self._terminals: dict[str, Terminal] = {}
        self._said: list[Said] = []

    async def close(self) -> None:
        self._folder.cleanup()

    async def ask(self, text: str, *, asker: str = ANN, thread: str = "one", event: str = "") -> None:
        if thread not in self._terminals:
            self._terminals[thread] = Terminal(self.handler, self._out, asker=Asker(asker), folder=Path(self._folder.name))
        self._last = self._terminals[thread]
        await self._last.say(text)
        self._read()

    async def press(self, offer: Offer, said: Said, *, asker: str = ANN) -> None:
        await self._last.press(offer.value)
        self._read()
        for path in Path(self._folder.name).iterdir():
            self.files.append((path.name, path.read_bytes()))

    def said(self) -> list[Said]:
        return self._said

    def _read(self) -> None:
        printed = self._out.getvalue()
        self._out.seek(0)
        self._out.truncate()
        shown = self._last.shown
        if not printed or shown is None:
            return
        controls = tuple(re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", printed))
        said = Said(printed, tuple(Offer(option.label, option.value) for option in options_of(shown)), controls)
        if shown.replaces:
            self._said[-1] = said
        else:
            self._said.append(said)


class TestTerminal(Contract):
    """The terminal is a chat like the others."""

    @staticmethod
    def make(handler: Handler) -> Driver:
        return TerminalDriver(handler)


def test_what_is_offered_is_done_by_its_number(tmp_path: Path) -> None:
    typed = iter(["which doctors are in Haifa?", "1", "3"])

    def read() -> str:
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    def talk(asking: Asking) -> str:
        out = io.StringIO()
        handler = Handler(State("sqlite://"), asking)
        asyncio.run(converse(Terminal(handler, out, folder=tmp_path), read, out))
        handler.close()
        return out.getvalue()

    with asked(tmp_path) as asking:
        printed = talk(asking)
    assert "1. Next" in printed
    assert "Rows 11-20 of 23" in printed
    assert "How I understood it" in printed
