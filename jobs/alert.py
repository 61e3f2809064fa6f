"""What the owner of a table is told: its source is not taken any more, or is taken again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal


@dataclass(frozen=True, slots=True)
class Alert:
    """Something that begins or ends, told once.

    kind: stale (from now on the table is asked as it was last taken) or well (it is fresh again). reason: a sentence, for stale.
    since: when it began, seconds since 1970. to: a platform and a channel of it, None where only the log is told.
    """

    table: str
    kind: Literal["stale", "well"]
    since: float
    reason: str = ""
    to: tuple[str, str] | None = None

    @property
    def id(self) -> str:
        """The same for the same alert, however often it is told."""
        return blake2b(f"{self.table} {self.kind} {self.since}".encode(), digest_size=6).hexdigest()


Tell = Callable[[Alert], object]
