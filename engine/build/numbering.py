"""Ids of terms: in each column they follow the folded texts, and leave room between, so that a new term changes no other's.

What is chosen by id among equals is then the same for every way that a table came to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

BITS: Final = 32  # of an id below the column's position
_ROOM: Final = 2048
_LEAST: Final = 4  # room that must be left where terms come to lie between others


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


def renumbered(position: int, folded: Sequence[str], ids: Sequence[int | None]) -> list[int] | None:
    """Ids for a column's terms, in the order of the folded texts: those that have one keep it, unless there is no room beside them.

    None where the column has more terms than ids.
    """
    given = list(ids)
    first, end = first_id(position), first_id(position + 1)
    place = 0
    while place < len(given):
        if given[place] is not None:
            place += 1
            continue
        start, stop = place, place + 1
        while stop < len(given) and given[stop] is None:
            stop += 1
        more = 8
        while True:
            low = (given[start - 1] if start else first) or first
            high = given[stop] if stop < len(given) else min(end, low + _ROOM * (stop - start + 1))
            if high is not None and high - low > _LEAST * (stop - start + 1):
                break
            if start == 0 and stop == len(given):
                return None
            start, stop, more = max(0, start - more), min(len(given), stop + more), 2 * more
        for rank, at in enumerate(range(start, stop), 1):
            given[at] = low + (high - low) * rank // (stop - start + 1)
        place = stop
    return [one for one in given if one is not None]
