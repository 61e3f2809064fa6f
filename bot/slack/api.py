"""Slack's Web API: one call at a time is obeyed as Slack asks (Retry-After, by method), and what went wrong is told apart by what can be done."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.chat.types import TryLater, Undeliverable

_LOG: Final = logging.getLogger(__name__)
PATIENCE: Final = 20.0  # seconds that a call waits by itself; what takes longer is for the outbox
_TRIES: Final = 3
_PAGES: Final = 5  # of messages
_PAGE: Final = 200
# read by form fields alone; the others take JSON
_BY_FORM: Final = frozenset(
    {
        "users.info", "users.list", "usergroups.list", "conversations.members", "conversations.replies", "conversations.history",
        "files.getUploadURLExternal",
    }
)  # fmt: skip
_NEVER: Final = frozenset(
    {
        "channel_not_found", "not_in_channel", "is_archived", "user_not_in_channel", "user_not_found", "cannot_dm_bot", "restricted_action",
        "invalid_auth", "account_inactive", "token_revoked", "token_expired", "not_authed", "missing_scope", "no_permission", "access_denied",
        "team_access_not_granted", "messages_tab_disabled", "thread_not_found", "message_not_found", "cant_update_message", "expired_url",
    }
)  # fmt: skip
_LATER: Final = frozenset(
    {"ratelimited", "rate_limited", "internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org"}
)


class Lost(Exception):
    """No response came: what was asked may have been done or not."""


class Refused(Exception):
    """Slack does not take what was sent; `error` is its word for why."""

    def __init__(self, method: str, error: str) -> None:
        super().__init__(f"{method}: {error}")
        self.error = error


class Denied(Undeliverable):
    """Slack refuses for good; `error` is its word for why."""

    def __init__(self, error: str) -> None:
        super().__init__(error)
        self.error = error


class WebApi:
    """The calls of one bot."""

    def __init__(self, client: AsyncWebClient) -> None:
        self.client = client
        self._free_at: dict[str, float] = {}  # by method, as asyncio's clock has it

    async def call(self, method: str, arguments: Mapping[str, Any], *, again: bool = True, patience: float = PATIENCE) -> dict[str, Any]:
        """What Slack answers.

        again: whether the call may be repeated where nothing is known of it; otherwise Lost is raised.
        Raises TryLater (refused for longer than patience, or Slack is down), Denied (never; Undeliverable), Refused (the call is wrong), Lost.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + patience
        failed = 0
        while True:
            await self._wait(method, deadline)
            try:
                return await self._once(method, arguments)
            except SlackApiError as error:
                status = getattr(error.response, "status_code", 200)
                if status == 429:
                    self._hold(method, error.response.headers)
                    continue
                if status < 500:
                    raise _sorted(method, _word_of(error)) from None
                maybe_done = True
            except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError):
                maybe_done = False  # nothing was sent
            except (aiohttp.ClientError, TimeoutError):
                maybe_done = True
            failed += 1
            if maybe_done and not again:
                raise Lost
            if failed >= _TRIES or loop.time() > deadline:
                raise TryLater
            await asyncio.sleep(0.2 * 2**failed * (0.5 + random.random()))  # so that many do not come back at once

    async def messages(self, channel: str, thread: str, *, oldest: str = "", patience: float = PATIENCE) -> AsyncIterator[dict[str, Any]]:
        """The messages of a thread, or of a channel where there is none, with their metadata; at most a thousand, from `oldest` (a ts) on."""
        method = "conversations.replies" if thread else "conversations.history"
        asked: dict[str, Any] = {"channel": channel, "include_all_metadata": "true", "limit": _PAGE}
        asked |= ({"ts": thread} if thread else {}) | ({"oldest": oldest} if oldest else {})
        for _ in range(_PAGES):
            page = await self.call(method, asked, patience=patience)
            for message in page.get("messages") or ():
                yield message
            if not (cursor := next_cursor(page)):
                return
            asked["cursor"] = cursor

    async def respond(self, address: str, said: Mapping[str, Any], *, again: bool = True) -> None:
        """Says something at a response address, which takes five messages within half an hour.

        Raises Undeliverable where it takes no more, TryLater where Slack is down, Refused; Lost where again is false and no response came.
        """
        session = self.client.session
        assert session is not None
        for failed in range(_TRIES):
            try:
                async with session.post(address, json=dict(said), timeout=aiohttp.ClientTimeout(total=10)) as response:
                    body = (await response.text())[:200]
                    if response.status == 429:
                        raise TryLater(_seconds(response.headers))
                    if response.status in (404, 410) or "used_url" in body or "expired_url" in body:
                        raise Undeliverable
                    if response.status < 300:
                        return
                    if response.status < 500:
                        raise Refused("response_url", "invalid_blocks" if "invalid_blocks" in body else f"status {response.status}")
            except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError):
                _LOG.info("a response address cannot be reached")
            except (aiohttp.ClientError, TimeoutError):
                if not again:
                    raise Lost from None
            await asyncio.sleep(0.2 * 2**failed)
        raise TryLater

    async def upload(self, address: str, content: bytes) -> None:
        """Puts a file's bytes where Slack said that they go; raises TryLater where it does not take them."""
        session = self.client.session
        assert session is not None
        try:
            async with session.post(address, data=content, timeout=aiohttp.ClientTimeout(total=60)) as response:
                if response.status < 300:
                    return
        except (aiohttp.ClientError, TimeoutError):
            _LOG.info("an upload address did not answer")
        raise TryLater

    async def _once(self, method: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        sent: dict[str, Any] = {"params": dict(arguments)} if method in _BY_FORM else {"json": dict(arguments)}
        response = await self.client.api_call(method, **sent)
        data = response.data
        return data if isinstance(data, dict) else {}

    async def _wait(self, method: str, deadline: float) -> None:
        loop = asyncio.get_running_loop()
        while (seconds := self._free_at.get(method, 0.0) - loop.time()) > 0:
            if loop.time() + seconds > deadline:
                raise TryLater(seconds)
            await asyncio.sleep(seconds + 0.01)

    def _hold(self, method: str, headers: Mapping[str, Any]) -> None:
        until = asyncio.get_running_loop().time() + _seconds(headers)
        self._free_at[method] = max(self._free_at.get(method, 0.0), until)
        _LOG.info("slack asks to wait", extra={"method": method, "seconds": _seconds(headers)})


def next_cursor(page: Mapping[str, Any]) -> str:
    """Where the next page begins; empty on the last one."""
    return str((page.get("response_metadata") or {}).get("next_cursor") or "")


def _seconds(headers: Mapping[str, Any]) -> float:
    """Retry-After in seconds, 1 where it is not said."""
    for name, value in headers.items():
        if name.lower() == "retry-after":
            text = value[0] if isinstance(value, list) else value
            return max(0.1, float(text)) if str(text).replace(".", "", 1).isdigit() else 1.0
    return 1.0


def _word_of(error: SlackApiError) -> str:
    data = error.response.data if hasattr(error.response, "data") else error.response
    return str(data.get("error", "")) if isinstance(data, dict) else ""


def _sorted(method: str, error: str) -> Exception:
    if error in _LATER:
        return TryLater()
    if error in _NEVER:
        _LOG.warning("slack refuses for good", extra={"method": method, "error": error})
        return Denied(error)
    return Refused(method, error)
