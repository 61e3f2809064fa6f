"""The terminal as a surface: one conversation, its buttons and choices as numbers to type."""

from __future__ import annotations

import asyncio
import getpass
import re
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TextIO

from rich.console import Console
from rich.text import Text

from bot.chat.asking import Asking
from bot.chat.handler import Handler
from bot.chat.sentences import say
from bot.chat.state import State
from bot.chat.types import Asker, Button, Choice, Incoming, Place, Press, Shown
from bot.escape import isolated, lines, one_line
from bot.receipt import note_lines, receipt_lines, shown_value, unused_line, words_of
from bot.terminal import print_rows
from engine.types import Answer

_NUMBER: Final = re.compile(r"\s*([0-9]{1,3})\s*\.?\s*")


def to_lines(shown: Shown) -> list[str]:
    """What is shown, as lines of plain text: cells divided by tabs, what can be done numbered from 1."""
    written = [one_line(line) for line in shown.lines]
    if shown.code:
        written.append(one_line(shown.code))
    if shown.view == "answer":
        for number, part in enumerate(shown.reply.parts):
            written += _before(part)
            if part.result and shown.rows(number):
                words = words_of(part.language)
                written.append("\t".join(one_line(column.name) for column in part.result.columns))
                written += ["\t".join(one_line(shown_value(value, words)) for value in row) for row in shown.rows(number)]
            written += _after(shown, number)
    return written + _options(shown)


def options_of(shown: Shown) -> list[Choice | Button]:
    """What can be done, in the order of its numbers: the choices of menus, then the buttons."""
    return [*(choice for menu in shown.menus for choice in menu.choices), *shown.buttons]


def print_shown(shown: Shown, out: TextIO) -> None:
    """Writes it: in colour and as a table for a person, in plain lines otherwise."""
    if not out.isatty():
        out.write("\n".join(to_lines(shown)) + "\n")
        out.flush()
        return
    console = Console(file=out, highlight=False, markup=False, emoji=False)
    for line in [*shown.lines, *([shown.code] if shown.code else [])]:
        console.print(Text(isolated(lines(line)), style="dim"))
    if shown.view == "answer":
        for number, part in enumerate(shown.reply.parts):
            first, *others = _before(part)
            console.print(Text(isolated(first), style="bold" if part.kind == "answer" else "bold yellow"))
            for line in others:
                console.print(Text(isolated(line)))
            if part.result and shown.rows(number):
                print_rows(part.result, shown.rows(number), words_of(part.language), console)
            for line in _after(shown, number):
                console.print(Text(isolated(line), style="dim"))
    for line in _options(shown):
        console.print(Text(isolated(line), style="cyan"))


class Terminal:
    """One conversation of one person on a terminal."""

    def __init__(self, handler: Handler, out: TextIO, *, asker: Asker | None = None, folder: Path | None = None) -> None:
        self._handler = handler
        self._out = out
        self._asker = asker or Asker(_login())
        self._place = Place("terminal", channel="terminal", thread=secrets.token_hex(6))
        self._folder = folder or Path.cwd()
        self._options: Sequence[Choice | Button] = ()
        self.shown: Shown | None = None

    async def say(self, text: str) -> None:
        """Sends what was typed: a question, or the number of something on offer."""
        found = _NUMBER.fullmatch(text)
        if found and 1 <= int(found[1]) <= len(self._options):
            await self.press(self._options[int(found[1]) - 1].value)
            return
        await self._show(await self._handler.ask(Incoming(self._place, self._asker, text, (secrets.token_hex(8),))))

    async def press(self, value: str) -> None:
        """Does what a button or a choice offers; a file is written into the folder, beside what is there."""
        pressed = Press(self._place, self._asker, value)
        shown = await self._handler.press(pressed)
        if shown is not None and shown.view == "file":
            made = await self._handler.file(pressed)
            if isinstance(made, Shown):
                shown = made
            else:
                path = _beside(self._folder, made.name)
                path.write_bytes(made.content)
                total = f"{max(shown.span(number)[2] for number in range(len(shown.reply.parts))):,}"
                self._out.write(one_line(say(shown.language, "file_ready", total=total, name=path.name)) + "\n")
                return
        await self._show(shown)

    async def _show(self, shown: Shown | None) -> None:
        if shown is None:
            return
        self.shown = shown
        if shown.buttons or shown.menus or shown.view == "answer":  # after thanks the numbers stay what they were
            self._options = options_of(shown)
        print_shown(shown, self._out)
        await self._handler.posted(shown)


async def converse(terminal: Terminal, read: Callable[[], str], out: TextIO) -> None:
    """Reads and answers until there is nothing more to read; `read` raises EOFError there."""
    while True:
        if out.isatty():
            out.write("> ")
            out.flush()
        try:
            text = await asyncio.to_thread(read)
        except (EOFError, KeyboardInterrupt):
            return
        if text.strip() or not out.isatty():
            await terminal.say(text)


def talk(asking: Asking, read: TextIO, out: TextIO) -> None:
    """A conversation from beginning to end; what is said is kept in memory and forgotten after it."""

    def line() -> str:
        text = read.readline()
        if not text:
            raise EOFError
        return text

    state = State("sqlite://")
    handler = Handler(state, asking)
    try:
        asyncio.run(converse(Terminal(handler, out), line, out))
    finally:
        handler.close()
        state.close()


def _before(part: Answer) -> list[str]:
    return [one_line(line) for line in (part.headline, part.explanation, *note_lines(part)) if line]


def _after(shown: Shown, number: int) -> list[str]:
    """Which rows these are, and how the question was understood."""
    part = shown.reply.parts[number]
    first, last, total = shown.span(number)
    said = (
        [say(shown.language, "span", first=f"{first:,}", last=f"{last:,}", total=f"{total:,}")] if last and total > last - first + 1 else []
    )
    return [one_line(line) for line in [*said, *receipt_lines(part), unused_line(part)] if line]


def _options(shown: Shown) -> list[str]:
    written, number = [], 1
    for menu in shown.menus:
        written.append(one_line(menu.label))
        for choice in menu.choices:
            written.append(f"  {number}. {one_line(choice.label)}")
            number += 1
    if shown.buttons:
        written.append("  ".join(f"{at}. {one_line(button.label)}" for at, button in enumerate(shown.buttons, start=number)))
    return written


def _beside(folder: Path, name: str) -> Path:
    path, at = folder / name, 1
    while path.exists():
        at += 1
        path = folder / f"{Path(name).stem}-{at}{Path(name).suffix}"
    return path


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "me"
