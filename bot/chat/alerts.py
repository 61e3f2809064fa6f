"""Alerts of tables as notices in the channels of their owners: each waits in the outbox until it is said."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from bot.chat.desk import said
from bot.chat.reach import channel_reached
from bot.chat.state import Kept, State
from bot.chat.types import Asker
from engine.catalog import TableEntry
from engine.settings import printable
from jobs.alert import Alert

_LONGEST: Final = 500  # characters of a reason
log = logging.getLogger(__name__)


def post_alert(state: State, alert: Alert) -> bool:
    """Puts an alert into the outbox of its channel, once; whether it has a channel that can be reached. The same alert again changes nothing."""
    place = channel_reached(state, *alert.to) if alert.to else None
    if place is None:
        if alert.to:
            log.warning("an alert has no channel that can be reached", extra={"table": alert.table, "channel": alert.to[1]})
        return False
    reply = said("", alert_sentence(alert), "en")
    state.keep(Kept(alert.id, place, Asker(""), reply, "en", ()), "", 0.0, turns=False)
    return True


def unreachable(state: State, entries: Iterable[TableEntry], platforms: Iterable[str]) -> list[str]:
    """A sentence on each table whose alerts cannot be said: its chat is not among those that are served, or its channel is not known."""
    served = set(platforms)
    sentences = []
    for entry in entries:
        if (to := entry.alerts_to) is None:
            continue
        platform, channel = to
        if platform not in served:
            sentences.append(f'The alerts of the table "{printable(entry.name)}" go to {platform.title()}, which is not served here.')
        elif channel_reached(state, platform, channel) is None:
            sentences.append(
                f'The alerts of the table "{printable(entry.name)}" go to the channel {printable(channel)} of {platform.title()}, where the bot'
                " was not met yet; mention it there once, and it will know the way."
            )
    return sentences


def alert_sentence(alert: Alert) -> str:
    """What is said of an alert; in English, as the reasons are."""
    table = printable(alert.table)
    since = datetime.fromtimestamp(alert.since, UTC).strftime("%Y-%m-%d %H:%M UTC")
    if alert.kind == "well":
        return f'The table "{table}" is fresh again; its source was not taken since {since}.'
    reason = printable(alert.reason, _LONGEST)
    return f'The table "{table}" is not refreshed since {since}, and is asked as it was before. {reason}'
