"""What a cell of opening hours says: its words become the opening_hours syntax of OpenStreetMap, which a library evaluates."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import pairwise

from engine.hours.span import DAY, EVERY_DAY, Span
from engine.hours.words import Token, codes, tokens, words

_LONGEST = 400  # characters of a cell that may be opening hours
_MONDAY = datetime(2024, 1, 1)  # any week will do: what depends on the date is not taken
_CARRY = 6 * 60  # until when a span may go on in the day after; what lasts longer is that day's own
_SAMPLE, _FIRST = 200, 25  # distinct texts of a column that are looked at; of which one must be parsed
# What says the same every week, in OpenStreetMap's syntax: no dates, months, weeks or sunsets. Holidays are taken and never met.
_OSM = re.compile(r'(?:Mo|Tu|We|Th|Fr|Sa|Su|PH|SH|off|closed|open|unknown|24/7|[0-4]\d:[0-5]\d\+?|"[^"]*"|\|\||[-,;\s])+')
_COMMENT = re.compile(r'\|\|[^;]*|"[^"]*"')
_OSM_DAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
_IGNORED = frozenset({"glue", "open", "hours", "works", "at", "on", "from", "unit", "day_word", "between"})
_JOINS = frozenset({"comma", "and"})
_DAYS = frozenset({"days", "letters", "weekdays", "weekends", "every_day", "holiday"})

Range = tuple[int, int]


@dataclass(slots=True)
class _Group:
    """Neighbouring days, or neighbouring times of one day; no ranges mean that it is closed."""

    days: frozenset[int] | None
    ranges: tuple[Range, ...] = ()


@dataclass(frozen=True, slots=True)
class _Reading:
    spans: tuple[Span, ...]
    named: bool  # days are named, and not times alone


def parse(text: str) -> tuple[Span, ...] | None:
    """The spans of a week that a cell of opening hours says; none where it says that there are no fixed hours.

    None where it cannot be parsed, or depends on the date. Rules override one another as in OpenStreetMap where the cell is in its
    syntax; in other words, times that do not overlap add up ("Sun-Thu 9-13; Sun, Tue 16-19").

    >>> parse("Fri 9am - 1.30pm, Sat closed")
    (Span(day=4, start=540, end=810),)
    """
    reading = _reading(text)
    return None if reading is None else reading.spans


def is_hours(texts: Iterable[str]) -> bool:
    """Whether a column's distinct texts are opening hours: most can be parsed, and most of those with times name their days."""
    filled = [text for text in texts if text and not text.isspace()]
    sample = filled[:: max(1, len(filled) // _SAMPLE)]
    if not any(map(_reading, sample[:_FIRST])):  # most columns are something else, and should cost little
        return False
    readings = [reading for reading in map(_reading, sample) if reading is not None]
    timed = [reading for reading in readings if reading.spans]
    return bool(timed) and len(readings) * 5 >= len(sample) * 3 and sum(reading.named for reading in timed) * 2 > len(timed)


@lru_cache(maxsize=65_536)
def _reading(text: str) -> _Reading | None:
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return None
    if _OSM.fullmatch(text) and any(c.isdigit() for c in text):
        plain = _COMMENT.sub("", text).strip(" ;")
        spans = _evaluate(plain) if plain else None
        if spans is not None:
            return _Reading(spans, named=plain[0] not in "012" or plain.startswith("24/7"))
    read = [token for token in tokens(text, words(*codes())) if token.kind not in _IGNORED]
    groups = _groups(read)
    if not groups:
        return None
    rules = _rules(groups)
    if rules is None:
        return None
    named = any(token.kind in _DAYS or token.kind in ("always", "all_day") for token in read)
    if not named and any(token.kind == "time" and token.hour for token in read):
        return None  # "3-2" may be anything
    osm = _osm(rules)
    spans = _evaluate(osm) if osm else ()
    return None if spans is None else _Reading(spans, named)


# ---- tokens to groups


def _groups(read: list[Token]) -> list[_Group] | None:
    groups: list[_Group] = []
    at, stopped = 0, False
    while at < len(read):
        token = read[at]
        if token.kind in _JOINS or token.kind == "stop":
            stopped |= token.kind == "stop"
            at += 1
        elif _closes(groups, read, at):
            groups.append(_Group(None))
            at, stopped = at + 1, False
        elif token.kind in _DAYS:
            days, at = _days(read, at)
            behind_closed = stopped and len(groups) > 1 and not groups[-2].ranges and groups[-2].days is None
            if groups and groups[-1].days is not None and not behind_closed:
                groups[-1].days |= days
            else:
                groups.append(_Group(days))
            stopped = False
            if at < len(read) and read[at].kind == "to":  # "Mon-Fri - 9:00-17:00"
                at += 1
                if at == len(read) or (read[at].kind in _DAYS and not _closes(groups, read, at)):
                    return None
        elif token.kind in ("time", "all_day", "always"):
            before = groups[-1].ranges if groups and groups[-1].days is None else ()
            found = _range(read, at, before[-1][1] if before else 0)
            if found is None:
                return None
            one, at = found
            if before:
                groups[-1].ranges += (one,)
            else:
                groups.append(_Group(None, (one,)))
            stopped = False
        elif token.kind in ("closed", "off"):
            if not (groups and groups[-1].days is None and not groups[-1].ranges):  # "closed, by appointment only"
                groups.append(_Group(None))
            at, stopped = at + 1, False
        elif token.kind == "to" and (at == 0 or read[at - 1].kind in _JOINS or read[at - 1].kind == "stop"):
            at += 1  # a bullet
        else:
            return None
    return groups


def _closes(groups: list[_Group], read: list[Token], at: int) -> bool:
    """Whether the word for the weekend says that its days are closed: "сб-вс выходные"."""
    return (
        read[at].kind == "weekends"
        and bool(groups)
        and groups[-1].days == read[at].days
        and (at + 1 == len(read) or read[at + 1].kind in _JOINS | {"stop"})
    )


def _days(read: list[Token], at: int) -> tuple[frozenset[int], int]:
    first = read[at]
    if at + 2 < len(read) and read[at + 1].kind in ("to", "until") and read[at + 2].kind in _DAYS:
        last = read[at + 2]
        if len(first.days) == 1 and len(last.days) == 1:
            return frozenset(days_between(*first.days, *last.days)), at + 3
    return first.days, at + 1


def days_between(first: int, last: int) -> list[int]:
    """The days from one to another, over the end of the week where need be."""
    return [(first + more) % 7 for more in range((last - first) % 7 + 1)]


def _range(read: list[Token], at: int, before: int) -> tuple[Range, int] | None:
    """The range that begins there and the place behind it; before is where the last range of the same days ends."""
    if read[at].kind != "time":
        return (0, DAY), at + 1
    if at + 2 >= len(read) or read[at + 1].kind not in ("to", "until") or read[at + 2].kind != "time" or read[at].minutes > DAY:
        return None
    start, end = clock_range(read[at], read[at + 2], before)
    return None if start == end else ((start, end), at + 3)


def clock_range(first: Token, last: Token, before: int = 0) -> Range:
    """Start and end in minutes, the end past midnight where it lies on the day after; "9-5" and "1-5pm" are of the 12-hour clock."""
    half = DAY // 2
    start, end = first.minutes % DAY, last.minutes
    if not first.sure and start < half:
        if last.half and start + half < end:  # "1-5pm", but "9-5pm" begins in the morning
            start += half
        elif not last.sure and start < end and ((first.hour and 60 <= start < 6 * 60) or start < before <= start + half):
            start, end = start + half, end + half
    if end <= start:
        end += half if not last.sure and start < end + half else DAY
    return start, end


# ---- groups to rules, and to OpenStreetMap's syntax


def _rules(groups: list[_Group]) -> list[tuple[frozenset[int], tuple[Range, ...]]] | None:
    """Days and their times; the times may stand before the days throughout, and "closed" before its days anywhere."""
    if len(groups) == 1:
        return [(EVERY_DAY, groups[0].ranges)] if groups[0].days is None else None
    if len(groups) % 2 == 0 and all((group.days is None) == (at % 2 == 0) for at, group in enumerate(groups)):
        groups = [group for pair in zip(groups[1::2], groups[::2], strict=True) for group in pair]
    rules: list[tuple[frozenset[int], tuple[Range, ...]]] = []
    at = 0
    while at + 1 < len(groups):
        first, second = groups[at : at + 2]
        if first.days is not None and second.days is None:
            rules.append((first.days, second.ranges))
        elif first.days is None and not first.ranges and second.days is not None:
            rules.append((second.days, ()))
        else:
            return None
        at += 2
    if at == len(groups):
        return rules
    # "Sun-Thu 8-16, otherwise closed" leaves one over, which says nothing new
    return rules if groups[at].days is None and not groups[at].ranges else None


def _osm(rules: list[tuple[frozenset[int], tuple[Range, ...]]]) -> str:
    written = ""
    taken: list[tuple[int, Range]] = []
    for days, ranges in rules:
        if not days:  # holidays alone
            continue
        overlaps = any(day in days and start < later and begin < end for day, (begin, later) in taken for start, end in ranges)
        adds = bool(ranges) and not overlaps
        if not adds:
            taken = [(day, one) for day, one in taken if day not in days]
        taken += [(day, one) for day in days for one in ranges]
        times = ",".join(f"{_clock(start)}-{_clock(end)}" for start, end in ranges) or "off"
        written += ("" if not written else ", " if adds else "; ") + ",".join(_OSM_DAYS[day] for day in sorted(days)) + " " + times
    return written


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _evaluate(osm: str) -> tuple[Span, ...] | None:
    """The spans of a week by the library, which also refuses what is not its syntax."""
    from opening_hours import OpeningHours, State, validate  # a library of several megabytes, for those who have such a column

    if not validate(osm):
        return None
    spans: list[Span] = []
    # A day more before and after: Sunday's late hours belong to Sunday, and are met in Monday's early ones.
    for begin, stop, state, _ in OpeningHours(osm).intervals(_MONDAY - timedelta(days=1), _MONDAY + timedelta(days=8)):
        if state == State.OPEN:
            spans.extend(_by_day(_minutes(begin), _minutes(stop)))
    return tuple(span for span in spans if 0 <= span.day < 7)


def _minutes(moment: datetime) -> int:
    return round((moment - _MONDAY).total_seconds()) // 60


def _by_day(begin: int, stop: int) -> list[Span]:
    """A stretch of minutes from Monday's midnight, divided at the midnights; its last hours may stay with the evening before."""
    last = stop // DAY * DAY
    if stop - last <= _CARRY and last - begin > 0 and stop - max(begin, last - DAY) < DAY:
        last -= DAY
    midnights = [midnight for midnight in range(begin // DAY * DAY + DAY, last + 1, DAY) if midnight < stop]
    return [Span(start // DAY, start % DAY, end - start // DAY * DAY) for start, end in pairwise([begin, *midnights, stop])]
