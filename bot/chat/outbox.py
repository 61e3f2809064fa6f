"""Says what could not be said before, until it is said or never can be."""

from __future__ import annotations

import asyncio
import logging
import secrets
from typing import Final

from bot.chat.handler import Handler
from bot.chat.types import Deliver, TryLater, Undeliverable
from engine.settings import log_incident

EVERY: Final = 2.0  # seconds between two looks
log = logging.getLogger(__name__)


async def empty_outbox(handler: Handler, platform: str, deliver: Deliver) -> int:
    """Tries once what is due on a platform; gives how many replies were said."""
    said = 0
    for entry in await handler.undelivered(platform):
        try:
            await deliver(entry)
        except TryLater as later:
            await handler.unposted(entry.shown, later.seconds)
        except Undeliverable:
            log.warning("a reply can never be posted", extra={"reply": entry.id, "platform": platform})
            await handler.dismissed(entry.shown)
        except Exception as error:  # noqa: BLE001 - whatever a surface meets, the others are still to be said
            log_incident(secrets.token_hex(4), error)
            await handler.unposted(entry.shown)
        else:
            await handler.posted(entry.shown)
            said += 1
    return said


async def keep_emptying(handler: Handler, platform: str, deliver: Deliver, every: float = EVERY) -> None:
    """Looks into the outbox of a platform again and again, until it is cancelled."""
    while True:
        await empty_outbox(handler, platform, deliver)
        await asyncio.sleep(every)
