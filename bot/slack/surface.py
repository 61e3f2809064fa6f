"""Slack over HTTP at /slack/events, or over a socket: everything is acknowledged as soon as it is kept, and what is said follows."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

import aiohttp
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot.chat.handler import About, Handler
from bot.chat.scheduling import when_wrong
from bot.chat.sentences import asks_for_schedules, heard_language, say
from bot.chat.types import Deliver, Incoming, OutboxEntry, Press, Shown, Taken, TryLater, Undeliverable
from bot.slack.api import Lost, Refused, WebApi
from bot.slack.form import CALLBACK, form_view, language_of_form, told_view
from bot.slack.manifest import COMMAND, PATH
from bot.slack.people import SlackPeople
from bot.slack.post import Post
from bot.slack.settings import SlackSettings
from bot.slack.thread import WHEN, address_of, is_question, to_chat_thread, to_press, to_submission, turns_of
from engine.types import Turn

_LOG: Final = logging.getLogger(__name__)
_BOLT_LOG: Final = logging.getLogger("bot.slack.bolt")
_BOLT_LOG.setLevel(logging.ERROR)  # it warns of every event that nobody listens to
_SILENT_SECONDS: Final = 0.7  # what is answered sooner needs no sign of work
_HISTORY_PATIENCE: Final = 3.0
_FORM_PATIENCE: Final = 2.0  # a form can be opened within three seconds of the press
_ENDING_SECONDS: Final = 10.0  # that questions under way get when the server stops
_AGAIN_SECONDS: Final = 5.0  # between two tries to learn whose token it is, or to open the socket
_MOST_THREADS: Final = 10_000
_ABOUT: Final[Mapping[str, About]] = {"": "help", "help": "help", "tables": "tables"}

Payload = Mapping[str, Any]


def register(app: web.Application, handler: Handler, settings: SlackSettings) -> Deliver:
    """Serves Slack from this application, by HTTP or by a socket, and gives what says replies of the outbox."""
    surface = Slack(handler, settings)
    handler.introduce("slack", surface.people)
    if not settings.app_token:
        app.router.add_post(PATH, surface.receive)
    app.cleanup_ctx.append(surface.running)
    return surface.deliver


class Slack:
    """One bot in one workspace."""

    def __init__(self, handler: Handler, settings: SlackSettings) -> None:
        self._handler = handler
        self._settings = settings
        self._client = AsyncWebClient(settings.bot_token, base_url=settings.api, timeout=15, retry_handlers=[])
        self._api = WebApi(self._client)
        self._post = Post(self._api)
        self.people = SlackPeople(self._api)
        self._own = AuthorizeResult(enterprise_id=None, team_id=None)
        self._asked_own = float("-inf")
        self._remembered: OrderedDict[tuple[str, str], None] = OrderedDict()  # threads that the handler knows
        self._work: set[asyncio.Task[None]] = set()
        self._bolt = self._listening()

    # ---- the two ways in

    async def running(self, app: web.Application) -> AsyncIterator[None]:
        """Holds the connections to Slack; at the end waits a little for what is under way."""
        self._client.session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=15))
        socket = asyncio.create_task(self._socket()) if self._settings.app_token else None
        try:
            yield
        finally:
            if socket:
                socket.cancel()
                await asyncio.wait({socket})
            await self.finish(_ENDING_SECONDS)
            for task in self._work:
                task.cancel()
            await self._client.session.close()

    async def finish(self, seconds: float) -> None:
        """Waits at most so long until what is under way is said."""
        if self._work:
            await asyncio.wait(set(self._work), timeout=seconds)

    async def receive(self, request: web.Request) -> web.Response:
        """A request of Slack's: refused where it is not signed; a question is acknowledged when it is kept."""
        if not request.headers.get("X-Slack-Request-Timestamp", "").isdecimal():
            return web.json_response({"error": "The request is not signed."}, status=401)
        try:
            bolt = await to_bolt_request(request)
        except UnicodeDecodeError:
            return web.json_response({"error": "The request's body is not UTF-8."}, status=400)
        if not await self._knows_itself():
            return web.json_response({"error": "Slack does not say whose token this is; try again."}, status=503)
        return await to_aiohttp_response(await self._bolt.async_dispatch(bolt))

    async def _socket(self) -> None:
        """Keeps a socket to Slack open until it is cancelled."""
        handler = AsyncSocketModeHandler(self._bolt, self._settings.app_token, web_client=self._client)
        try:
            while True:
                try:
                    if await self._knows_itself():
                        await handler.connect_async()  # type: ignore[no-untyped-call]
                        await asyncio.Event().wait()  # the client reconnects by itself
                except Exception as error:  # noqa: BLE001 - whatever keeps it from opening, it is tried again
                    _LOG.warning("the socket to Slack does not open", extra={"error": type(error).__name__})
                await asyncio.sleep(_AGAIN_SECONDS)
        finally:
            await handler.close_async()  # type: ignore[no-untyped-call]

    def _listening(self) -> AsyncApp:
        async def authorize(team_id: str | None) -> AuthorizeResult:  # whose event it is, own_workspace sees to
            return self._own

        bolt = AsyncApp(
            name="almanac",
            logger=_BOLT_LOG,
            signing_secret=self._settings.signing_secret or "not used over a socket",
            client=self._client,
            authorize=authorize,
            process_before_response=True,  # a question is acknowledged when it is kept, and not before
        )

        @bolt.middleware
        async def own_workspace(body: dict[str, Any], next: Callable[[], Awaitable[BoltResponse]]) -> BoltResponse:
            if _teams_of(body) <= {self._own.team_id}:
                return await next()
            _LOG.warning("something of another workspace was left alone")
            return BoltResponse(status=200, body="")

        async def heard(body: dict[str, Any]) -> None:
            if not is_question(body["event"]):
                return
            incoming = to_chat_thread(body)
            if asks_for_schedules(incoming.text):
                self._start(self._tell(incoming, "schedules"))
            else:
                await self._take(incoming)

        async def commanded(ack: AsyncAck, body: dict[str, Any]) -> None:
            incoming = to_chat_thread(body)
            if what := "schedules" if asks_for_schedules(incoming.text) else _ABOUT.get(incoming.text.casefold()):
                self._start(self._tell(incoming, what))
            else:
                await self._take(incoming)
            await ack()

        async def pressed(ack: AsyncAck, body: dict[str, Any]) -> None:
            await ack()
            if press := to_press(body):
                self._start(self._react(press, str(body.get("trigger_id") or "")))

        async def written(ack: AsyncAck, body: dict[str, Any]) -> None:
            view: Payload = body["view"]
            language = language_of_form(str(view.get("private_metadata") or ""))
            press = to_submission(body)
            if press is None:
                await ack()
            elif wrong := await asyncio.to_thread(when_wrong, press.when, language):
                await ack(response_action="errors", errors={WHEN: wrong})
            else:
                await ack(response_action="update", view=told_view((say(language, "working"),), language))
                self._start(self._written(press, str(view.get("id") or ""), language))

        for event in ("app_mention", "message"):
            bolt.event(event)(heard)
        bolt.command(COMMAND)(commanded)
        bolt.action(re.compile(""))(pressed)
        bolt.view(CALLBACK)(written)
        return bolt

    async def _knows_itself(self) -> bool:
        """Whether it is known whose token this is; it is asked for where it is not, though not all the time."""
        now = asyncio.get_running_loop().time()
        if self._own.team_id or now - self._asked_own < _AGAIN_SECONDS:
            return bool(self._own.team_id)
        self._asked_own = now
        try:
            said = await self._api.call("auth.test", {}, patience=2.0)
        except (TryLater, Undeliverable, Refused):
            _LOG.error("Slack does not say whose SLACK_BOT_TOKEN this is; it may be revoked.")
            return False
        self._own = AuthorizeResult(
            enterprise_id=said.get("enterprise_id"),
            team_id=said.get("team_id"),
            bot_user_id=said.get("user_id"),
            bot_id=said.get("bot_id"),
            bot_token=self._settings.bot_token,
        )
        return bool(self._own.team_id)

    # ---- what is done after the acknowledgement

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._work.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._work.discard(task)
        if not task.cancelled() and (error := task.exception()):
            _LOG.error("what was to be said in Slack was not", exc_info=error)

    async def _take(self, incoming: Incoming) -> None:
        if taken := await self._handler.take(incoming):
            self._start(self._answer(taken))

    async def _answer(self, taken: Taken) -> None:
        incoming = await self._introduced(taken.incoming)
        asking = asyncio.create_task(self._handler.answer(replace(taken, incoming=incoming)))
        sign = ""
        done, _ = await asyncio.wait({asking}, timeout=_SILENT_SECONDS)
        if not done:
            with suppress(TryLater, Undeliverable):
                sign = await self._post.working(incoming.place, say(heard_language(incoming.text, incoming.locale), "working"))
        shown = await asking
        if shown is not None:
            await self._say(shown, sign)
            await self._say_aside(shown)
        elif sign:
            await self._post.withdraw(incoming.place, sign)

    async def _say_aside(self, shown: Shown) -> None:
        """What is for the asker alone; it is not worth a second try."""
        if shown.aside is not None:
            try:
                await self._post.reply(shown.aside)
            except (TryLater, Undeliverable, Refused):
                _LOG.warning("that there is more was not said")

    async def _tell(self, incoming: Incoming, what: About) -> None:
        shown = await self._handler.about(await self._introduced(incoming), what)
        if shown is not None:
            await self._say(shown)

    async def _react(self, press: Press, trigger: str) -> None:
        shown = await self._handler.press(await self._known(press))
        if shown is not None and shown.view == "file":
            await self._hand_over(shown, press)
        elif shown is not None and shown.view == "form":
            with suppress(TryLater, Undeliverable, Refused, Lost):  # it opens within three seconds, or the person presses again
                await self._api.call("views.open", {"trigger_id": trigger, "view": form_view(shown)}, again=False, patience=_FORM_PATIENCE)
        elif shown is not None:
            await self._say(shown)

    async def _written(self, press: Press, view: str, language: str) -> None:
        """Takes what was written in a form, and says in it what came of that."""
        shown = await self._handler.press(await self._known(press))
        lines = shown.lines if shown is not None else (say(language, "already"),)
        with suppress(TryLater, Undeliverable, Refused):  # it was closed meanwhile
            await self._api.call("views.update", {"view_id": view, "view": told_view(lines, language)})

    async def _known(self, press: Press) -> Press:
        """The press with what Slack knows of the person."""
        person = await self.people.person(press.asker.id, press.place.workspace)
        asker = replace(press.asker, name=person.name or press.asker.name, email=person.email)
        return replace(press, asker=asker, locale=person.locale, time_zone=person.time_zone)

    async def _say(self, shown: Shown, sign: str = "") -> None:
        try:
            message = await self._post.reply(shown, sign)
        except TryLater as later:
            await self._handler.unposted(shown, later.seconds)
        except Undeliverable:
            await self._handler.unposted(shown)
        else:
            await self._handler.posted(shown, message)

    async def _hand_over(self, shown: Shown, press: Press) -> None:
        made = await self._handler.file(press)
        if isinstance(made, Shown):
            await self._say(made)
            return
        try:
            await self._post.file(press.place, press.asker, made.name, made.content, " ".join(shown.lines), alone=not made.for_all)
        except (TryLater, Undeliverable, Refused):
            _LOG.warning("a file was not shared")

    async def deliver(self, entry: OutboxEntry) -> None:
        """Says a reply of the outbox in its place, unless it was said already; raises TryLater or Undeliverable."""
        if not await self._knows_itself():
            raise TryLater
        message = await self._post.reply(entry.shown, tried=True)
        await self._handler.posted(entry.shown, message)

    # ---- who asks, and what was said before

    async def _introduced(self, incoming: Incoming) -> Incoming:
        """The message with what Slack knows of the asker and, in a thread that is new to the handler, what was said there."""
        person = await self.people.person(incoming.asker.id, incoming.place.workspace)
        asker = replace(incoming.asker, name=person.name or incoming.asker.name, email=person.email)
        return replace(incoming, asker=asker, locale=person.locale, time_zone=person.time_zone, earlier=await self._earlier(incoming))

    async def _earlier(self, incoming: Incoming) -> tuple[Turn, ...]:
        place, said = incoming.place, address_of(incoming.place).said
        thread = (place.channel, place.thread)
        known = thread in self._remembered
        if place.thread:
            self._remembered[thread] = None
            if len(self._remembered) > _MOST_THREADS:
                self._remembered.popitem(last=False)
        if known or not place.thread or place.thread == said:
            return ()
        try:
            messages = [message async for message in self._api.messages(place.channel, place.thread, patience=_HISTORY_PATIENCE)]
        except (TryLater, Undeliverable, Refused):
            return ()
        return turns_of(messages, incoming.asker.id, str(self._own.bot_user_id), said)


def _teams_of(body: Payload) -> set[str]:
    """The workspaces that a payload comes from: where it happened, and that of who did it."""
    event, user, team = body.get("event") or {}, body.get("user") or {}, body.get("team") or {}
    found = [body.get("team_id"), event.get("team"), event.get("user_team"), event.get("source_team"), team.get("id")]
    found.append(user.get("team_id") if isinstance(user, Mapping) else None)
    return {name for name in found if isinstance(name, str) and name}
