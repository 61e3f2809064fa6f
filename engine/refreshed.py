"""What a refresh of one source gives, and the limits that it keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.settings import most_shrink

Outcome = Literal["same", "new", "refused"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a source may lose before it is not taken.

    most_shrink: the part of its rows, 1 for all of them. accept: whatever can be read is taken, as its owner says that it is right.
    """

    most_shrink: float = 0.5
    accept: bool = False


def limits_from_settings() -> Limits:
    """The limits that the environment gives; raises UsageError for one that is wrong."""
    return Limits(most_shrink())


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What came of refreshing a source.

    outcome: same (nothing was written), new (another version is in service), refused (the old one stays; `reason` is one sentence for its owner).
    table: the entry's name in the catalog. version, read_at (ISO 8601, UTC) and rows: of what is in service now, empty and 0 where nothing is.
    added, changed, removed: rows, against the version before. embedded: how many texts were given to the embedder.
    told: sentences on what is new (columns, types, values) and on worked examples that no longer run.
    """

    outcome: Outcome
    table: str
    version: str = ""
    rows: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    embedded: int = 0
    seconds: float = 0.0
    read_at: str = ""
    told: tuple[str, ...] = ()
    reason: str = ""
