"""What answering a question and a press have in common: the engine and the state in their threads, the scopes, the audit, and what is kept."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Final, TypeVar

from bot.chat.access import Access
from bot.chat.asking import Asking
from bot.chat.audit import Audit
from bot.chat.entry import entry_of
from bot.chat.limits import Limits
from bot.chat.sentences import say
from bot.chat.show import Show, notice
from bot.chat.state import Kept, State
from bot.chat.types import Asker, Place, Shown, UnknownPeopleError
from bot.failure import failure
from engine.errors import ExecutionError, PlanError
from engine.settings import log_incident
from engine.types import Answer, ChatThread, Reply, Scope

MOST_WAITING: Final = 4000  # questions and presses at once
T = TypeVar("T")


class Sentence(Exception):
    """What a person is told instead of what they asked for."""


class Desk:
    """The engine's threads and the state's, and what is done with them for every question and press; one deadline for each call."""

    def __init__(
        self, state: State, asking: Asking, *, secret: str, threads: int, deadline: float, lease: float, notice: str, limits: Limits | None
    ) -> None:
        self.state = state
        self.asking = asking
        self.access = Access(asking.rights)
        self.secret = secret or state.secret()
        self.show = Show(self.secret)
        self.deadline = deadline
        self.lease = lease
        self.notice = notice
        self.limits = limits
        self._audit = Audit(state)
        self._waiting = 0
        self._engine_pool = ThreadPoolExecutor(threads, thread_name_prefix="engine")
        self._model_pool = ThreadPoolExecutor(threads, thread_name_prefix="model")  # whose questions wait, and let the others pass
        self._state_pool = ThreadPoolExecutor(4, thread_name_prefix="state")

    def close(self) -> None:
        """Lets the threads go; what they began is finished."""
        self._engine_pool.shutdown(wait=True, cancel_futures=True)
        self._model_pool.shutdown(wait=True, cancel_futures=True)
        self._state_pool.shutdown(wait=True)

    # ---- threads, time, and what goes wrong

    async def in_state(self, call: Callable[..., T], *arguments: object) -> T:
        """What the state says, from its threads."""
        return await asyncio.get_running_loop().run_in_executor(self._state_pool, call, *arguments)

    async def asked(self, text: str, thread: ChatThread, scope: Scope, place: Place, language: str) -> Reply:
        """The reply to a question, all within the deadline: a model is waited for in threads of its own, and only where one is needed.

        Where the workspace has spent what it may on models, the reply is made without one, and notes it.
        """
        model, question = self.asking.model, (text, thread, scope)
        if model is None:
            return await self.in_engine(self.asking.answer, *question, language=language)
        until = time.monotonic() + self.deadline
        reply = await self.in_engine(model.at_once, *question, language=language)
        if reply is not None:
            return reply
        if self.limits is None or not await self.in_state(self.limits.models_spent, place):
            left = until - time.monotonic()
            return await self.in_engine(self.asking.answer, *question, language=language, pool=self._model_pool, seconds=left)
        reply = await self.in_engine(model.unaided, *question, language=language, seconds=until - time.monotonic())
        first, *others = reply.parts
        note = say(first.language, "limit_spend")
        return reply.model_copy(update={"parts": (first.model_copy(update={"notes": (*first.notes, note)}), *others)})

    async def in_engine(
        self,
        call: Callable[..., T],
        *arguments: object,
        language: str,
        pool: ThreadPoolExecutor | None = None,
        seconds: float | None = None,
    ) -> T:
        """Runs it in the engine's threads, or others, until the deadline; Sentence where it is too much, too slow, or does not fit any more."""
        self.unless_noticed()
        if self._waiting >= MOST_WAITING:
            raise Sentence(say(language, "busy"))
        self._waiting += 1
        try:
            work = asyncio.get_running_loop().run_in_executor(pool or self._engine_pool, call, *arguments)
            return await asyncio.wait_for(work, self.deadline if seconds is None else seconds)
        except (TimeoutError, ExecutionError):
            raise Sentence(say(language, "slow")) from None
        except PlanError:
            raise Sentence(say(language, "gone")) from None
        finally:
            self._waiting -= 1

    def unless_noticed(self) -> None:
        """Raises Sentence where everything is answered with a notice."""
        if self.notice:
            raise Sentence(self.notice)

    def incident(self, error: Exception, language: str) -> str:
        """Logs what went wrong under an id, and gives the sentence that names it."""
        incident = secrets.token_hex(4)
        log_incident(incident, error)
        return say(language, "incident", incident=incident)

    # ---- under which scope

    async def own(self, place: Place, asker: Asker, language: str) -> Scope:
        """What an asker may see."""
        try:
            return await self.access.own(place, asker)
        except UnknownPeopleError:
            raise Sentence(say(language, "unknown_people")) from None

    async def shared(self, place: Place, asker: Asker, language: str) -> Scope:
        """What may be shown in a place for an asker."""
        try:
            return await self.access.shared(place, asker)
        except UnknownPeopleError:
            raise Sentence(say(language, "unknown_people")) from None

    async def under(self, kept: Kept, scope: Scope, *, rows: bool = False) -> Kept:
        """What is kept, as a scope shows it: the same where it was made under it (with its rows, where they are wanted), else asked anew."""
        if kept.scope == scope.key:
            return replace(kept, reply=await self._again(kept, scope)) if rows else kept
        first = kept.reply.parts[0]
        thread = thread_of(kept.place, kept.asker)
        reply = await self.asked(first.question, thread, scope, kept.place, kept.language)
        return replace(kept, reply=reply, scope=scope.key, carried=())

    async def _again(self, kept: Kept, scope: Scope) -> Reply:
        """The reply with its rows, under the scope that it was made under."""
        parts: list[Answer] = []
        for part in kept.reply.parts:
            if part.result is None:
                parts.append(part)
            else:
                parts += (await self.in_engine(self.asking.again, part, scope, language=kept.language)).parts
        return Reply(parts=tuple(parts), planner=kept.reply.planner)

    # ---- what is kept and shown

    def shown(self, kept: Kept, page: int = 1) -> Shown:
        """A reply as it is posted: an answer, or a sentence."""
        first = kept.reply.parts[0]
        if first.kind == "failure" or (first.plan is None and first.kind == "no_answer"):
            said = notice(kept.place, kept.asker, kept.language, first.message, kept.id, first.kind, first.question)
            told = said.reply.model_copy(update={"planner": kept.reply.planner, "spent": kept.reply.spent})
            return replace(said, reply=told, lines=(*said.lines, *first.notes))
        shown = self.show.answer(kept, page)
        lines = [say(kept.language, "understood", question=question) for question in kept.carried]
        return replace(shown, lines=(*filter(None, [kept.above]), *lines))

    async def write(
        self,
        action: str,
        place: Place,
        asker: Asker,
        reply: Reply,
        reply_id: str,
        scope: str = "",
        page: int = 1,
        exported: int = 0,
        spend: float = 0.0,
    ) -> None:
        """Writes it in the audit, before anybody is shown it: what cannot be written is not shown; spend: beside what the reply took."""
        entry = entry_of(
            action,
            place,
            asker,
            reply=reply,
            reply_id=reply_id,
            scope=scope,
            page=0 if exported else page,
            row_ids_of=self.asking.audit_rows,
            exported=exported,
            spend=spend,
        )
        await self.in_state(self._audit.write, entry)


def thread_of(place: Place, asker: Asker, locale: str = "", time_zone: str = "") -> ChatThread:
    """The thread of a question, without what was said before."""
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


def failed(question: str, sentence: str, language: str) -> Reply:
    """A reply that says why there is none."""
    made = failure(question, sentence)
    return Reply(parts=tuple(part.model_copy(update={"language": language}) for part in made.parts))


def said(question: str, sentence: str, language: str) -> Reply:
    """A reply of one sentence."""
    return Reply(parts=(Answer(kind="no_answer", question=question, headline=sentence, message=sentence, language=language),))
