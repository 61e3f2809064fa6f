"""Slack driven at its wire: the surface serves on loopback, the stand-in is Slack."""

from __future__ import annotations

import html
import itertools
from collections.abc import Iterator
from typing import Any

from aiohttp import web

from bot.chat.handler import Handler
from bot.chat.types import Deliver
from bot.slack.manifest import PATH, SCOPES
from bot.slack.settings import SlackSettings
from bot.slack.surface import Slack as Surface
from bot.slack.surface import register
from tests.chat.contract import ANN, Driver, Offer, Said
from tests.slack.blocks_check import mentions
from tests.slack.standin import APP_TOKEN, BOT_TOKEN, SECRET, Posted, Slack, elements_of

SECONDS = 20.0  # that anything may take


class Served:
    """The surface as it is served, beside a Slack that it talks to."""

    def __init__(self, handler: Handler, *, socket: bool = False, slack: Slack | None = None) -> None:
        self.handler = handler
        self.slack = slack or Slack()
        self._own_slack = slack is None
        self._socket = socket
        self.surface: Surface
        self.deliver: Deliver
        self._runner: web.AppRunner

    async def __aenter__(self) -> Served:
        if self._own_slack:
            await self.slack.__aenter__()
        self.slack.tokens[BOT_TOKEN] = set(SCOPES)
        settings = SlackSettings(BOT_TOKEN, SECRET, APP_TOKEN if self._socket else "", self.slack.address)
        application = web.Application()
        self.deliver = register(application, self.handler, settings)
        self.surface = self.deliver.__self__  # type: ignore[attr-defined]
        self._runner = web.AppRunner(application, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.slack.app = f"http://127.0.0.1:{self._runner.addresses[0][1]}{PATH}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()
        if self._own_slack:
            await self.slack.__aexit__()

    async def settled(self) -> None:
        """Waits until everything that was heard is answered."""
        await self.surface.finish(SECONDS)


class SlackDriver(Driver):
    """What the contract asks, in Slack."""

    platform = "slack"

    async def open(self) -> None:
        self.served = await Served(self.handler).__aenter__()
        self.slack = self.served.slack
        self._threads: dict[str, str] = {}
        self._envelopes: dict[str, dict[str, Any]] = {}
        self._names = itertools.count(1)

    async def close(self) -> None:
        await self.served.__aexit__()

    async def ask(self, text: str, *, asker: str = ANN, thread: str = "one", event: str = "") -> None:
        event = event or f"event {next(self._names)}"
        if event not in self._envelopes:
            said = self.slack.write(f"<@U0BOT> {html.escape(text, quote=False)}", user=asker, thread=self._threads.get(thread, ""))
            self._threads.setdefault(thread, said.ts)
            envelope = self.slack.event("app_mention", said)
            if "restart" in event:  # another Slack counts anew, and it is the same event nevertheless
                envelope["event_id"] = f"Ev {event}"
            self._envelopes[event] = envelope
        assert await self.slack.deliver(self._envelopes[event]) == 200
        await self.served.settled()

    async def press(self, offer: Offer, said: Said, *, asker: str = ANN) -> None:
        posted = next(message for message in self.slack.from_bot() if message.ts == said.name)
        element = {"type": "button", "action_id": "a", "value": offer.value, "text": {"type": "plain_text", "text": offer.label}}
        assert await self.slack.press(posted, element, user=asker) == 200
        await self.served.settled()
        self.files[:] = [file for message in self.slack.messages for file in message.files]

    async def schedule(self, offer: Offer, said: Said, when: str, *, asker: str = ANN) -> str:
        opened = len(self.slack.views.modals)
        await self.press(offer, said, asker=asker)
        (modal,) = self.slack.views.modals[opened:]
        assert modal.user == asker
        assert await self.slack.submit(modal, when=when) == 200
        await self.served.settled()
        assert not self.slack.refused
        return html.unescape("\n".join([*modal.errors.values(), modal.texts])).replace("\u2060", "")

    def said(self) -> list[Said]:
        return [to_said(message) for message in self.slack.from_bot() if not message.files]

    def files_for_all(self) -> list[bytes]:
        messages = [message for message in self.slack.messages if not message.channel.startswith("D")]
        return [content for message in messages for _, content in message.files]

    def refuse(self, refusing: bool) -> None:
        methods = {"chat.postMessage", "chat.update", "chat.postEphemeral"}
        self.slack.broken = methods if refusing else set()

    @property
    def deliver(self) -> Deliver:
        return self.served.deliver


def to_said(posted: Posted) -> Said:
    """A message as a person reads it."""
    texts = list(_texts(posted.blocks)) or [("mrkdwn", posted.text)]
    read = "\n".join(html.unescape(text) if kind == "mrkdwn" else text for kind, text in texts).replace("\u2060", "")
    alive = [found for _, text in [*texts, ("mrkdwn", posted.text)] for found in mentions(text)]
    return Said(read, tuple(_offers(posted)), tuple(alive), posted.only_for, posted.ts)


def _offers(posted: Posted) -> Iterator[Offer]:
    for element in elements_of(posted):
        if element["type"] == "button":
            yield Offer(element["text"]["text"], element["value"])
        else:
            yield from (Offer(option["text"]["text"], option["value"]) for option in element["options"])


def _texts(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        if isinstance(value.get("text"), str):
            yield (value["type"], value["text"])
        else:
            for key, inner in value.items():
                if key != "options":
                    yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
