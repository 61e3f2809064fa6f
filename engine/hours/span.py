"""Spans of a week, and whether they meet what was asked of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

DAY = 24 * 60
WEEK = 7 * DAY
EVERY_DAY = frozenset(range(7))


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Open on a day (Monday is 0) from start to end, in minutes from that day's midnight; an end past 1440 lies on the day after."""

    day: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class When:
    """One time that a question asks about.

    days: any of them will do (Monday is 0); a question about several days asks one When for each.
    start, end: minutes from midnight; both None for any time of the day, equal for a moment, else a stretch of the day,
        which a span may touch anywhere, or must hold from start to end where `whole`.
    closed: the question asks for what is not open then.
    alternative: "or": what stands before it need not hold if this does, with what follows it.
    phrase: where the words stand in the question, from the first letter to behind the last.
    elsewhere: where the word "open" stands, when it is not in the phrase.
    """

    days: frozenset[int]
    start: int | None
    end: int | None
    phrase: tuple[int, int]
    whole: bool = False
    closed: bool = False
    alternative: bool = False
    elsewhere: tuple[int, int] | None = None


def meets(spans: Iterable[Span], when: When) -> bool:
    """Whether hours of those spans are such as the question asks; no spans are never open."""
    spans = tuple(spans)
    return any(_open(spans, day, when) for day in when.days) is not when.closed


def meets_all(spans: Iterable[Span], whens: Iterable[When]) -> bool:
    """Whether hours of those spans are such as all of a question's times ask, alternatives taken into account."""
    spans = tuple(spans)
    met = True
    for when in whens:
        if when.alternative and met:
            return True
        met = (met or when.alternative) and meets(spans, when)
    return met


def _open(spans: tuple[Span, ...], day: int, when: When) -> bool:
    if when.start is None or when.end is None:
        return any(span.day == day for span in spans)
    begin, end = day * DAY + when.start, day * DAY + when.end
    # Sunday's late hours reach into Monday, and a stretch that is asked of may reach into the next week.
    turns = sorted((span.day * DAY + span.start + week, span.day * DAY + span.end + week) for span in spans for week in (-WEEK, 0, WEEK))
    if begin == end:
        return any(start <= begin < stop for start, stop in turns)
    if not when.whole:
        return any(start < end and stop > begin for start, stop in turns)
    for start, stop in turns:
        if start <= begin < stop:
            begin = stop
    return begin >= end


_NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def written(whens: Sequence[When]) -> str:
    """Times of one stretch as a plan has them: "Fri", "Sat/Sun 18:00-24:00" (either), "Mon,Tue 18:30" (each), "Mon 00:00-24:00 throughout".

    What is closed, or an alternative, is not in it.
    """
    when = whens[0]
    text = ",".join("/".join(_NAMES[day] for day in sorted(each.days)) for each in whens)
    if when.start is None or when.end is None:
        return text
    text += f" {_clock(when.start)}" + (f"-{_clock(when.end)}" if when.end != when.start else "")
    return f"{text} throughout" if when.whole else text


def times_of(text: str) -> tuple[When, ...]:
    """The times that `written` wrote, each of which must be met; raises ValueError for any other text."""
    days, _, rest = text.partition(" ")
    clock, _, whole = rest.partition(" ")
    if whole not in ("", "throughout"):
        raise ValueError(text)
    start, _, end = clock.partition("-")
    begin, stop = (_minutes(start), _minutes(end or start)) if clock else (None, None)
    each = [frozenset(_NAMES.index(name) for name in either.split("/")) for either in days.split(",")]
    return tuple(When(found, begin, stop, (0, 0), whole=bool(whole)) for found in each)


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def _minutes(clock: str) -> int:
    hours, _, minutes = clock.partition(":")
    return int(hours) * 60 + int(minutes)
