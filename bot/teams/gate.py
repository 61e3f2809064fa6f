"""Who may call: Teams with its token, or this machine where the bot has no registration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web

from bot.teams.activity import tenant_of
from bot.teams.settings import TeamsSettings, is_loopback
from bot.teams.token import TokenCheck, Unauthorized


class Gate:
    """Lets a request pass or raises Unauthorized."""

    def __init__(self, settings: TeamsSettings, tokens: TokenCheck) -> None:
        self._settings = settings
        self._tokens = tokens

    async def check(self, request: web.Request, payload: Mapping[str, Any]) -> None:
        """Raises Unauthorized unless the request is Teams' own, for this bot and, where one is set, from its organisation."""
        service_url = payload.get("serviceUrl")
        if not isinstance(service_url, str) or not service_url:
            raise Unauthorized("The activity names no service URL to answer at.")
        if self._settings.local:
            _check_local(request, service_url)
            return
        channel = payload.get("channelId")
        header = request.headers.get("Authorization", "")
        await self._tokens.claims(header, channel if isinstance(channel, str) else "", service_url)
        if self._settings.tenant and tenant_of(payload) != self._settings.tenant:
            raise Unauthorized("The activity comes from another organisation than the one that this bot answers in.")


def _check_local(request: web.Request, service_url: str) -> None:
    """Without a registration nobody can be told from anybody: the caller, the name that it calls us by and where we answer must be this machine."""
    forwarded = "Forwarded" in request.headers or "X-Forwarded-For" in request.headers
    called = urlsplit(f"//{request.host}").hostname or ""
    answered = urlsplit(service_url).hostname or ""
    if forwarded or not (is_loopback(request.remote or "") and is_loopback(called) and is_loopback(answered)):
        raise Unauthorized("Without MICROSOFT_APP_ID only this machine may call.")
