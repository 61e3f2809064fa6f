"""The state database with the tables of the chats."""

from __future__ import annotations

import time
from collections.abc import Callable

from bot.chat.tables import METADATA
from cache.database import Database as AnyDatabase
from cache.errors import StateError
from engine.errors import UsageError


class Database(AnyDatabase):
    """SQLite or PostgreSQL with the tables of bot.chat.tables, made where they are not there; raises UsageError for an address that is none."""

    def __init__(self, url: str, clock: Callable[[], float] = time.time) -> None:
        try:
            super().__init__(url, METADATA, clock)
        except StateError as error:
            raise UsageError(str(error)) from None
