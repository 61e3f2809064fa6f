"""The one handler of all surfaces: a message or a press comes in, what is to be shown goes out, and nothing is ever raised."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, Literal, TypeVar

from bot.chat.asking import Asking
from bot.chat.desk import Desk, Sentence, failed, said, thread_of
from bot.chat.limits import Limits
from bot.chat.presses import DOUBLE_PRESS, Presses
from bot.chat.scheduling import Scheduling
from bot.chat.sentences import heard_language, locale_language, refusal, say
from bot.chat.show import notice
from bot.chat.state import Kept, State, new_id
from bot.chat.types import Asker, Incoming, OutboxEntry, People, Place, Press, RowsFile, Shown, Taken
from engine.settings import printable
from engine.types import ChatThread, Reply, Scope

__all__ = ["DEADLINE", "DOUBLE_PRESS", "LEASE", "Handler"]

DEADLINE: Final = 25.0  # seconds from hearing a question to its reply
BESIDE_MODEL: Final = 5.0  # seconds for what is not the model's
LEASE: Final = 60.0  # seconds more in which whoever heard it is trusted to post the reply
About = Literal["help", "tables", "hello", "schedules"]
T = TypeVar("T")
_MOST_STARTS: Final = 3  # of answering one question, when processes end in the middle of it


class Handler:
    """Answers what surfaces hear, once each.

    A surface awaits `take`, acknowledges, and awaits `answer`: what is acknowledged is in the state database, so that it is answered even if
    this process dies. (A press is acknowledged first; whoever gets nothing presses again.) It posts what comes back and calls `posted`; where
    it cannot post it calls `unposted`, and its `deliver` is called later with the OutboxEntry. Work of the engine runs in `threads` threads of
    its own, and the state database in another, so that the event loop only waits. With a notice everything is answered with it.
    deadline: seconds from hearing a question to its reply; None for DEADLINE, or more where a model may take that long.
    """

    def __init__(
        self,
        state: State,
        asking: Asking,
        *,
        secret: str = "",
        threads: int = 8,
        deadline: float | None = None,
        notice: str = "",
        limits: Limits | None = None,
    ) -> None:
        if deadline is None:
            deadline = max(DEADLINE, asking.model.seconds + BESIDE_MODEL) if asking.model else DEADLINE
        self._desk = Desk(state, asking, secret=secret, threads=threads, deadline=deadline, lease=LEASE, notice=notice, limits=limits)
        self._scheduling = Scheduling(self._desk)
        self._presses = Presses(self._desk, self._scheduling)
        self._state = state

    def close(self) -> None:
        """Lets the threads go; what they began is finished."""
        self._desk.close()

    # ---- what surfaces call

    def introduce(self, platform: str, people: People) -> None:
        """Tells who is who on a platform; nobody there is shown anything before."""
        self._desk.access.introduce(platform, people)

    async def take(self, incoming: Incoming) -> Taken | None:
        """Remembers a message that is to be answered; None where it was heard before. Raises nothing: `answer` says what went wrong."""
        try:
            question = await self._desk.in_state(self._state.take, incoming, self._desk.deadline + LEASE)
            return None if question is None else Taken(incoming, question)
        except Exception as error:  # noqa: BLE001 - the one place of the chats that catches everything
            return Taken(incoming, incident=self._desk.incident(error, locale_language(incoming.locale)))

    async def answer(self, taken: Taken) -> Shown | None:
        """What to show for a message; None where somebody else has answered it meanwhile."""
        incoming = taken.incoming
        language = locale_language(incoming.locale)
        try:
            language = heard_language(incoming.text, incoming.locale)
            if taken.question:
                return await self._answer(taken.question, incoming, language)
            sentence = taken.incident
        except Exception as error:  # noqa: BLE001 - as above
            sentence = self._desk.incident(error, language)
        return notice(incoming.place, incoming.asker, language, sentence, new_id(), "failure")

    async def ask(self, incoming: Incoming) -> Shown | None:
        """Both at once, for a surface that has nothing to acknowledge."""
        taken = await self.take(incoming)
        return await self.answer(taken) if taken else None

    async def press(self, press: Press) -> Shown | None:
        """What to show for a press; None where it was handled before. For a download `view` is "file": get its bytes from `file`."""
        language = locale_language(press.locale)
        try:
            if press.keys and not await self._desk.in_state(self._state.first_time, press.place, press.keys):
                return None
            self._desk.unless_noticed()
            return await self._presses.press(press, language)
        except Exception as error:  # noqa: BLE001 - as above
            return self._excuse(error, press.place, press.asker, language, alone=True)

    async def file(self, press: Press, *, leaves: bool = True) -> RowsFile | Shown:
        """All rows of the reply as a file, run again under the presser's scope; a notice to show where there is none.

        leaves: that it is handed over, which is counted and written in the audit; else it is only offered.
        """
        language = locale_language(press.locale)
        try:
            self._desk.unless_noticed()
            return await self._presses.file(press, language, leaves=leaves)
        except Exception as error:  # noqa: BLE001 - as above
            return self._excuse(error, press.place, press.asker, language, alone=True)

    async def about(self, incoming: Incoming, what: About) -> Shown | None:
        """What there is to ask, or how, or what the asker has scheduled; None where the message was heard before."""
        place, asker, language = incoming.place, incoming.asker, locale_language(incoming.locale)
        try:
            if not await self._desk.in_state(self._state.first_time, place, incoming.keys):
                return None
            self._desk.unless_noticed()
            if what == "schedules":
                return await self._scheduling.listed(place, asker, language)
            scope = await self._desk.shared(place, asker, language)
            tables = await self._desk.in_engine(self._desk.asking.tables, scope, language=language)
            sentence = say(language, "tables", tables="; ".join(f"{name} ({about})" if about else name for name, about in tables))
            if what != "tables":
                sentence = say(language, "help", tables=sentence)
            if what == "hello":
                sentence = say(language, "hello", help=sentence)
            return notice(place, asker, language, sentence, new_id())
        except Exception as error:  # noqa: BLE001 - as above
            return self._excuse(error, place, asker, language)

    async def met(self, place: Place) -> None:
        """The bot was met in a channel, and `place` tells how it is reached when nobody asked."""
        await self._settle(self._state.meet, place)

    async def tick(self, now: float) -> int:
        """Asks what is scheduled for now (seconds since 1970) or before; gives how many answers are to be said. Raises nothing."""
        try:
            return await self._scheduling.tick(now)
        except Exception as error:  # noqa: BLE001 - as above; what was leased comes again
            self._desk.incident(error, "en")
            return 0

    async def posted(self, shown: Shown, message: str = "") -> None:
        """The surface has posted it, as this message of the platform."""
        await self._settle(self._state.posted, shown.reply_id, message)
        if shown.schedule:
            await self._settle(self._scheduling.schedules.said, shown.schedule)

    async def unposted(self, shown: Shown, seconds: float | None = None) -> None:
        """The surface could not post it: it waits in the outbox, at least so many seconds."""
        if shown.view == "answer" or shown.view == "notice":
            again = await self._settle(self._state.unposted, shown.reply_id, seconds)
            if shown.schedule and again is False:
                await self._scheduling.failed(shown.schedule)

    async def dismissed(self, shown: Shown) -> None:
        """It can never be posted: the channel is gone, the bot was removed."""
        await self._settle(self._state.dismissed, shown.reply_id)
        if shown.schedule:
            await self._scheduling.failed(shown.schedule)

    async def undelivered(self, platform: str) -> list[OutboxEntry]:
        """The replies that are due to be tried (again) on this platform, each given to one process only; questions that were cut off among them."""
        desk, entries = self._desk, []
        try:
            for question, incoming, tries in await desk.in_state(self._state.abandoned, platform, desk.deadline + LEASE):
                language = heard_language(incoming.text, incoming.locale)
                if tries > _MOST_STARTS:
                    reply = failed(printable(incoming.text), say(language, "slow"), language)
                    shown = await self._keep(question, incoming, reply, language, incoming.text)
                else:
                    shown = await self._answer(question, incoming, language)
                if shown is not None:
                    entries.append(OutboxEntry(question, shown.place, shown.asker, shown, 0))
            for reply_id, tries in await desk.in_state(self._state.due, platform, LEASE):
                kept = await desk.in_state(self._state.reply, reply_id)
                if kept is None:
                    await desk.in_state(self._state.dismissed, reply_id)
                    continue
                shown = await self._shown_again(kept)
                if shown.schedule and shown.reply.kind != "answer":
                    await self.unposted(shown)  # of what is scheduled an answer is said, or nothing
                    continue
                entries.append(OutboxEntry(reply_id, kept.place, kept.asker, shown, tries))
        except Exception as error:  # noqa: BLE001 - as above; what was leased comes again
            desk.incident(error, "en")
        return entries

    # ---- questions

    async def _answer(self, question: str, incoming: Incoming, language: str) -> Shown | None:
        """Answers a question that is taken, and keeps the reply; None where someone else did meanwhile."""
        desk, place, asker = self._desk, incoming.place, incoming.asker
        if sentence := desk.notice or refusal(incoming.text, language):
            return await self._keep(question, incoming, said(printable(incoming.text), sentence, language), language, "")
        if desk.limits and (refused := await desk.in_state(desk.limits.refuses_question, place, asker)):
            reply = said(printable(incoming.text), refused.sentence(language), language)
            await desk.write("refused", place, asker, reply, question)
            return await self._keep(question, incoming, reply, language, "")
        text = " ".join(incoming.text.split())
        turns = await desk.in_state(self._state.turns, place, asker) or incoming.earlier
        chosen = await desk.in_state(self._state.chosen, place, asker)
        thread = thread_of(place, asker, incoming.locale, incoming.time_zone).model_copy(update={"turns": turns, "chosen": chosen})
        key, more, spend = "", False, 0.0
        try:
            scope = await desk.shared(place, asker, language)
            key = scope.key
            reply = await desk.asked(text, thread, scope, place, language)
            other = await self._for_asker(text, thread, scope, place, asker, language)
            if other is not None:
                more, spend = other.kind != "failure" and _content(other) != _content(reply), other.spent.cost
        except Sentence as sentence:
            reply = failed(text, str(sentence), language)
        except Exception as error:  # noqa: BLE001 - as above; this one is kept, so that it is said even if posting fails
            reply = failed(text, desk.incident(error, language), language)
        await desk.write("ask", place, asker, reply, question, key, spend=spend)
        shown = await self._keep(question, incoming, reply, language, text, key)
        return replace(shown, aside=desk.show.more(shown, asker)) if shown and more else shown

    async def _for_asker(self, text: str, thread: ChatThread, scope: Scope, place: Place, asker: Asker, language: str) -> Reply | None:
        """What the asker alone would have got; None where that is what everybody in the place gets, or cannot be told in time."""
        try:
            own = await self._desk.own(place, asker, language)
            if own.key == scope.key:
                return None
            return await self._desk.asked(text, thread, own, place, language)
        except Sentence:
            return None

    async def _keep(self, question: str, incoming: Incoming, reply: Reply, language: str, text: str, scope: str = "") -> Shown | None:
        first = reply.parts[0]
        carried = (first.question,) if text and first.kind in ("answer", "clarify") and first.question != text else ()
        kept = Kept(question, incoming.place, incoming.asker, reply, first.language or language, carried, scope=scope)
        fresh = await self._desk.in_state(self._state.keep, kept, text, LEASE, question)
        return self._desk.shown(kept) if fresh else None

    async def _shown_again(self, kept: Kept) -> Shown:
        """The same from what is kept, its rows got again."""
        desk = self._desk
        if any(part.plan for part in kept.reply.parts):
            try:
                desk.unless_noticed()
                kept = await desk.under(kept, await desk.shared(kept.place, kept.asker, kept.language), rows=True)
                if kept.reply.spent.calls:  # asked anew, for those who may see it there now
                    await desk.write("ask", kept.place, kept.asker, kept.reply, kept.id, kept.scope)
            except Sentence as sentence:
                kept = replace(kept, reply=failed(kept.reply.parts[0].question, str(sentence), kept.language))
        return replace(desk.shown(kept), schedule=kept.schedule)

    # ---- what goes wrong

    def _excuse(self, error: Exception, place: Place, asker: Asker, language: str, alone: bool = False) -> Shown:
        """A notice of what is said instead, or of the incident."""
        sentence = str(error) if isinstance(error, Sentence) else self._desk.incident(error, language)
        kind = "no_answer" if isinstance(error, Sentence) else "failure"
        made = notice(place, asker, language, sentence, new_id(), kind)
        return replace(made, private=True) if alone else made

    async def _settle(self, call: Callable[..., T], *arguments: object) -> T | None:
        try:
            return await self._desk.in_state(call, *arguments)
        except Exception as error:  # noqa: BLE001 - as above; the outbox tries once more
            self._desk.incident(error, "en")
            return None


def _content(reply: Reply) -> list[object]:
    """What an answer says, without when and how it was found."""
    return [(part.kind, part.headline, part.message, part.result and (part.result.columns, part.result.rows)) for part in reply.parts]
