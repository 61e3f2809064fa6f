"""What stands in the state database as JSON: askers, messages, and replies without their rows."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from bot.chat.types import Asker, Incoming, Place
from engine.types import Reply, Turn


def asker_of(text: str) -> Asker:
    """Who was written down."""
    return _asker(json.loads(text))


def place_of(text: str) -> Place:
    """Where that was."""
    return Place(**json.loads(text))


def incoming_json(incoming: Incoming) -> str:
    """A message as text."""
    return json.dumps(
        {
            "place": asdict(incoming.place),
            "asker": asdict(incoming.asker),
            "text": incoming.text,
            "keys": incoming.keys,
            "locale": incoming.locale,
            "time_zone": incoming.time_zone,
            "earlier": [turn.model_dump() for turn in incoming.earlier],
        }
    )


def incoming_of(text: str) -> Incoming:
    """The message again."""
    held = json.loads(text)
    return Incoming(
        place=Place(**held["place"]),
        asker=_asker(held["asker"]),
        text=held["text"],
        keys=tuple(held["keys"]),
        locale=held["locale"],
        time_zone=held["time_zone"],
        earlier=tuple(Turn(**turn) for turn in held["earlier"]),
    )


def without_rows(reply: Reply) -> Reply:
    """The reply as it is kept: its plans give its rows again, and what it took of models was counted once."""
    bare = [
        part.model_copy(update={"result": part.result.model_copy(update={"rows": (), "row_ids": None})}) if part.result else part
        for part in reply.parts
    ]
    return Reply(parts=tuple(bare), planner=reply.planner)


def _asker(held: dict[str, Any]) -> Asker:
    return Asker(**held | {"groups": tuple(held.get("groups", ()))})
