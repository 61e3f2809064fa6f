"""What a question may cost of a model's calls, tokens and seconds, and what it has cost so far."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from engine.budget import Budget
from engine.errors import ModelError

if TYPE_CHECKING:
    from engine.types import Spent

_LEAST: Final = 0.5
MILLION: Final = 1_000_000


@dataclass(slots=True)
class Spend:
    """Counts the calls of one question; its time runs from when a model is first asked."""

    budget: Budget = field(default_factory=Budget)
    calls: int = 0
    read: int = 0
    cached: int = 0
    written: int = 0
    seconds: float = 0.0
    _began: float | None = None

    def seconds_left(self) -> float:
        """Of the question's time, for what is tried on the tables; never nothing."""
        return max(_LEAST, self._left())

    def left(self) -> float:
        """The seconds that another call may take; raises ModelError where there is nothing left to spend."""
        seconds = self._left()
        if self.calls >= self.budget.calls or self.read + self.written >= self.budget.tokens or seconds <= 0:
            raise ModelError("The question would take more of the model than one question may; ask in other words, or narrow it down.")
        return seconds

    def add(self, read: int, cached: int, written: int, seconds: float) -> None:
        """Counts one call, whatever came of it: tokens of the prompt, those of them that were cached, and of the reply."""
        self.calls += 1
        self.read += read
        self.cached += cached
        self.written += written
        self.seconds += seconds

    def _left(self) -> float:
        now = time.monotonic()
        if self._began is None:
            self._began = now
        return self.budget.seconds - (now - self._began)

    @property
    def spent(self) -> Spent:
        """What it has come to."""
        from engine.types import Spent  # pydantic, which no command loads before it does something

        cost = (self.read * self.budget.price[0] + self.written * self.budget.price[1]) / MILLION
        return Spent(
            calls=self.calls,
            tokens_read=self.read,
            tokens_cached=self.cached,
            tokens_written=self.written,
            seconds=round(self.seconds, 3),
            cost=round(cost, 6),
        )
