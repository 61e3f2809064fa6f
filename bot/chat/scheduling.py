"""Scheduled questions in a chat: made from an answer, listed, changed and stopped by their maker, and asked when they are due."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from hashlib import sha256
from typing import Final

from bot.chat.desk import Desk, Sentence, said, thread_of
from bot.chat.schedules import LEASE, MOST, MOST_FAILURES, Schedule, Schedules
from bot.chat.sentences import say
from bot.chat.show import notice
from bot.chat.state import Kept, new_id
from bot.chat.types import Asker, Button, Place, Press, Shown, UnknownPeopleError
from bot.chat.values import Command
from engine.errors import UsageError
from jobs.clock import is_zone
from jobs.when import LEAST_MINUTES, When, read_when

OF_A_SCHEDULE: Final = frozenset({"edit", "change", "pause", "resume", "remove", "stop"})  # actions whose button carries a schedule's id
_LABELS: Final = {"edit": "button_edit", "pause": "button_pause", "resume": "button_resume", "remove": "button_remove"}
_UNKNOWN_ZONE: Final = "UTC"


class Scheduling:
    """What is done with scheduled questions; what is wrong with a press is raised as a Sentence."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.schedules = Schedules(desk.state)

    # ---- made and changed by people

    def form(self, kept: Kept, press: Press) -> Shown:
        """Asks when the question of a reply is to be asked again."""
        return self._form(kept.place, press, kept.language, _question(kept), self._desk.show.value("keep", kept.id))

    async def keep(self, kept: Kept, press: Press) -> Shown:
        """Schedules the question of a reply."""
        language = kept.language
        when = await self._desk.in_state(_when, press, language)
        place = await self._target(press, kept.place, language)
        await self._desk.write("schedule", place, press.asker, kept.reply, kept.id, kept.scope)
        try:
            made = await self._desk.in_state(self.schedules.add, Schedule(place, press.asker, _question(kept), language, when))
        except UsageError:
            raise Sentence(say(language, "schedule_most", most=MOST)) from None
        return self._told(press, language, self._next("schedule_kept", made, language))

    async def press(self, command: Command, press: Press, language: str) -> Shown:
        """What its maker does with a schedule: "edit" and "change", "pause" or "stop", "resume", "remove"."""
        schedule = await self._desk.in_state(self.schedules.get, command.reply)
        if schedule is None or (schedule.place.platform, schedule.place.workspace) != (press.place.platform, press.place.workspace):
            raise Sentence(say(language, "schedule_gone"))
        language = schedule.language
        if schedule.maker.id != press.asker.id:
            raise Sentence(say(language, "schedule_not_yours", name=schedule.maker.name or schedule.maker.id))
        if command.action == "edit":
            value = self._desk.show.value("change", schedule.id)
            return self._form(schedule.place, press, language, schedule.question, value, schedule.when.text)
        return self._told(press, language, await self._do(command.action, schedule, press, language))

    async def listed(self, place: Place, asker: Asker, language: str) -> Shown:
        """What somebody has scheduled, with what can be done with each."""
        found = await self._desk.in_state(self.schedules.of, place, asker.id)
        lines, buttons = [], []
        for number, one in enumerate(found, start=1):
            line = self._next("schedule_paused" if one.paused else "schedule_line", one, language)
            lines.append(f"{number}. {line}")
            for action in ("edit", "resume" if one.paused else "pause", "remove"):
                label = f"{say(language, _LABELS[action])} {number}"
                buttons.append(Button(label, self._desk.show.value(action, one.id), action=action))
        shown = notice(place, asker, language, "\n".join(lines) or say(language, "schedule_none"), new_id())
        return replace(shown, private=True, buttons=tuple(buttons))

    async def _do(self, action: str, schedule: Schedule, press: Press, language: str) -> str:
        """Does it and says so."""
        desk, schedules = self._desk, self.schedules
        when = await desk.in_state(_when, press, language, schedule.when.zone) if action == "change" else schedule.when
        place = await self._target(press, schedule.place, language) if action == "change" else schedule.place
        await desk.write(action, place, press.asker, said(schedule.question, "", language), schedule.id)
        if action == "remove":
            await desk.in_state(schedules.remove, schedule.id)
            return say(language, "schedule_removed", question=schedule.question)
        if action in ("pause", "stop"):
            await desk.in_state(schedules.pause, schedule.id)
            return say(language, "schedule_stopped", question=schedule.question, word=say(language, "schedules"))
        changed = schedules.change if action == "change" else schedules.resume
        running = await desk.in_state(changed, schedule, when, place) if action == "change" else await desk.in_state(changed, schedule)
        return self._next("schedule_kept", running, language)

    async def _target(self, press: Press, usual: Place, language: str) -> Place:
        """Where the answers are to be said: where the maker reads as well."""
        place = press.target or replace(usual, thread="")
        if (place.platform, place.workspace) != (usual.platform, usual.workspace) or (place.private and place.channel != usual.channel):
            raise Sentence(say(language, "schedule_not_there"))
        try:
            there = await self._desk.access.there(place, press.asker)
        except UnknownPeopleError:
            there = False
        if not there:
            raise Sentence(say(language, "schedule_not_there"))
        return place

    def _form(self, place: Place, press: Press, language: str, question: str, value: str, when: str = "") -> Shown:
        shown = notice(place, press.asker, language, say(language, "schedule_form", question=question), new_id())
        button = Button(say(language, "button_keep"), value, "primary", "keep")
        return replace(shown, view="form", private=True, buttons=(button,), when=when)

    def _told(self, press: Press, language: str, sentence: str) -> Shown:
        return replace(notice(press.place, press.asker, language, sentence, new_id()), private=True)

    def _next(self, key: str, schedule: Schedule, language: str) -> str:
        return say(language, key, question=schedule.question, when=schedule.when.text, next=schedule.next_text)

    # ---- asked when they are due

    async def tick(self, now: float) -> int:
        """Asks what is due; gives how many answers are to be said."""
        if self._desk.notice:
            return 0
        answered, start, lease = 0, time.monotonic(), max(LEASE, self._desk.deadline + LEASE / 2)
        while due := await self._desk.in_state(self.schedules.claim, now, lease):
            answered += sum(await asyncio.gather(*(self._run(schedule, now) for schedule in due)))
            now, start = now + time.monotonic() - start, time.monotonic()  # those that waited for others are leased from then on
        return answered

    async def failed(self, schedule_id: str) -> None:
        """What one asked for cannot be said; its maker is told where it is paused for that."""
        schedule = await self._desk.in_state(self.schedules.get, schedule_id)
        if await self._desk.in_state(self.schedules.failed, schedule_id) and schedule is not None:
            await self._tell(schedule, "schedule_failed")

    async def _run(self, schedule: Schedule, now: float) -> bool:
        """Asks one; whether there is an answer to say. Raises nothing."""
        try:
            if schedule.failures >= MOST_FAILURES:  # processes that asked it came to an end
                return await self._paused(schedule, "failures")
            if not await self._entitled(schedule):
                return await self._paused(schedule, "rights")
            kept = await self._answered(schedule)
            if kept is not None:
                fresh = await self._desk.in_state(self._desk.state.keep, kept, schedule.question, 0.0)
                await self._desk.in_state(self.schedules.done, schedule, now)
                return fresh
        except (Sentence, UnknownPeopleError):
            pass  # the same as no answer: nothing is shown, and it is counted
        except Exception as error:  # noqa: BLE001 - one that fails keeps no other from being asked
            self._desk.incident(error, schedule.language)
        try:
            await self._desk.in_state(self.schedules.done, schedule, now)
            await self.failed(schedule.id)
        except Exception as error:  # noqa: BLE001 - its lease runs out, and it is asked again
            self._desk.incident(error, schedule.language)
        return False

    async def _entitled(self, schedule: Schedule) -> bool:
        """Whether its maker is known now, may see anything, and reads where it is said."""
        access, place, maker = self._desk.access, schedule.place, schedule.maker
        if not await access.known(place, maker):
            return False
        own = await access.own(place, maker)
        return (own.everything or bool(own.slices)) and await access.there(place, maker)

    async def _answered(self, schedule: Schedule) -> Kept | None:
        """The answer under the rights of its maker and of all who read it; None where there is none."""
        desk, place, maker, language = self._desk, schedule.place, schedule.maker, schedule.language
        if desk.limits is not None and (await desk.in_state(desk.limits.refuses_question, place, maker)) is not None:
            return None
        chosen = await desk.in_state(desk.state.chosen, place, maker)
        thread = thread_of(place, maker, language, schedule.when.zone).model_copy(update={"chosen": chosen})
        scope = await desk.access.shared(place, maker)
        reply = await desk.asked(schedule.question, thread, scope, place, language)
        # the same for every try of one time, so that it is said once
        reply_id = sha256(f"schedule {schedule.id} {schedule.next_at!r}".encode()).hexdigest()[:12]
        await desk.write("scheduled", place, maker, reply, reply_id, scope.key)
        if reply.kind != "answer":
            return None
        above = say(language, "schedule_by", name=maker.name or maker.id, when=schedule.when.text, question=schedule.question)
        return Kept(reply_id, place, maker, reply, language, (), scope=scope.key, schedule=schedule.id, above=above)

    async def _paused(self, schedule: Schedule, why: str) -> bool:
        if await self._desk.in_state(self.schedules.pause, schedule.id, why):
            await self._tell(schedule, "schedule_failed" if why == "failures" else "schedule_rights")
        return False

    async def _tell(self, schedule: Schedule, key: str) -> None:
        """Says to its maker alone that one is paused."""
        language, place = schedule.language, schedule.place
        alone = place if place.private else replace(place, channel="", thread="", private=True)
        sentence = say(language, key, question=schedule.question, when=schedule.when.text, word=say(language, "schedules"))
        told = Kept(new_id(), alone, schedule.maker, said(schedule.question, sentence, language), language, ())
        await self._desk.in_state(self._desk.state.keep, told, "", 0.0)


def when_wrong(text: str, language: str) -> str:
    """The sentence for a text that does not say when; empty for one that does."""
    try:
        read_when(text, _UNKNOWN_ZONE)
    except UsageError:
        return say(language, "schedule_when", least=LEAST_MINUTES)
    return ""


def _when(press: Press, language: str, usual: str = _UNKNOWN_ZONE) -> When:
    try:
        return read_when(press.when, press.time_zone if is_zone(press.time_zone) else usual)
    except UsageError:
        raise Sentence(say(language, "schedule_when", least=LEAST_MINUTES)) from None


def _question(kept: Kept) -> str:
    """The question as it stands alone; that of each part where there are several."""
    return "; ".join(dict.fromkeys(part.question for part in kept.reply.parts))
