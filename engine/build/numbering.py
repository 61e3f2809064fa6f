"""Ids of terms: in each column they follow the folded texts, and leave room between, so that a new term changes no other's.

What is chosen by id among equals is then the same for every way that a table came to be.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Final

BITS: Final = 32  # of an id below the column's position
_ROOM: Final = 2048


def first_id(position: int) -> int:
    """The lowest id that a column's terms may have; that of the next column is the end."""
    return position << BITS


def numbered(position: int, folded: Sequence[str]) -> list[int]:
    """An id for each of a column's terms."""
    room = min(_ROOM, (1 << BITS) // (len(folded) + 2))
    ids = [0] * len(folded)
    for rank, place in enumerate(sorted(range(len(folded)), key=folded.__getitem__), 1):
        ids[place] = first_id(position) + rank * room
    return ids


def renumbered(position: int, kept: Sequence[tuple[str, int]], come: Sequence[str]) -> Mapping[str, int] | None:
    """Ids for terms that come to a column, given those that stay (in the order of their ids); None where there is no room between two."""
    names = [folded for folded, _ in kept]
    between: dict[int, list[str]] = {}
    for folded in sorted(come):
        between.setdefault(bisect_left(names, folded), []).append(folded)
    ids: dict[str, int] = {}
    end = first_id(position + 1)
    for place, several in between.items():
        low = kept[place - 1][1] if place else first_id(position)
        high = kept[place][1] if place < len(kept) else min(end, low + _ROOM * (len(several) + 1))
        if high - low <= len(several):
            return None
        for rank, folded in enumerate(several, 1):
            ids[folded] = low + (high - low) * rank // (len(several) + 1)
    return ids
