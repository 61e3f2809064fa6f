"""Says in Slack what is to be shown: once, where it belongs, whatever happens to the calls."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from bot.chat.types import Asker, Place, Shown, TryLater, Undeliverable
from bot.slack.api import Lost, Refused, WebApi
from bot.slack.escape import mrkdwn
from bot.slack.render import to_blocks, to_text
from bot.slack.thread import REPLY, Address, address_of, reply_metadata

_LOG: Final = logging.getLogger(__name__)
_WORKING: Final = "almanac_working"  # or which message is being answered


class Post:
    """What the bot says. Every method raises TryLater or Undeliverable where it cannot."""

    def __init__(self, api: WebApi) -> None:
        self._api = api

    async def working(self, place: Place, sentence: str) -> str:
        """The sign of work: the ts of its message, empty where only the asker sees it."""
        address = address_of(place)
        if address.hidden:
            await self._respond(address, {"text": mrkdwn(sentence), "response_type": "ephemeral", "replace_original": False}, again=False)
            return ""
        said = {"text": mrkdwn(sentence), "metadata": _metadata(_WORKING, "said", address.said)}
        try:
            return await self._message(place, said, again=False)
        except Lost:
            return await self._found(place, _WORKING, "said", address.said)

    async def reply(self, shown: Shown, sign: str = "", *, tried: bool = False) -> str:
        """Says what is to be shown in its place, instead of the sign of work where there is one; the ts of its message.

        tried: that it may have been said before, so that it is looked for first.
        """
        if not shown.place.channel:  # it is for one person, wherever they are
            opened = await self._api.call("conversations.open", {"users": shown.asker.id})
            shown = replace(shown, place=replace(shown.place, channel=str(opened["channel"]["id"])))
        place, address = shown.place, address_of(shown.place)
        body: dict[str, Any] = {"text": to_text(shown), "blocks": to_blocks(shown)}
        if shown.replaces:
            return await self._instead(shown, place, address, body)
        if address.hidden and not shown.private and not place.thread:  # what only the asker saw is shared
            await self._respond(address, {**body, "response_type": "in_channel", "replace_original": False}, again=False)
            return ""
        if (address.hidden or not place.channel.startswith("D")) and shown.private:
            await self._hidden(shown.asker, place, address, body)
            return ""
        if shown.view in ("answer", "notice"):
            body["metadata"] = reply_metadata(shown)
        if tried:
            if found := await self._found(place, REPLY, "reply", shown.reply_id):
                return found
            sign = sign or await self._found(place, _WORKING, "said", address.said)
        if sign:
            with suppress(Undeliverable):  # somebody removed it: the reply is a message of its own
                return await self._update(place.channel, sign, body)
        return await self._new(place, body, shown.reply_id)

    async def withdraw(self, place: Place, sign: str) -> None:
        """Takes a sign of work back."""
        with suppress(TryLater, Undeliverable, Refused):
            await self._api.call("chat.delete", {"channel": place.channel, "ts": sign})

    async def file(self, place: Place, asker: Asker, name: str, content: bytes, sentence: str, *, alone: bool) -> None:
        """Shares a file where the reply stands; with the asker alone where only they saw it, or may see it."""
        channel, thread = place.channel, place.thread
        if address_of(place).hidden or (alone and not channel.startswith("D")):
            opened = await self._api.call("conversations.open", {"users": asker.id})
            channel, thread = str(opened["channel"]["id"]), ""
        slot = await self._api.call("files.getUploadURLExternal", {"filename": name, "length": len(content)})
        await self._api.upload(str(slot["upload_url"]), content)
        done: dict[str, Any] = {
            "files": [{"id": slot["file_id"], "title": name}],
            "channel_id": channel,
            "initial_comment": mrkdwn(sentence),
        }
        with suppress(Lost):  # it is there or not; a second one would be worse
            await self._api.call("files.completeUploadExternal", done | ({"thread_ts": thread} if thread else {}), again=False)

    async def _new(self, place: Place, body: Mapping[str, Any], reply_id: str) -> str:
        for _ in range(2):
            try:
                return await self._message(place, body, again=False)
            except Lost:
                if found := await self._found(place, REPLY, "reply", reply_id):
                    return found
        raise TryLater

    async def _message(self, place: Place, body: Mapping[str, Any], *, again: bool) -> str:
        where = {"channel": place.channel} | ({"thread_ts": place.thread} if place.thread else {})
        quiet = {"unfurl_links": False, "unfurl_media": False, "parse": "none"}
        answer = await self._tolerant("chat.postMessage", {**where, **_without_nothing(body), **quiet}, again=again)
        return str(answer.get("ts", ""))

    async def _update(self, channel: str, ts: str, body: Mapping[str, Any]) -> str:
        await self._tolerant("chat.update", {"channel": channel, "ts": ts, **_without_nothing(body), "parse": "none"}, again=True)
        return ts

    async def _instead(self, shown: Shown, place: Place, address: Address, body: Mapping[str, Any]) -> str:
        """In the place of the message that was pressed: by the response address, which needs no membership, else by its ts."""
        if address.response:
            with suppress(Undeliverable):
                await self._respond(address, {**body, "replace_original": True}, again=True)
                return address.message
        if address.hidden or not address.message:
            raise Undeliverable
        return await self._update(place.channel, address.message, body)

    async def _hidden(self, asker: Asker, place: Place, address: Address, body: Mapping[str, Any]) -> None:
        """For one person's eyes."""
        thread = {"thread_ts": place.thread} if place.thread else {}
        if address.response:
            with suppress(Undeliverable):
                await self._respond(address, {**body, **thread, "response_type": "ephemeral", "replace_original": False}, again=False)
                return
        with suppress(Lost):
            await self._tolerant("chat.postEphemeral", {"channel": place.channel, "user": asker.id, **body, **thread}, again=False)

    async def _respond(self, address: Address, said: dict[str, Any], *, again: bool) -> None:
        try:
            await self._api.respond(address.response, said, again=again)
        except Lost:
            _LOG.warning("a response address did not say whether it took a message")
        except Refused as refused:
            if "blocks" not in said:
                raise Undeliverable from None
            _LOG.error("slack takes the text alone", extra={"error": refused.error})
            await self._respond(address, {key: value for key, value in said.items() if key != "blocks"}, again=again)

    async def _tolerant(self, method: str, arguments: dict[str, Any], *, again: bool) -> dict[str, Any]:
        """The call; where Slack does not take the blocks, with the text alone, which says the same."""
        try:
            return await self._api.call(method, arguments, again=again)
        except Refused as refused:
            _LOG.error("slack does not take a message", extra={"method": method, "error": refused.error})
            if not arguments.get("blocks"):
                raise Undeliverable from None
        return await self._tolerant(method, {**arguments, "blocks": []}, again=again)

    async def _found(self, place: Place, kind: str, field: str, value: str) -> str:
        """The ts of the bot's message that carries this in its metadata, empty where there is none."""
        if not value:
            return ""
        address = address_of(place)
        with suppress(Refused):
            async for message in self._api.messages(place.channel, place.thread, oldest=address.said or address.message):
                metadata = message.get("metadata") or {}
                if metadata.get("event_type") == kind and metadata.get("event_payload", {}).get(field) == value:
                    return str(message["ts"])
        return ""


def _metadata(kind: str, field: str, value: str) -> dict[str, Any]:
    return {"event_type": kind, "event_payload": {field: value}}


def _without_nothing(body: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in body.items() if value or key == "blocks"}
