"""An activity of Teams as what the handler takes: the message without the bot's own mention, the press of a card's button, the place."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from bot.chat.types import Asker, Incoming, Place, Press

_ROOT: Final = re.compile(r"^(?P<channel>[^;]+);messageid=(?P<thread>.+)$")
WHEN: Final = "when"  # the field of a form
_AT: Final = re.compile(r"</?at(?:\s[^<>]*)?>")

Payload = Mapping[str, Any]


def to_chat_thread(payload: Payload) -> Incoming:
    """The message of a payload; text is empty where there is none."""
    return Incoming(
        place=to_place(payload),
        asker=_asker(payload),
        text=_text(payload),
        keys=_keys(payload),
        locale=_word(payload, "locale"),
        time_zone=_word(payload, "localTimezone"),
    )


def to_press(payload: Payload) -> Press | None:
    """The press of a button or the choice of a menu, whether it came by Action.Execute or by Action.Submit; None where it is no button of ours."""
    value = _mapping(payload, "value")
    data = _mapping(_mapping(value, "action"), "data") if payload.get("type") == "invoke" else value
    chosen = data.get(str(data.get("input"))) if "input" in data else data.get("value")
    if not isinstance(chosen, str) or not chosen:
        return None
    press = press_of(payload, chosen)
    if WHEN not in data:
        return press
    new = chosen.startswith("keep.")  # what is changed stays where it is
    return replace(press, when=_word(data, WHEN), target=channel_of(press.place) if new else None)


def channel_of(place: Place, user: str = "") -> Place:
    """The channel or chat of a place, where something new is said and nothing is replied to; user: on whose behalf, where another wrote there."""
    held = json.loads(place.address)
    conversation = dict(held.get("conversation") or {}) | {"id": place.channel}
    other = {"user": {"id": user, "aadObjectId": user}} if user and (held.get("user") or {}).get("aadObjectId") != user else {}
    address = json.dumps(held | {"conversation": conversation, "activityId": None} | other, ensure_ascii=False)
    return replace(place, thread="", address=address)


def press_of(payload: Payload, value: str) -> Press:
    """A press of this value by who sent the payload."""
    return Press(
        place=to_place(payload),
        asker=_asker(payload),
        value=value,
        keys=_keys(payload),
        locale=_word(payload, "locale"),
        time_zone=_word(payload, "localTimezone"),
    )


def chose_nothing(payload: Payload) -> bool:
    """Whether a menu was sent without a choice in it."""
    data = _mapping(_mapping(_mapping(payload, "value"), "action"), "data")
    return "input" in data and not data.get(str(data["input"]))


def bot_is_added(payload: Payload) -> bool:
    """Whether a conversationUpdate tells that this bot came into the conversation."""
    added = payload.get("membersAdded")
    own = _word(_mapping(payload, "recipient"), "id")
    return bool(own) and isinstance(added, list) and any(isinstance(member, Mapping) and member.get("id") == own for member in added)


def to_place(payload: Payload) -> Place:
    """Where it was said; the address holds what is needed to continue the conversation, and no secret."""
    conversation = _mapping(payload, "conversation")
    found = _ROOT.match(_word(conversation, "id"))
    address = {
        "serviceUrl": payload.get("serviceUrl"),
        "channelId": payload.get("channelId"),
        "conversation": dict(conversation),
        "bot": dict(_mapping(payload, "recipient")),
        "user": dict(_mapping(payload, "from")),
        "activityId": payload.get("id"),
        "locale": payload.get("locale"),
    }
    return Place(
        platform="teams",
        workspace=tenant_of(payload),
        channel=found["channel"] if found else _word(conversation, "id"),
        thread=found["thread"] if found else "",
        private=conversation.get("conversationType") == "personal",
        address=json.dumps(address, ensure_ascii=False),
    )


def tenant_of(payload: Payload) -> str:
    """The organisation that it comes from, empty where it does not say."""
    return _word(_mapping(_mapping(payload, "channelData"), "tenant"), "id") or _word(_mapping(payload, "conversation"), "tenantId")


def user_id(place: Place, asker: str) -> str:
    """The id that Teams itself calls this asker by, where the place tells it; else the asker's own."""
    sender = _mapping(json.loads(place.address) if place.address else {}, "user")
    return _word(sender, "id") if _word(sender, "id") and _word(sender, "aadObjectId") == asker else asker


def _asker(payload: Payload) -> Asker:
    sender = _mapping(payload, "from")
    return Asker(id=_word(sender, "aadObjectId") or _word(sender, "id"), name=_word(sender, "name"))


def _keys(payload: Payload) -> tuple[str, ...]:
    """One key: an activity's id is unique in its conversation."""
    said = _word(payload, "id")
    return (f"teams:{_word(_mapping(payload, 'conversation'), 'id')}:{said}",) if said else ()


def _text(payload: Payload) -> str:
    text = _word(payload, "text")
    own = _word(_mapping(payload, "recipient"), "id")
    entities = payload.get("entities")
    for entity in entities if isinstance(entities, list) else ():
        if isinstance(entity, Mapping) and entity.get("type") == "mention" and _word(_mapping(entity, "mentioned"), "id") == own:
            mention = _word(entity, "text")
            text = text.replace(mention, " ", 1) if mention else text
    text = _AT.sub("", text)  # somebody else's mention stays as a name
    if payload.get("textFormat") == "xml":
        text = html.unescape(text)
    return text.replace("&nbsp;", " ").replace("\u00a0", " ").strip()


def _mapping(value: Payload, name: str) -> Payload:
    found = value.get(name)
    return found if isinstance(found, Mapping) else {}


def _word(value: Payload, name: str) -> str:
    found = value.get(name)
    return found if isinstance(found, str) else ""


def channel_address(address: str, channel: str) -> str:
    """The address of the conversation itself, where an address is of a message or of a thread in it; it names nobody."""
    held = json.loads(address)
    conversation = held.get("conversation") or {}
    return json.dumps(held | {"conversation": conversation | {"id": channel}, "activityId": None, "user": None}, ensure_ascii=False)


def is_personal(address: str) -> bool:
    """Whether an address is of a chat with the bot alone."""
    conversation = json.loads(address).get("conversation") or {}
    return conversation.get("conversationType") == "personal"
