"""Places and people as whoever runs the server names them: "slack:C0123", an e-mail; found again in what the state database remembers."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from sqlalchemy import func, select

from bot.chat.state import State
from bot.chat.tables import AUDIT
from bot.chat.types import Asker, Place
from engine.errors import UsageError

_SLACK: Final = re.compile(r"slack:(?:(T[A-Z0-9]{1,30})/)?([CG][A-Z0-9]{1,30})", re.ASCII)
_TEAMS: Final = re.compile(r"teams:([\x21-\x7e]{1,300})", re.ASCII)
_SLACK_PERSON: Final = re.compile(r"[UW][A-Z0-9]{1,30}", re.ASCII)
_PERSON: Final = re.compile(r"[\x21-\x7e]{1,200}", re.ASCII)


def place_named(state: State, text: str) -> Place:
    """The channel "slack:C0123", "slack:T0123/C0123" or "teams:19:..."; raises UsageError where it is none or cannot be reached yet."""
    if found := _SLACK.fullmatch(text):
        return Place("slack", found[1] or _workspace(state), found[2])
    if not (found := _TEAMS.fullmatch(text)):
        raise UsageError("--to must name a channel by its id, as slack:C0123ABCD or teams:19:abc@thread.tacv2.")
    from bot.teams.activity import is_personal

    place = channel_reached(state, "teams", found[1])
    if place is None or is_personal(place.address):
        raise UsageError("How to reach that conversation of Teams is not known, as nobody has asked there yet; mention the bot there once.")
    return place


def channel_reached(state: State, platform: str, channel: str) -> Place | None:
    """A channel or chat by its id, for what is said there without being asked; None where the bot was not met there yet."""
    if platform == "slack":
        from bot.slack.thread import Address

        return Place("slack", channel=channel, address=Address(said=f"{state.database.clock():.6f}").text())
    return state.met(platform, channel)


def person_named(state: State, place: Place, text: str) -> Asker:
    """The person of a place's platform by their id there, or by an e-mail that asked before; raises UsageError."""
    if "@" in text:
        email = text.strip()
        chosen = select(AUDIT.c.asker).where(
            AUDIT.c.platform == place.platform, AUDIT.c.workspace == place.workspace, func.lower(AUDIT.c.email) == email.lower()
        )
        with state.database.transaction() as base:
            row = base.execute(chosen.order_by(AUDIT.c.id.desc()).limit(1)).first()
        if row is None or not row.asker:
            raise UsageError("Nobody of that e-mail has asked there yet; name the person with --as by their id on the platform.")
        return Asker(row.asker, email=email)
    if not (_SLACK_PERSON if place.platform == "slack" else _PERSON).fullmatch(text):
        raise UsageError("--as must be the person's id on the platform (in Slack as U0123ABCD), or the e-mail of somebody who asked there.")
    return Asker(text)


def to_channel(place: Place, asker: Asker) -> Place:
    """The place where something new is said for somebody, in no thread."""
    if place.platform != "teams":
        return replace(place, thread="", address="")
    from bot.teams.activity import channel_of

    return channel_of(place, asker.id)


def _workspace(state: State) -> str:
    """The one workspace of Slack that asked so far."""
    with state.database.transaction() as base:
        found = (
            base.execute(select(AUDIT.c.workspace).where(AUDIT.c.platform == "slack", AUDIT.c.workspace != "").distinct()).scalars().all()
        )
    if len(found) != 1:
        raise UsageError("Which workspace that channel is in is not known here; name it as well, as slack:T0123ABCD/C0123ABCD.")
    return str(found[0])
