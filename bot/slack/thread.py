"""What Slack sends as what the handler takes: a message without the bot's own mention, a command, a press, and what was said before."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bot.chat.types import Asker, Incoming, Place, Press, Shown
from bot.slack.escape import plain
from engine.types import Turn

MOST_TURNS: Final = 16
REPLY: Final = "almanac_reply"  # the type of the metadata that a reply's message carries
WHEN, WHERE = "when", "where"  # the two fields of a form
_SPOKEN: Final = frozenset({"", "thread_broadcast", "file_share", "me_message"})  # subtypes of what a person says

Payload = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Address:
    """What is needed to say something in a place of Slack's later.

    said: the ts of the message that is answered. message: the ts of the message whose button was pressed.
    response: the address that Slack gives for half an hour to answer a command or a press. hidden: that only the asker saw it.
    """

    said: str = ""
    message: str = ""
    response: str = ""
    hidden: bool = False

    def text(self) -> str:
        """The address as a Place holds it."""
        return json.dumps({name: value for name in self.__slots__ if (value := getattr(self, name))})


def address_of(place: Place) -> Address:
    """The address of a place; an empty one where it has none."""
    return Address(**json.loads(place.address)) if place.address else Address()


def is_question(event: Payload) -> bool:
    """Whether an event is a message of a person to the bot: a mention anywhere, anything in a direct message."""
    if event.get("bot_id") or not event.get("user") or event.get("subtype", "") not in _SPOKEN:
        return False
    return event.get("type") == "app_mention" or event.get("channel_type") == "im"


def to_chat_thread(payload: Payload) -> Incoming:
    """The message of a payload: an event's envelope, or a command.

    In a channel a reply stands in the thread of what it answers. In a direct message the whole conversation is the thread, and a reply
    stands below, unless the message stood in a thread itself.
    """
    if "command" in payload:
        return _command(payload)
    event: Payload = payload.get("event", {})
    channel, ts = _word(event, "channel"), _word(event, "ts")
    direct = channel.startswith("D")
    place = Place(
        platform="slack",
        workspace=_word(payload, "team_id"),
        channel=channel,
        thread=_word(event, "thread_ts") or ("" if direct else ts),
        private=direct,
        address=Address(said=ts).text(),
    )
    return Incoming(
        place=place,
        asker=Asker(id=_word(event, "user")),
        text=plain(_word(event, "text"), _own_id(payload)),
        keys=(f"event:{_word(payload, 'event_id')}", f"message:{channel}:{ts}"),
    )


def to_press(payload: Payload) -> Press | None:
    """The press of a button or the choice of a menu; None where there is no value in it."""
    actions = payload.get("actions") or [{}]
    action: Payload = actions[0]
    value = _word(action, "value") or _word(_mapping(action, "selected_option"), "value")
    container, message = _mapping(payload, "container"), _mapping(payload, "message")
    if not value:
        return None
    channel = _word(container, "channel_id") or _word(_mapping(payload, "channel"), "id")
    hidden = bool(container.get("is_ephemeral"))
    address = Address(message=_word(container, "message_ts"), response=_word(payload, "response_url"), hidden=hidden)
    direct = channel.startswith("D")
    thread = _word(container, "thread_ts") or _word(message, "thread_ts")
    place = Place(
        platform="slack",
        workspace=_word(_mapping(payload, "team"), "id"),
        channel=channel,
        thread=thread,
        private=direct or hidden,
        address=address.text(),
    )
    user = _mapping(payload, "user")
    pressed = f"press:{_word(payload, 'trigger_id')}:{_word(action, 'action_ts')}"
    return Press(place=place, asker=Asker(id=_word(user, "id"), name=_word(user, "name")), value=value, keys=(pressed,))


def to_submission(payload: Payload) -> Press | None:
    """What somebody sent with a form of `form_view`; None where it is none of ours."""
    view = _mapping(payload, "view")
    try:
        held = json.loads(_word(view, "private_metadata"))
        place = Place("slack", _word(_mapping(payload, "team"), "id"), held["channel"], held["thread"], bool(held["private"]))
        value = str(held["value"])
    except (ValueError, KeyError, TypeError):
        return None
    values = _mapping(_mapping(view, "state"), "values")
    when = _word(_mapping(_mapping(values, WHEN), WHEN), "value")
    channel = _word(_mapping(_mapping(values, WHERE), WHERE), "selected_conversation") or place.channel
    user = _mapping(payload, "user")
    asker = Asker(id=_word(user, "id"), name=_word(user, "name"))
    target = Place("slack", place.workspace, channel, private=channel.startswith("D"))
    keys = (f"view:{_word(view, 'id')}:{_word(view, 'hash')}",)
    return Press(place=place, asker=asker, value=value, keys=keys, when=when, target=target)


def turns_of(messages: Sequence[Payload], asker: str, own: str, said: str) -> tuple[Turn, ...]:
    """The latest turns of a thread as Slack has it, oldest first, without the message `said`.

    A thread that begins with a reply of the bot's begins with the question that it answered.
    """
    turns: list[Turn] = []
    for at, message in enumerate(messages):
        metadata = _mapping(message, "metadata")
        if at == 0 and message.get("user") == own and metadata.get("event_type") == REPLY:
            question = _word(_mapping(metadata, "event_payload"), "question")
            turns += [Turn(who="asker", text=question)] if question else []
        text = plain(_word(message, "text"), own)
        if _word(message, "ts") == said or not text or message.get("subtype", "") not in (*_SPOKEN, "bot_message"):
            continue
        user = _word(message, "user")
        who = "bot" if user == own else "asker" if user == asker else "other"
        turns.append(Turn(who=who, text=text))  # type: ignore[arg-type]
    return tuple(turns[-MOST_TURNS:])


def reply_metadata(shown: Shown) -> dict[str, Any]:
    """What the message of a reply carries unseen: which reply it is, by which it is found again, and the question."""
    return {"event_type": REPLY, "event_payload": {"reply": shown.reply_id, "question": shown.reply.parts[0].question}}


def _command(payload: Payload) -> Incoming:
    address = Address(response=_word(payload, "response_url"), hidden=True)
    place = Place(
        platform="slack",
        workspace=_word(payload, "team_id"),
        channel=_word(payload, "channel_id"),
        private=True,
        address=address.text(),
    )
    asker = Asker(id=_word(payload, "user_id"), name=_word(payload, "user_name"))
    return Incoming(place=place, asker=asker, text=plain(_word(payload, "text")), keys=(f"command:{_word(payload, 'trigger_id')}",))


def _own_id(payload: Payload) -> str:
    """The bot's own user id, as the envelope tells it."""
    for authorization in payload.get("authorizations") or ():
        if authorization.get("is_bot"):
            return _word(authorization, "user_id")
    return ""


def _mapping(value: Payload, name: str) -> Payload:
    found = value.get(name)
    return found if isinstance(found, Mapping) else {}


def _word(value: Payload, name: str) -> str:
    found = value.get(name)
    return found if isinstance(found, str) else ""
