"""The one handler of all surfaces: a message or a press comes in, what is to be shown goes out, and nothing is ever raised."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256
from typing import Final, Literal, TypeVar

from bot.chat.access import Access
from bot.chat.asking import Asked, Asking
from bot.chat.audit import Audit
from bot.chat.entry import entry_of
from bot.chat.limits import Limits
from bot.chat.rows import file_of
from bot.chat.sentences import heard_language, locale_language, refusal, say
from bot.chat.show import Show, notice
from bot.chat.state import Kept, State, new_id
from bot.chat.types import Asker, Incoming, OutboxEntry, People, Place, Press, RowsFile, Shown, Taken, UnknownPeopleError
from bot.chat.values import Command, read_value
from bot.failure import failure
from engine.errors import ExecutionError, PlanError, UsageError
from engine.settings import log_incident, printable
from engine.types import Answer, ChatThread, Reply, Scope

DEADLINE: Final = 25.0  # seconds from hearing a question to its reply
LEASE: Final = 60.0  # seconds more in which whoever heard it is trusted to post the reply
MOST_WAITING: Final = 4000  # questions and presses at once
DOUBLE_PRESS: Final = 10.0  # seconds in which the same press by the same person is one
_MOST_STARTS: Final = 3  # of answering one question, when processes end in the middle of it
T = TypeVar("T")
log = logging.getLogger(__name__)


class _Sentence(Exception):
    pass


class Handler:
    """Answers what surfaces hear, once each.

    A surface awaits `take`, acknowledges, and awaits `answer`: what is acknowledged is in the state database, so that it is answered even if
    this process dies. (A press is acknowledged first; whoever gets nothing presses again.) It posts what comes back and calls `posted`; where
    it cannot post it calls `unposted`, and its `deliver` is called later with the OutboxEntry. Work of the engine runs in `threads` threads of
    its own, and the state database in another, so that the event loop only waits. With a notice everything is answered with it.
    """

    def __init__(
        self,
        state: State,
        asking: Asking,
        *,
        secret: str = "",
        threads: int = 8,
        deadline: float = DEADLINE,
        notice: str = "",
        limits: Limits | None = None,
    ) -> None:
        self._state = state
        self._asking = asking
        self._access = Access(asking.rights)
        self._secret = secret or state.secret()
        self._show = Show(self._secret)
        self._deadline = deadline
        self._notice = notice
        self._limits = limits
        self._audit = Audit(state)
        self._waiting = 0
        self._engine_pool = ThreadPoolExecutor(threads, thread_name_prefix="engine")
        self._state_pool = ThreadPoolExecutor(4, thread_name_prefix="state")

    def close(self) -> None:
        """Lets the threads go; what they began is finished."""
        self._engine_pool.shutdown(wait=True, cancel_futures=True)
        self._state_pool.shutdown(wait=True)

    # ---- what surfaces call

    def introduce(self, platform: str, people: People) -> None:
        """Tells who is who on a platform; nobody there is shown anything before."""
        self._access.introduce(platform, people)

    async def take(self, incoming: Incoming) -> Taken | None:
        """Remembers a message that is to be answered; None where it was heard before. Raises nothing: `answer` says what went wrong."""
        try:
            question = await self._in_state(self._state.take, incoming, self._deadline + LEASE)
            return None if question is None else Taken(incoming, question)
        except Exception as error:  # noqa: BLE001 - the one place of the chats that catches everything
            return Taken(incoming, incident=self._incident(error, locale_language(incoming.locale)))

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
            sentence = self._incident(error, language)
        return notice(incoming.place, incoming.asker, language, sentence, new_id(), "failure")

    async def ask(self, incoming: Incoming) -> Shown | None:
        """Both at once, for a surface that has nothing to acknowledge."""
        taken = await self.take(incoming)
        return await self.answer(taken) if taken else None

    async def press(self, press: Press) -> Shown | None:
        """What to show for a press; None where it was handled before. For a download `view` is "file": get its bytes from `file`."""
        language = locale_language(press.locale)
        try:
            if press.keys and not await self._in_state(self._state.first_time, press.place, press.keys):
                return None
            self._unless_noticed()
            command, kept = await self._pressed(press, language)
            language = kept.language
            shown = await self._do(command, kept, press)
            if shown is not None and shown.view != "file":  # which is written when it is handed over
                await self._write(command.action, press.place, press.asker, shown.reply, kept.id, shown.scope, shown.page)
            return shown
        except _Sentence as sentence:
            return replace(notice(press.place, press.asker, language, str(sentence), new_id()), private=True)
        except Exception as error:  # noqa: BLE001 - as above
            return replace(notice(press.place, press.asker, language, self._incident(error, language), new_id(), "failure"), private=True)

    async def file(self, press: Press, *, leaves: bool = True) -> RowsFile | Shown:
        """All rows of the reply as a file, run again under the presser's scope; a notice to show where there is none.

        leaves: that it is handed over, which is counted and written in the audit; else it is only offered.
        """
        language = locale_language(press.locale)
        try:
            self._unless_noticed()
            command, kept = await self._pressed(press, language)
            language = kept.language
            own = await self._own(press, language)
            for_all = not kept.place.private and own.key == (await self._shared(kept.place, press.asker, language)).key
            reply = (await self._under(kept, own, rows=True)).reply
            total = max((part.result.total for part in reply.parts if part.result), default=0)
            if not total or command.argument not in ("csv", "xlsx"):
                raise _Sentence(say(language, "no_rows"))
            try:
                name, content = await self._in_engine(file_of, reply, command.argument, language=language)
            except UsageError:
                raise _Sentence(say(language, "too_many_rows", total=f"{total:,}")) from None
            if leaves and self._limits and (refused := await self._in_state(self._limits.refuses_export, press.place, press.asker, total)):
                raise _Sentence(refused.sentence(language))
            if leaves:
                await self._write("file", press.place, press.asker, reply, kept.id, own.key, exported=total)
            return RowsFile(name, content, for_all)
        except _Sentence as sentence:
            return replace(notice(press.place, press.asker, language, str(sentence), new_id()), private=True)
        except Exception as error:  # noqa: BLE001 - as above
            return replace(notice(press.place, press.asker, language, self._incident(error, language), new_id(), "failure"), private=True)

    async def about(self, incoming: Incoming, what: Literal["help", "tables", "hello"]) -> Shown | None:
        """What there is to ask, or how; None where the message was heard before."""
        language = locale_language(incoming.locale)
        try:
            if not await self._in_state(self._state.first_time, incoming.place, incoming.keys):
                return None
            self._unless_noticed()
            scope = await self._shared(incoming.place, incoming.asker, language)
            tables = await self._in_engine(self._asking.tables, scope, language=language)
            named = [f"{name} ({about})" if about else name for name, about in tables]
            sentence = say(language, "tables", tables="; ".join(named))
            if what != "tables":
                sentence = say(language, "help", tables=sentence)
            if what == "hello":
                sentence = say(language, "hello", help=sentence)
            return notice(incoming.place, incoming.asker, language, sentence, new_id())
        except _Sentence as sentence_said:
            return notice(incoming.place, incoming.asker, language, str(sentence_said), new_id(), "failure")
        except Exception as error:  # noqa: BLE001 - as above
            return notice(incoming.place, incoming.asker, language, self._incident(error, language), new_id(), "failure")

    async def posted(self, shown: Shown, message: str = "") -> None:
        """The surface has posted it, as this message of the platform."""
        await self._settle(self._state.posted, shown.reply_id, message)

    async def unposted(self, shown: Shown, seconds: float | None = None) -> None:
        """The surface could not post it: it waits in the outbox, at least so many seconds."""
        if shown.view == "answer" or shown.view == "notice":
            await self._settle(self._state.unposted, shown.reply_id, seconds)

    async def dismissed(self, shown: Shown) -> None:
        """It can never be posted: the channel is gone, the bot was removed."""
        await self._settle(self._state.dismissed, shown.reply_id)

    async def undelivered(self, platform: str) -> list[OutboxEntry]:
        """The replies that are due to be tried (again) on this platform, each given to one process only; questions that were cut off among them."""
        entries = []
        try:
            for question, incoming, tries in await self._in_state(self._state.abandoned, platform, self._deadline + LEASE):
                language = heard_language(incoming.text, incoming.locale)
                if tries > _MOST_STARTS:
                    reply = _failed(printable(incoming.text), say(language, "slow"), language)
                    shown = await self._keep(question, incoming, reply, language, incoming.text)
                else:
                    shown = await self._answer(question, incoming, language)
                if shown is not None:
                    entries.append(OutboxEntry(question, shown.place, shown.asker, shown, 0))
            for reply_id, tries in await self._in_state(self._state.due, platform, LEASE):
                kept = await self._in_state(self._state.reply, reply_id)
                if kept is None:
                    await self._in_state(self._state.dismissed, reply_id)
                    continue
                shown = await self._shown_again(kept)
                entries.append(OutboxEntry(reply_id, kept.place, kept.asker, shown, tries))
        except Exception as error:  # noqa: BLE001 - as above; what was leased comes again
            self._incident(error, "en")
        return entries

    # ---- questions

    async def _answer(self, question: str, incoming: Incoming, language: str) -> Shown | None:
        """Answers a question that is taken, and keeps the reply; None where someone else did meanwhile."""
        place, asker = incoming.place, incoming.asker
        if sentence := self._notice or refusal(incoming.text, language):
            refused = _said(printable(incoming.text), sentence, language)
            return await self._keep(question, incoming, refused, language, "")
        if self._limits and (refusal_said := await self._in_state(self._limits.refuses_question, place, asker)):
            refused = _said(printable(incoming.text), refusal_said.sentence(language), language)
            await self._write("refused", place, asker, refused, question)
            return await self._keep(question, incoming, refused, language, "")
        text = " ".join(incoming.text.split())
        turns = await self._in_state(self._state.turns, place, asker) or incoming.earlier
        thread = _thread(place, asker, incoming.locale, incoming.time_zone).model_copy(
            update={"turns": turns, "chosen": await self._in_state(self._state.chosen, place, asker)}
        )
        key, more = "", False
        try:
            scope = await self._shared(place, asker, language)
            key = scope.key
            reply = await self._in_engine(self._asking.answer, text, thread, scope, language=language)
            more = await self._sees_more(reply, text, thread, scope, place, asker, language)
            await self._write("ask", place, asker, reply, question, key)
        except _Sentence as sentence:
            reply = _failed(text, str(sentence), language)
            await self._write("ask", place, asker, reply, question, key)  # who is refused has asked, too
        except Exception as error:  # noqa: BLE001 - as above; this one is kept, so that it is said even if posting fails
            reply = _failed(text, self._incident(error, language), language)
        shown = await self._keep(question, incoming, reply, language, text, key)
        return replace(shown, aside=self._show.more(shown, asker)) if shown and more else shown

    async def _sees_more(
        self, reply: Reply, text: str, thread: ChatThread, scope: Scope, place: Place, asker: Asker, language: str
    ) -> bool:
        """Whether the asker alone would have got another answer than everybody in the place."""
        own = await self._own(Press(place, asker, ""), language)
        if own.key == scope.key:
            return False
        other = await self._in_engine(self._asking.answer, text, thread, own, language=language)
        return other.kind != "failure" and _content(other) != _content(reply)

    async def _keep(self, question: str, incoming: Incoming, reply: Reply, language: str, said: str, scope: str = "") -> Shown | None:
        first = reply.parts[0]
        carried = (first.question,) if said and first.kind in ("answer", "clarify") and first.question != said else ()
        kept = Kept(question, incoming.place, incoming.asker, reply, first.language or language, carried, scope=scope)
        fresh = await self._in_state(self._state.keep, kept, said, LEASE, question)
        return self._shown(kept) if fresh else None

    async def _write(
        self, action: str, place: Place, asker: Asker, reply: Reply, reply_id: str, scope: str = "", page: int = 1, exported: int = 0
    ) -> None:
        """Writes it in the audit, before anybody is shown it: what cannot be written is not shown."""
        entry = entry_of(
            action,
            place,
            asker,
            reply=reply,
            reply_id=reply_id,
            scope=scope,
            page=0 if exported else page,
            row_ids_of=self._asking.audit_rows,
            exported=exported,
        )
        await self._in_state(self._audit.write, entry)

    # ---- under which scope

    async def _own(self, press: Press, language: str) -> Scope:
        try:
            return await self._access.own(press.place, press.asker)
        except UnknownPeopleError:
            raise _Sentence(say(language, "unknown_people")) from None

    async def _shared(self, place: Place, asker: Asker, language: str) -> Scope:
        try:
            return await self._access.shared(place, asker)
        except UnknownPeopleError:
            raise _Sentence(say(language, "unknown_people")) from None

    async def _under(self, kept: Kept, scope: Scope, *, rows: bool = False) -> Kept:
        """What is kept, as a scope shows it: the same where it was made under it (with its rows, where they are wanted), else asked anew."""
        if kept.scope == scope.key:
            return replace(kept, reply=await self._again(kept, scope)) if rows else kept
        first = kept.reply.parts[0]
        thread = _thread(kept.place, kept.asker, "", "")
        reply = await self._in_engine(self._asking.answer, first.question, thread, scope, language=kept.language)
        return replace(kept, reply=reply, scope=scope.key, carried=())

    def _shown(self, kept: Kept, page: int = 1) -> Shown:
        """A reply as it is posted: an answer, or a sentence."""
        first = kept.reply.parts[0]
        if first.kind == "failure" or (first.plan is None and first.kind == "no_answer"):
            return notice(kept.place, kept.asker, kept.language, first.message, kept.id, first.kind, first.question)
        shown = self._show.answer(kept, page)
        lines = [say(kept.language, "understood", question=question) for question in kept.carried]
        return replace(shown, lines=tuple(lines))

    async def _shown_again(self, kept: Kept) -> Shown:
        """The same from what is kept, its rows got again."""
        if not any(part.plan for part in kept.reply.parts):
            return self._shown(kept)
        try:
            self._unless_noticed()
            kept = await self._under(kept, await self._shared(kept.place, kept.asker, kept.language), rows=True)
        except _Sentence as sentence:
            kept = replace(kept, reply=_failed(kept.reply.parts[0].question, str(sentence), kept.language))
        return self._shown(kept)

    # ---- presses

    async def _pressed(self, press: Press, language: str) -> tuple[Command, Kept]:
        """What was pressed and the reply that it belongs to; _Sentence where it may not be."""
        command = read_value(press.value, self._secret)
        kept = await self._in_state(self._state.reply, command.reply) if command else None
        if command is None or kept is None or (kept.place.platform, kept.place.workspace) != (press.place.platform, press.place.workspace):
            raise _Sentence(say(language, "old_button"))
        if not press.place.private and press.place.channel != kept.place.channel:  # what it brings would be said to other people
            raise _Sentence(say(language, "old_button"))
        if kept.place.private and kept.asker.id != press.asker.id:
            raise _Sentence(say(language, "not_yours"))
        return command, kept

    async def _do(self, command: Command, kept: Kept, press: Press) -> Shown | None:
        action, numbers = command.action, command.numbers
        here = replace(kept.place, address=press.place.address or kept.place.address)
        kept = replace(kept, place=here)
        if action == "page" and len(numbers) == 1:
            kept = await self._under(kept, await self._shared(here, press.asker, kept.language), rows=True)
            return replace(self._shown(kept, numbers[0]), replaces=True)
        if action == "correct" and len(numbers) == 3:
            part = self._part(kept, numbers[0])
            return await self._derived(command, kept, press, lambda scope: self._asking.correct(part, numbers[1], numbers[2], scope))
        if action == "pick" and len(numbers) == 2:
            part = self._part(kept, numbers[0])
            return await self._derived(command, kept, press, lambda scope: self._asking.pick(part, numbers[1], scope))
        if action == "share":
            return await self._derived(command, replace(kept, place=replace(here, private=False)), press, None)
        if action == "more":
            return await self._derived(command, replace(kept, place=replace(here, private=True)), press, None)
        if not await self._in_state(self._state.first_time, press.place, (_once(press),), DOUBLE_PRESS):
            return None
        if action == "judge" and command.argument in ("up", "down"):
            await self._in_state(self._state.judge, kept.id, press.asker.id, command.argument)
            return self._show.lines(kept, press.asker, "thanks", [say(kept.language, f"thanks_{command.argument}")])
        if action in ("receipt", "how") and kept.scope == (await self._shared(here, press.asker, kept.language)).key:
            seen = kept  # everybody there may see it
        else:
            seen = await self._under(kept, await self._own(press, kept.language))
        if action == "receipt":
            shown = self._show.receipt(seen, press.asker)
            return shown if seen.scope == kept.scope else replace(shown, menus=())  # its choices have the numbers of what is kept
        if action == "how":
            return self._show.how(seen, press.asker)
        kept = seen
        if action == "file":
            total = max((part.result.total for part in kept.reply.parts if part.result), default=0)
            name = f"answer.{command.argument}"
            return self._show.lines(kept, press.asker, "file", [say(kept.language, "file_ready", total=f"{total:,}", name=name)])
        raise _Sentence(say(kept.language, "old_button"))

    async def _derived(self, command: Command, kept: Kept, press: Press, make: Callable[[Scope], Asked] | None) -> Shown | None:
        """A reply that a press makes of another: made once, however often it is pressed. None in the moment after, a sentence later.

        Without `make` it is the same reply in the place of `kept`, under the scope of that place.
        """
        whose = press.asker.id if command.action == "more" else ""
        new = sha256(f"{command.action} {command.reply} {command.argument} {whose}".encode()).hexdigest()[:12]
        double = not await self._in_state(self._state.first_time, press.place, (_once(press),), DOUBLE_PRESS)
        if await self._in_state(self._state.reply, new) is not None:
            _tell_again(double, kept.language)
            return None
        scope = await self._shared(kept.place, press.asker, kept.language)
        if make is None:
            asked = Asked((await self._under(kept, scope, rows=True)).reply, kept.reply.parts[0].question)
        elif kept.scope != scope.key:
            raise _Sentence(say(kept.language, "old_button"))  # its numbers are those of what another scope shows
        else:
            asked = await self._in_engine(make, scope, language=kept.language)
            if asked.chosen is not None:
                await self._in_state(self._state.choose, kept.place, press.asker, asked.chosen)
        made = Kept(new, kept.place, press.asker, asked.reply, kept.language, (), scope=scope.key)
        if not await self._in_state(self._state.keep, made, asked.said, LEASE):
            _tell_again(double, kept.language)
            return None
        shown = self._shown(made)
        if command.action == "share":
            said = say(kept.language, "shared", name=press.asker.name or press.asker.id, question=asked.said)
            return replace(shown, lines=(said,))
        return shown

    async def _again(self, kept: Kept, scope: Scope) -> Reply:
        """The reply with its rows, under the scope that it was made under."""
        parts: list[Answer] = []
        for part in kept.reply.parts:
            if part.result is None:
                parts.append(part)
            else:
                parts += (await self._in_engine(self._asking.again, part, scope, language=kept.language)).parts
        return Reply(parts=tuple(parts))

    def _part(self, kept: Kept, number: int) -> Answer:
        if number >= len(kept.reply.parts):
            raise _Sentence(say(kept.language, "old_button"))
        return kept.reply.parts[number]

    # ---- threads, time, and what goes wrong

    async def _in_state(self, call: Callable[..., T], *arguments: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._state_pool, call, *arguments)

    async def _in_engine(self, call: Callable[..., T], *arguments: object, language: str) -> T:
        """Runs it in the engine's threads until the deadline; _Sentence where it is too much, takes too long, or does not fit any more."""
        self._unless_noticed()
        if self._waiting >= MOST_WAITING:
            raise _Sentence(say(language, "busy"))
        self._waiting += 1
        try:
            work = asyncio.get_running_loop().run_in_executor(self._engine_pool, call, *arguments)
            return await asyncio.wait_for(work, self._deadline)
        except (TimeoutError, ExecutionError):
            raise _Sentence(say(language, "slow")) from None
        except PlanError:
            raise _Sentence(say(language, "gone")) from None
        finally:
            self._waiting -= 1

    def _unless_noticed(self) -> None:
        if self._notice:
            raise _Sentence(self._notice)

    async def _settle(self, call: Callable[..., object], *arguments: object) -> None:
        try:
            await self._in_state(call, *arguments)
        except Exception as error:  # noqa: BLE001 - as above; the outbox tries once more
            self._incident(error, "en")

    def _incident(self, error: Exception, language: str) -> str:
        incident = secrets.token_hex(4)
        log_incident(incident, error)
        return say(language, "incident", incident=incident)


def _content(reply: Reply) -> list[object]:
    """What an answer says, without when and how it was found."""
    return [(part.kind, part.headline, part.message, part.result and (part.result.columns, part.result.rows)) for part in reply.parts]


def _once(press: Press) -> str:
    return f"press {press.asker.id} {press.value}"


def _tell_again(double: bool, language: str) -> None:
    """A double press shows nothing more; one long after the first says so."""
    if not double:
        raise _Sentence(say(language, "already"))


def _thread(place: Place, asker: Asker, locale: str, time_zone: str) -> ChatThread:
    return ChatThread(
        asker=asker.id,
        email=asker.email,
        platform=place.platform,
        workspace=place.workspace,
        channel=place.channel,
        thread=place.thread,
        locale=locale,
        time_zone=time_zone,
    )


def _failed(question: str, sentence: str, language: str) -> Reply:
    made = failure(question, sentence)
    return Reply(parts=tuple(part.model_copy(update={"language": language}) for part in made.parts))


def _said(question: str, sentence: str, language: str) -> Reply:
    return Reply(parts=(Answer(kind="no_answer", question=question, headline=sentence, message=sentence, language=language),))
