"""What a platform said, held for a while: it is asked once however many wait for it, and what went wrong is not held."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final, Generic, TypeVar

MOST: Final = 20_000
T = TypeVar("T")


class Known(Generic[T]):
    """Answers by key, each as old as `seconds` at most, counted from when it was asked for."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic, most: int = MOST) -> None:
        self._seconds = seconds
        self._clock = clock
        self._most = most
        self._held: OrderedDict[str, tuple[float, asyncio.Task[T]]] = OrderedDict()

    async def get(self, key: str, ask: Callable[[], Awaitable[T]]) -> T:
        """What is held under the key, else what `ask` gives; raises what that raises, to each who waits for it."""
        now = self._clock()
        since, task = self._held.get(key, (0.0, None))
        if task is None or now - since >= self._seconds:
            task = asyncio.create_task(_asked(ask))
            self._held[key] = (now, task)
            self._held.move_to_end(key)
            task.add_done_callback(lambda done: self._ended(key, done))
            if len(self._held) > self._most:
                self._held.popitem(last=False)
        return await asyncio.shield(task)  # whoever gives up waiting takes nothing from the others

    def _ended(self, key: str, task: asyncio.Task[T]) -> None:
        if (task.cancelled() or task.exception()) and self._held.get(key, (0.0, None))[1] is task:
            del self._held[key]


async def _asked(ask: Callable[[], Awaitable[T]]) -> T:
    return await ask()
