"""Teams driven at its wire: the surface serves on loopback, the stand-in is Teams; the messages stand in threads of a channel."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from aiohttp import web

from bot.chat.handler import Handler
from bot.chat.types import Deliver
from bot.teams.files import CONSENT
from bot.teams.settings import TeamsSettings
from bot.teams.surface import PATH, register
from bot.teams.surface import Teams as Surface
from tests.chat.contract import ANN, Driver, Offer, Said
from tests.teams.card_check import alive, elements, texts
from tests.teams.standin import APP_ID, BOT, SECRET, TENANT, Credentials, Posted, Teams, serve

SECONDS = 20.0  # that anything may take
CARD = "application/vnd.microsoft.card.adaptive"


class Served:
    """The surface as it is served, beside a Teams that it talks to."""

    def __init__(self, handler: Handler, *, settings: TeamsSettings | None = None, secret: str = SECRET) -> None:
        self.handler = handler
        self.teams = Teams()
        self._settings, self._secret = settings, secret
        self.surface: Surface
        self.deliver: Deliver

    async def __aenter__(self) -> Served:
        self._outside, self.teams.url = await serve(self.teams.app())
        settings = self._settings or TeamsSettings(APP_ID, SECRET, TENANT, f"{self.teams.url}/openid")
        application = web.Application()
        credentials = None if settings.local else Credentials(self.teams.url, self._secret)
        self.deliver = register(application, self.handler, settings, credentials)
        self.surface = self.deliver.__self__  # type: ignore[attr-defined]
        self._inside, url = await serve(application)
        self.teams.bot = url + PATH
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._inside.cleanup()
        await self._outside.cleanup()

    async def settled(self) -> None:
        """Waits until everything that was heard is answered."""
        await self.surface.finish(SECONDS)


class TeamsDriver(Driver):
    """What the contract asks, in Teams."""

    platform = "teams"

    async def open(self) -> None:
        self.served = await Served(self.handler).__aenter__()
        self.teams = self.served.teams
        self._names = itertools.count(1)
        self._told: list[tuple[int, Said]] = []  # replies to invokes, which only the presser sees, each after so many messages
        self._menus: dict[str, str] = {}  # value of a choice -> the input that it stands in
        self._offered: set[str] = set()

    async def close(self) -> None:
        await self.served.__aexit__()

    async def ask(self, text: str, *, asker: str = ANN, thread: str = "one", event: str = "") -> None:
        own = f"<at>{BOT['name']}</at>"
        entities = [{"type": "mention", "mentioned": BOT, "text": own}]
        conversation = f"19:doctors@thread.tacv2;messageid={thread}"
        sent = self.teams.activity(f"{own} {text}", conversation=conversation, person=asker, entities=entities)
        sent["id"] = event or f"event {next(self._names)}"
        assert await self.teams.send(sent) == (200, None)
        await self.served.settled()

    async def schedule(self, offer: Offer, said: Said, when: str, *, asker: str = ANN) -> str:
        before = len(self.said())
        await self.press(offer, said, asker=asker)
        (form,) = self.said()[before:]
        assert form.to == asker
        await self.press(form.offer("keep" if form.has("keep") else "change"), form, asker=asker, when=when)
        return self.said()[-1].text

    async def press(self, offer: Offer, said: Said, *, asker: str = ANN, **written: str) -> None:
        posted = next(posted for posted in self.teams.standing if posted.id == said.name)
        menu = self._menus.get(offer.value)
        data = {"input": menu, menu: offer.value} if menu else {"value": offer.value}
        status, reply = await self.teams.press_data(posted, data | written, person=asker)
        assert (status, reply["statusCode"]) == (200, 200)
        await self.served.settled()
        if reply["type"] != CARD:
            if reply["value"] != "✓":
                self._told.append((len(self._cards()), Said(reply["value"], to=asker, name=posted.id)))
        elif texts(reply["value"]) != texts(next(now for now in self.teams.standing if now.id == posted.id).card):
            self._told.append((len(self._cards()), self._to_said(posted.id, {"attachments": [{"content": reply["value"]}]}, to=asker)))
        await self._take_files(asker)

    async def _take_files(self, asker: str) -> None:
        for posted in self.teams.standing:
            if posted.activity["attachments"][0]["contentType"] == CONSENT and posted.id not in self._offered:
                self._offered.add(posted.id)
                assert await self.teams.accept(posted, person=asker) == 200
                await self.served.settled()
        self.files[:] = self.teams.files.items()

    def said(self) -> list[Said]:
        posted = [(at + 1, self._to_said(message.id, message.activity, _alone(message))) for at, message in enumerate(self._cards())]
        return [said for _, said in sorted([*posted, *self._told], key=lambda told: told[0])]

    def _cards(self) -> list[Posted]:
        return [posted for posted in self.teams.standing if posted.activity["attachments"][0]["contentType"] == CARD]

    def _to_said(self, name: str, activity: dict[str, Any], to: str = "") -> Said:
        """A message as a person reads it."""
        card = activity["attachments"][0]["content"]
        for element in elements(card):
            if element["type"] == "Input.ChoiceSet":
                self._menus |= {choice["value"]: element["id"] for choice in element["choices"]}
        read = "\n".join(texts(card)).replace("\u200b", "")
        return Said(read, tuple(_offers(card)), tuple(alive(activity)), to, name)

    def refuse(self, refusing: bool) -> None:
        self.teams.down = refusing

    @property
    def deliver(self) -> Deliver:
        return self.served.deliver


def _alone(posted: Posted) -> str:
    """Who is alone with the bot where it stands; empty in a channel."""
    return posted.conversation.removeprefix("personal of 29:") if posted.conversation.startswith("personal of ") else ""


def _offers(card: dict[str, Any]) -> Iterator[Offer]:
    for element in elements(card):
        if element["type"] == "Action.Execute" and "value" in element["data"]:
            yield Offer(element["title"], element["data"]["value"])
        elif element["type"] == "Input.ChoiceSet":
            yield from (Offer(choice["title"], choice["value"]) for choice in element["choices"])
