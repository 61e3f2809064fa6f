"""What a cell looks like, before its column has a type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from engine.read import novalue
from engine.read.dates import moment_of, time_of
from engine.read.grid import Grid
from engine.read.numbers import number_of

Look = Literal["", "text", "number", "year", "date", "boolean"]
_BOOLEAN = frozenset(("true", "false", "yes", "no", "ja", "nein", "oui", "да", "нет", "כן", "לא"))


@lru_cache(maxsize=50_000)
def look(text: str) -> Look:
    """The look of a text; "" where it says nothing."""
    key = novalue.key(text)
    if key in novalue.ALWAYS or (key and not key.strip("*")):
        return ""
    if key in _BOOLEAN:
        return "boolean"
    if len(text) > 60:
        return "text"
    if key.isdigit():
        return "year" if len(key) == 4 and 1500 <= int(key) <= 2200 else "number"
    if number_of(text):
        return "number"
    return "date" if moment_of(text) or time_of(text) else "text"


def column_look(grid: Grid, column: int, rows: Iterable[int]) -> Look:
    """What most of these cells of a column look like, where it is something else than text; "" for text and for no majority."""
    looks = Counter(each for row in rows if (each := look(grid.cell(row, column))))
    if not looks:
        return ""
    best, count = looks.most_common(1)[0]
    if best in ("year", "number"):
        best, count = ("number" if looks["number"] >= looks["year"] else "year"), looks["number"] + looks["year"]
    return best if best != "text" and count >= 0.6 * sum(looks.values()) else ""


def fits(cell: Look, column: Look) -> bool:
    """Whether a cell of this look belongs to a column of that one; a year over quantities does not, it is a heading."""
    return cell == column or (cell == "number" and column == "year")
