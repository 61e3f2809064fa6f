"""Teams at /api/messages: every request is acknowledged as soon as it is kept, and what is said follows by continuing the conversation."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final

import aiohttp
from aiohttp import web
from botframework.connector.auth import AppCredentials

from bot.chat.handler import About, Handler
from bot.chat.sentences import asks_for_schedules, locale_language, say
from bot.chat.types import Deliver, OutboxEntry, Place, Press, Shown, Taken, TryLater, Undeliverable
from bot.teams.activity import bot_is_added, channel_address, chose_nothing, is_personal, press_of, to_chat_thread, to_press
from bot.teams.card import summary, to_card
from bot.teams.connector import CARD, Connector
from bot.teams.files import UploadError, accepted, offer, upload
from bot.teams.gate import Gate
from bot.teams.people import TeamsPeople
from bot.teams.settings import TeamsSettings
from bot.teams.token import TokenCheck, Unauthorized

log = logging.getLogger(__name__)

PATH: Final = "/api/messages"
INVOKE_SECONDS: Final = 3.0  # Teams gives up on an invoke after some; what takes longer follows as an update of the card
_SILENT_SECONDS: Final = 0.3  # what is answered sooner needs no sign of work
_TYPING_SECONDS: Final = 3.0  # the sign lasts a little longer
_MOST_MET: Final = 10_000
_ENDING_SECONDS: Final = 10.0  # that questions under way get when the server stops
_DONE: Final = "✓"
COMMANDS: Final[dict[str, About]] = {"help": "help", "tables": "tables"}  # as the manifest lists them


def register(app: web.Application, handler: Handler, settings: TeamsSettings, credentials: AppCredentials | None = None) -> Deliver:
    """Serves Teams from this application, and gives what says replies of the outbox; credentials are made from the settings where none are given."""
    surface = Teams(handler, settings, Connector(settings, credentials))
    handler.introduce("teams", surface.people)
    app.router.add_post(PATH, surface.receive)
    app.cleanup_ctx.append(surface.running)
    return surface.deliver


class Teams:
    """One bot's registration in Teams."""

    def __init__(self, handler: Handler, settings: TeamsSettings, connector: Connector) -> None:
        self._handler = handler
        self._connector = connector
        self.people = TeamsPeople(connector, settings.tenant)
        self._gate = Gate(settings, TokenCheck(settings.app_id, self._fetch, open_id=settings.open_id))
        self._work: set[asyncio.Task[None]] = set()
        self._web: aiohttp.ClientSession | None = None
        self._met: OrderedDict[str, None] = OrderedDict()  # channels that the handler knows

    async def running(self, app: web.Application) -> AsyncIterator[None]:
        """Holds the connections to the outside; at the end waits a little for what is under way."""
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=30)) as self._web:
            yield
            await self.finish(_ENDING_SECONDS)
            for task in self._work:
                task.cancel()

    async def finish(self, seconds: float) -> None:
        """Waits so long for what is under way."""
        if self._work:
            await asyncio.wait(self._work, timeout=seconds)

    async def receive(self, request: web.Request) -> web.Response:
        """An activity: refused, or acknowledged."""
        try:
            payload = json.loads(await request.read())
        except (ValueError, RecursionError):
            return web.json_response({"error": "The request's body is not JSON; an activity is expected."}, status=400)
        if not isinstance(payload, dict) or not isinstance(payload.get("type"), str):
            return web.json_response({"error": "The request's body is no activity: it must be an object with a type."}, status=400)
        try:
            await self._gate.check(request, payload)
        except Unauthorized as refused:
            log.warning("a request was refused", extra={"reason": str(refused)})
            return web.json_response({"error": str(refused)}, status=401)
        except (aiohttp.ClientError, TimeoutError, KeyError, ValueError):
            log.exception("the keys of Teams cannot be had")
            return web.json_response({"error": "The keys that tokens are checked with cannot be had now; try again."}, status=503)
        return await self._dispatch(payload)

    async def deliver(self, entry: OutboxEntry) -> None:
        """Says a reply of the outbox in its place; raises TryLater or Undeliverable."""
        message = await self._say(entry.shown, entry.place.address)
        await self._handler.posted(entry.shown, message)

    async def _dispatch(self, payload: Mapping[str, Any]) -> web.Response:
        kind, name = payload["type"], payload.get("name")
        if kind == "message":
            press = to_press(payload) if payload.get("value") and not payload.get("text") else None
            if press is None:
                await self._heard(payload)
            else:
                self._start(self._react(press, payload))
        elif kind == "conversationUpdate" and bot_is_added(payload):
            self._start(self._about(payload, "hello"))
        elif kind == "invoke" and name == "adaptiveCard/action":
            return web.json_response(await self._invoked(payload))
        elif kind == "invoke" and name == "fileConsent/invoke":
            self._start(self._hand_over(payload))
        elif kind == "invoke":
            return web.Response(status=501)  # what Teams expects for one that a bot does not know
        return web.Response(status=200)

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._work.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._work.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.error("what was to be said in Teams was not", exc_info=error)

    async def _heard(self, payload: Mapping[str, Any]) -> None:
        """A message: it is acknowledged when it is kept, and not before."""
        incoming = to_chat_thread(payload)
        await self._meet(incoming.place)
        if what := "schedules" if asks_for_schedules(incoming.text) else COMMANDS.get(incoming.text.casefold()):
            self._start(self._about(payload, what))
        elif taken := await self._handler.take(incoming):
            self._start(self._answer(taken))

    async def _meet(self, place: Place) -> None:
        """Has the handler remember how a channel is reached, once for each."""
        if place.channel not in self._met and place.address:
            self._met[place.channel] = None
            if len(self._met) > _MOST_MET:
                self._met.popitem(last=False)
            await self._handler.met(replace(place, thread="", address=channel_address(place.address, place.channel)))

    async def _answer(self, taken: Taken) -> None:
        incoming = taken.incoming
        address = incoming.place.address
        async with self._sign_of_work(address):
            known = replace(incoming, asker=await self.people.person(incoming.place, incoming.asker))
            shown = await self._handler.answer(replace(taken, incoming=known))
        if shown is not None:
            await self._post(shown, address)
            if shown.aside is not None:
                await self._say_aside(shown.aside, address)

    async def _say_aside(self, aside: Shown, address: str) -> None:
        """What is for the asker alone; it is not worth a second try."""
        try:
            await self._say(aside, address)
        except (TryLater, Undeliverable):
            log.warning("that there is more was not said")

    async def _introduced(self, press: Press) -> Press:
        """The press with what Teams knows of the person."""
        return replace(press, asker=await self.people.person(press.place, press.asker))

    async def _about(self, payload: Mapping[str, Any], what: About) -> None:
        incoming = to_chat_thread(payload)
        await self._meet(incoming.place)
        shown = await self._handler.about(incoming, what)
        if shown is not None:
            await self._post(shown, incoming.place.address)

    async def _react(self, press: Press, payload: Mapping[str, Any]) -> None:
        """What a press brings, as a message or in the place of the one that was pressed."""
        async with self._sign_of_work(press.place.address):
            shown = await self._handler.press(await self._introduced(press))
        if shown is not None:
            await self._show(shown, press, payload)

    async def _show(self, shown: Shown, press: Press, payload: Mapping[str, Any]) -> None:
        pressed = payload.get("replyToId")
        if shown.view == "file":
            await self._offer_file(shown, press)
        elif shown.replaces and isinstance(pressed, str):
            try:
                await self._connector.replace(press.place.address, pressed, _card(shown), summary(shown))
            except (TryLater, Undeliverable):
                log.warning("a card was not replaced")
        else:
            await self._post(shown, press.place.address)

    async def _invoked(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """The reply to Action.Execute: the card that takes the place of the pressed one, or a line."""
        language = locale_language(str(payload.get("locale", "")))
        if chose_nothing(payload):
            return _line(say(language, "teams_choose_first"))
        press = to_press(payload)
        if press is None:
            return _line(say(language, "old_button"))
        result: asyncio.Future[Shown | None] = asyncio.get_running_loop().create_future()
        self._start(self._press_for(press, payload, result))
        try:
            shown = await asyncio.wait_for(result, INVOKE_SECONDS)
        except TimeoutError:
            return _line(say(language, "working"))
        if shown is None:
            return _line(say(language, "already"))
        if shown.view in ("thanks", "notice"):
            return _line(summary(shown))
        if shown.view == "file" and not press.place.private:
            return _line(say(language, "teams_file_personal"))
        return _replacement(shown) if shown.replaces or _for_one(shown, press) else _line(_DONE)

    async def _press_for(self, press: Press, payload: Mapping[str, Any], result: asyncio.Future[Shown | None]) -> None:
        """Handles a press; what the reply to the invoke cannot carry, or came too late for it, is said in the conversation."""
        shown = await self._handler.press(await self._introduced(press))
        late = result.done()
        if not late:
            result.set_result(shown)
        if shown is None or (not late and (shown.view in ("thanks", "notice") or _for_one(shown, press))):
            return
        await self._show(shown, press, payload)  # a replacement too: the reply to the invoke is seen by the presser alone, and not for long

    async def _offer_file(self, shown: Shown, press: Press) -> None:
        """Offers the file in the chat with the presser alone, the one place where Teams takes files from a bot."""
        found = await self._handler.file(press, leaves=False)
        if isinstance(found, Shown):
            await self._post(found, press.place.address)
            return
        name, data = found.name, found.content
        card = offer(name, len(data), press.value, say(shown.language, "teams_file_offer"))
        try:
            address = press.place.address if press.place.private else await self._connector.alone_with_user(press.place.address)
            await self._connector.say(address, card, name)
        except (TryLater, Undeliverable):
            log.warning("a file could not be offered in a personal chat")

    async def _hand_over(self, payload: Mapping[str, Any]) -> None:
        """Puts an accepted file where the consent says, and shows it."""
        value, where = accepted(payload)
        if not value or where is None or self._web is None:
            return
        press = await self._introduced(press_of(payload, value))
        found = await self._handler.file(press)
        if isinstance(found, Shown):
            await self._post(found, press.place.address)
            return
        name, data = found.name, found.content
        try:
            card = await upload(self._web, where, data, str(payload["serviceUrl"]))
            await self._connector.say(press.place.address, card, name)
        except (UploadError, TryLater, Undeliverable) as error:
            log.warning("a file was not handed over", extra={"reason": str(error)})

    async def _post(self, shown: Shown, address: str) -> None:
        try:
            message = await self._say(shown, address)
        except TryLater as later:
            await self._handler.unposted(shown, later.seconds)
        except Undeliverable:
            log.warning("a reply cannot be said in its conversation")
            await self._handler.dismissed(shown)
        else:
            await self._handler.posted(shown, message)

    async def _say(self, shown: Shown, address: str) -> str:
        if shown.private and not is_personal(address):
            address = await self._connector.alone_with_user(address)  # in a channel nothing can be said to one person
        return await self._connector.say(address, _card(shown), summary(shown))

    @asynccontextmanager
    async def _sign_of_work(self, address: str) -> AsyncIterator[None]:
        async def typing() -> None:
            await asyncio.sleep(_SILENT_SECONDS)
            while True:
                await self._connector.typing(address)
                await asyncio.sleep(_TYPING_SECONDS)

        task = asyncio.create_task(typing())
        try:
            yield
        finally:
            task.cancel()

    async def _fetch(self, url: str) -> Mapping[str, Any]:
        assert self._web is not None, "the application runs"
        async with self._web.get(url) as response:
            response.raise_for_status()
            found: Mapping[str, Any] = await response.json(content_type=None)
            return found


def _card(shown: Shown) -> dict[str, Any]:
    return {"contentType": CARD, "content": to_card(shown)}


def _for_one(shown: Shown, press: Press) -> bool:
    """Whether only the presser is to see it among others; the reply to an invoke is the one thing that Teams shows to one person."""
    return shown.private and not press.place.private and shown.view in ("receipt", "how", "form")


def _replacement(shown: Shown) -> dict[str, Any]:
    return {"statusCode": 200, "type": CARD, "value": to_card(shown)}


def _line(text: str) -> dict[str, Any]:
    return {"statusCode": 200, "type": "application/vnd.microsoft.activity.message", "value": text}
