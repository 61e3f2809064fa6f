"""What a press brings: another page, a receipt, a correction, a file; each under the rights of whoever presses, or of all who read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import Final

from bot.chat.asking import Asked
from bot.chat.desk import Desk, Sentence
from bot.chat.rows import file_of
from bot.chat.scheduling import OF_A_SCHEDULE, Scheduling
from bot.chat.sentences import say
from bot.chat.state import Kept
from bot.chat.types import Press, RowsFile, Shown
from bot.chat.values import Command, read_value
from engine.errors import UsageError
from engine.types import Answer, Scope

DOUBLE_PRESS: Final = 10.0  # seconds in which the same press by the same person is one


class Presses:
    """Buttons and choices of replies that are kept; what is wrong with one is raised as a Sentence."""

    def __init__(self, desk: Desk, scheduling: Scheduling) -> None:
        self._desk = desk
        self._scheduling = scheduling

    async def press(self, press: Press, language: str) -> Shown | None:
        """What to show for a press; None in the moment after the same press."""
        named = read_value(press.value, self._desk.secret)
        if named and named.action in OF_A_SCHEDULE:
            return await self._scheduling.press(named, press, language)
        command, kept = await self.pressed(press, language)
        if command.action == "schedule":
            return self._scheduling.form(kept, press)
        if command.action == "keep":
            return await self._scheduling.keep(kept, press)
        shown = await self._do(command, kept, press)
        if shown is not None and shown.view != "file":  # which is written when it is handed over
            await self._desk.write(command.action, press.place, press.asker, shown.reply, kept.id, shown.scope, shown.page)
        return shown

    async def file(self, press: Press, language: str, *, leaves: bool) -> RowsFile:
        """All rows of the reply as a file, under the presser's own scope; leaves: that it is handed over, and not only offered."""
        desk = self._desk
        command, kept = await self.pressed(press, language)
        language = kept.language
        own = await desk.own(press.place, press.asker, language)
        for_all = not kept.place.private and own.key == (await desk.shared(kept.place, press.asker, language)).key
        reply = (await desk.under(kept, own, rows=True)).reply
        total = max((part.result.total for part in reply.parts if part.result), default=0)
        if not total or command.argument not in ("csv", "xlsx"):
            raise Sentence(say(language, "no_rows"))
        try:
            name, content = await desk.in_engine(file_of, reply, command.argument, language=language)
        except UsageError:
            raise Sentence(say(language, "too_many_rows", total=f"{total:,}")) from None
        if not leaves:
            return RowsFile(name, content, for_all)
        if desk.limits and (refused := await desk.in_state(desk.limits.refuses_export, press.place, press.asker, total)):
            raise Sentence(refused.sentence(language))
        await desk.write("file", press.place, press.asker, reply, kept.id, own.key, exported=total)
        return RowsFile(name, content, for_all)

    async def pressed(self, press: Press, language: str) -> tuple[Command, Kept]:
        """What was pressed and the reply that it belongs to; Sentence where it may not be."""
        desk = self._desk
        command = read_value(press.value, desk.secret)
        kept = await desk.in_state(desk.state.reply, command.reply) if command else None
        if command is None or kept is None or (kept.place.platform, kept.place.workspace) != (press.place.platform, press.place.workspace):
            raise Sentence(say(language, "old_button"))
        if not press.place.private and press.place.channel != kept.place.channel:
            raise Sentence(say(language, "old_button"))  # what it brings would be said to other people
        if kept.place.private and kept.asker.id != press.asker.id:
            raise Sentence(say(language, "not_yours"))
        return command, kept

    async def _do(self, command: Command, kept: Kept, press: Press) -> Shown | None:
        desk, action, numbers = self._desk, command.action, command.numbers
        here = replace(kept.place, address=press.place.address or kept.place.address)
        kept = replace(kept, place=here)
        if action == "page" and len(numbers) == 1:
            kept = await desk.under(kept, await desk.shared(here, press.asker, kept.language), rows=True)
            return replace(desk.shown(kept, numbers[0]), replaces=True, schedule="")  # whose time was another
        if action == "correct" and len(numbers) == 3:
            part = self._part(kept, numbers[0])
            return await self._derived(command, kept, press, lambda scope: desk.asking.correct(part, numbers[1], numbers[2], scope))
        if action == "pick" and len(numbers) == 2:
            part = self._part(kept, numbers[0])
            return await self._derived(command, kept, press, lambda scope: desk.asking.pick(part, numbers[1], scope))
        if action == "share":
            return await self._derived(command, replace(kept, place=replace(here, private=False)), press, None)
        if action == "more":
            return await self._derived(command, replace(kept, place=replace(here, private=True)), press, None)
        if not await desk.in_state(desk.state.first_time, press.place, (_once(press),), DOUBLE_PRESS):
            return None
        if action == "judge" and command.argument in ("up", "down"):
            await desk.in_state(desk.state.judge, kept.id, press.asker.id, command.argument)
            return desk.show.lines(kept, press.asker, "thanks", [say(kept.language, f"thanks_{command.argument}")])
        if action in ("receipt", "how") and kept.scope == (await desk.shared(here, press.asker, kept.language)).key:
            seen = kept  # everybody there may see it
        else:
            seen = await desk.under(kept, await desk.own(press.place, press.asker, kept.language))
        if action == "receipt":
            shown = desk.show.receipt(seen, press.asker)
            return shown if seen.scope == kept.scope else replace(shown, menus=())  # its choices have the numbers of what is kept
        if action == "how":
            return desk.show.how(seen, press.asker)
        if action == "file":
            total = max((part.result.total for part in seen.reply.parts if part.result), default=0)
            name = f"answer.{command.argument}"
            return desk.show.lines(seen, press.asker, "file", [say(kept.language, "file_ready", total=f"{total:,}", name=name)])
        raise Sentence(say(kept.language, "old_button"))

    async def _derived(self, command: Command, kept: Kept, press: Press, make: Callable[[Scope], Asked] | None) -> Shown | None:
        """A reply that a press makes of another: made once, however often it is pressed. None in the moment after, a sentence later.

        Without `make` it is the same reply in the place of `kept`, under the scope of that place.
        """
        desk = self._desk
        whose = press.asker.id if command.action == "more" else ""
        new = sha256(f"{command.action} {command.reply} {command.argument} {whose}".encode()).hexdigest()[:12]
        double = not await desk.in_state(desk.state.first_time, press.place, (_once(press),), DOUBLE_PRESS)
        if await desk.in_state(desk.state.reply, new) is not None:
            _tell_again(double, kept.language)
            return None
        scope = await desk.shared(kept.place, press.asker, kept.language)
        if make is None:
            asked = Asked((await desk.under(kept, scope, rows=True)).reply, kept.reply.parts[0].question)
        elif kept.scope != scope.key:
            raise Sentence(say(kept.language, "old_button"))  # its numbers are those of what another scope shows
        else:
            asked = await desk.in_engine(make, scope, language=kept.language)
            if asked.chosen is not None:
                await desk.in_state(desk.state.choose, kept.place, press.asker, asked.chosen)
        reply = asked.reply if make is None else asked.reply.model_copy(update={"planner": kept.reply.planner})
        made = Kept(new, kept.place, press.asker, reply, kept.language, (), scope=scope.key)
        if not await desk.in_state(desk.state.keep, made, asked.said, desk.lease):
            _tell_again(double, kept.language)
            return None
        shown = desk.shown(made)
        if command.action == "share":
            said = say(kept.language, "shared", name=press.asker.name or press.asker.id, question=asked.said)
            return replace(shown, lines=(said,))
        return shown

    def _part(self, kept: Kept, number: int) -> Answer:
        if number >= len(kept.reply.parts):
            raise Sentence(say(kept.language, "old_button"))
        return kept.reply.parts[number]


def _once(press: Press) -> str:
    return f"press {press.asker.id} {press.value}"


def _tell_again(double: bool, language: str) -> None:
    """A double press shows nothing more; one long after the first says so."""
    if not double:
        raise Sentence(say(language, "already"))
