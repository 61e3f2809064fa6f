"""Columns of dates and of times of day."""

from __future__ import annotations

from collections import Counter

from engine.read.dates import Moment, moment_of, time_of
from engine.read.kind import Kind, Texts, enough, promising
from engine.types import Value


def as_moments(column: Texts, keys: list[str], present: list[int], decimal: str, day_first: bool, given: bool) -> Kind | None:
    """A column of dates, or of dates with times where some time is not midnight; given: whether that is what it is said to be."""
    if not given and not promising(column, present, moment_of):
        return None
    first = {i: moment_of(column.texts[i]) for i in present}
    orders = Counter(moment.order for moment in first.values() if moment)
    proven: bool | None = None
    if orders["dm"] or orders["md"]:
        proven = orders["dm"] >= orders["md"]
    order = day_first if proven is None else proven
    moments: dict[int, Moment] = {}
    for i in present:
        moment = first[i] if order or not first[i] or first[i].order != "?" else moment_of(column.texts[i], day_first=False)  # type: ignore[union-attr]
        if moment:
            moments[i] = moment
    misfits = [i for i in present if i not in moments]
    if not given and not enough(column, list(moments), misfits):
        return None
    if not given and all(column.texts[i].strip().isdigit() for i in moments) and misfits and any(keys[i].isdigit() for i in misfits):
        return None  # 20190401 among 98765432: these are numbers
    timed = any(moment.timed and not moment.iso.endswith("T00:00:00") for moment in moments.values())
    values: list[Value] = [None] * len(keys)
    for i, moment in moments.items():
        values[i] = (moment.iso if moment.timed else f"{moment.iso}T00:00:00") if timed else moment.iso[:10]
    doubts = []
    open_ = bool(orders["?"]) and proven is None
    if open_:
        reading = "day, month, year" if order else "month, day, year"
        doubts.append(
            (
                "date_order",
                f"day and month cannot be told apart, and are read as {reading}",
                [i for i in moments if moments[i].order == "?"],
            )
        )
    if orders["dm"] and orders["md"]:
        odd = "md" if order else "dm"
        doubts.append(
            (
                "mixed_dates",
                "day and month stand in the other order than elsewhere in the column",
                [i for i, moment in moments.items() if moment.order == odd],
            )
        )
    if any(moment.short_year for moment in moments.values()):
        doubts.append(("short_year", "years of two digits are read as 1950 to 2049", [i for i in moments if moments[i].short_year]))
    return Kind("datetime" if timed else "date", values, frozenset(misfits), day_first=proven, open=open_, doubts=doubts)


def as_clocks(column: Texts, keys: list[str], present: list[int], decimal: str, day_first: bool, given: bool) -> Kind | None:
    """A column of times of day."""
    if not given and not promising(column, present, time_of):
        return None
    clocks = {i: clock for i in present if (clock := time_of(column.texts[i]))}
    misfits = [i for i in present if i not in clocks]
    if not given and not enough(column, list(clocks), misfits):
        return None
    if not given and all(len(keys[i]) < 5 for i in clocks) and not any(c in keys[i] for i in clocks for c in "am"):
        return None  # 2:10, 3:05 and nothing longer: scores, or minutes and seconds
    return Kind("time", [clocks.get(i) for i in range(len(keys))], frozenset(misfits))
