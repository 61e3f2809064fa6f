"""Open connections to built tables: one for each thread and table, few in all, those used last."""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import Final

MOST: Final = 64  # over all tables


class Pooled(sqlite3.Connection):
    """A connection that closes when nobody refers to it any more."""

    def __del__(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # where it was never opened
            self.close()


class Connections:
    """For each owner and thread its connection, opened when it is first asked for.

    When there are more than `most`, the one that was used longest ago is let go: it closes at once, or with the query that still uses it.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[int, int], Pooled] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def of(self, owner: int, connect: Callable[[], Pooled]) -> Pooled:
        """This thread's connection of an owner, who is told by a number that no other has while it is open."""
        spot = (owner, threading.get_ident())
        with self._lock:
            if (found := self._kept.get(spot)) is not None:
                self._kept.move_to_end(spot)
                return found
        made = connect()  # a thread that ended left its number, and its connections, to whoever has the number now
        let_go = []
        with self._lock:
            self._kept[spot] = made
            while len(self._kept) > self._most:
                let_go.append(self._kept.popitem(last=False))
        del let_go  # outside of the lock, as closing takes time
        return made

    def close(self, owner: int) -> None:
        """Closes the connections of an owner, whoever uses them."""
        with self._lock:
            gone = [self._kept.pop(spot) for spot in list(self._kept) if spot[0] == owner]
        for connection in gone:
            connection.close()


POOL: Final = Connections()
