"""Who asks: the name, address, language and time zone that Slack has of a person, asked for once an hour."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Final

from bot.chat.types import TryLater, Undeliverable
from bot.slack.api import Refused, WebApi

_KEPT_SECONDS: Final = 3600.0
_MOST: Final = 20_000
_PATIENCE: Final = 2.0  # a question need not wait for a name


@dataclass(frozen=True, slots=True)
class Person:
    """What is known of a person; empty where Slack does not say."""

    name: str = ""
    email: str = ""
    locale: str = ""
    time_zone: str = ""


class People:
    """The people of a workspace."""

    def __init__(self, api: WebApi) -> None:
        self._api = api
        self._known: OrderedDict[str, tuple[float, asyncio.Task[Person | None]]] = OrderedDict()

    async def person(self, user: str) -> Person:
        """What Slack has of them; nothing where it does not answer soon, which is asked again the next time."""
        now = asyncio.get_running_loop().time()
        since, task = self._known.get(user, (0.0, None))
        if task is None or now - since > _KEPT_SECONDS:
            task = asyncio.create_task(self._look_up(user))
            self._known[user] = (now, task)
            if len(self._known) > _MOST:
                self._known.popitem(last=False)
        found = await asyncio.shield(task)
        if found is None and self._known.get(user, (0.0, None))[1] is task:
            del self._known[user]
        return found or Person()

    async def _look_up(self, user: str) -> Person | None:
        try:
            answer = await self._api.call("users.info", {"user": user, "include_locale": "true"}, patience=_PATIENCE)
        except (TryLater, Undeliverable, Refused):
            return None
        found: dict[str, Any] = answer.get("user") or {}
        profile: dict[str, Any] = found.get("profile") or {}
        name = profile.get("real_name") or found.get("real_name") or found.get("name") or ""
        return Person(str(name), str(profile.get("email") or ""), str(found.get("locale") or ""), str(found.get("tz") or ""))
