"""How often something is done, as a catalog says it: "10 minutes", "1 hour", or five fields of a cron."""

from __future__ import annotations

import re
from typing import Final

from engine.types import Frozen

RIGHT: Final = '"10 minutes", "1 hour", "1 day", a cron such as "0 6 * * *", or "never"'
_UNITS: Final = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86_400.0, "week": 7 * 86_400.0}
_SPAN: Final = re.compile(r"(?:every\s+)?(?P<number>\d{1,6}(?:\.\d{1,3})?)?\s*(?P<unit>second|minute|hour|day|week)s?", re.IGNORECASE)
_SHORTEST: Final = 1.0  # seconds
_LONGEST: Final = 366 * 86_400.0
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_FIELDS: Final = ((0, 59, ()), (0, 23, ()), (1, 31, ()), (1, 12, _MONTHS), (0, 7, _DAYS))
_PART: Final = re.compile(r"(?P<low>\*|\w+)(?:-(?P<high>\w+))?(?:/(?P<step>\d{1,2}))?")


class Rhythm(Frozen):
    """Each so many seconds, or at the times of a cron in the machine's time zone; neither where it is never done.

    cron: its minutes, hours, days of the month, months and days of the week (0 is Sunday), each as the numbers that it names; empty where it names all.
    """

    seconds: float = 0.0
    cron: tuple[tuple[int, ...], ...] = ()

    @property
    def never(self) -> bool:
        """Whether it is never done."""
        return not self.seconds and not self.cron


def rhythm_of(text: str) -> Rhythm | None:
    """The rhythm that a text says, None where it says none."""
    if text.strip().casefold() == "never":
        return Rhythm()
    if seconds := seconds_of(text):
        return Rhythm(seconds=seconds)
    cron = cron_of(text)
    if cron is None:
        return None
    minutes, hours, days, months, weekdays = cron
    if days and weekdays:
        return None  # of which a cron takes either, which nobody expects
    if days and months and not any(day <= _length(month) for day in days for month in months):
        return None  # the 31st of a month without one
    return Rhythm(cron=(minutes or tuple(range(60)), hours, days, months, weekdays))


def cron_of(text: str) -> tuple[tuple[int, ...], ...] | None:
    """The five fields of a cron as `Rhythm.cron` has them, whether or not such a day ever comes; None for what is no cron."""
    fields = text.lower().split()
    if len(fields) != len(_FIELDS):
        return None
    found = [_numbers(field, *limits) for field, limits in zip(fields, _FIELDS, strict=True)]
    if any(numbers is None for numbers in found):
        return None
    minutes, hours, days, months, weekdays = (numbers or () for numbers in found)
    weekdays = tuple(sorted({day % 7 for day in weekdays}))
    return minutes, hours, days, months, weekdays if len(weekdays) < len(_DAYS) else ()


def seconds_of(text: str) -> float | None:
    """The seconds of "10 minutes", "hour" or "every 2 days"; None for what is none, shorter than a second or longer than a year."""
    found = _SPAN.fullmatch(text.strip())
    if not found:
        return None
    seconds = float(found["number"] or 1) * _UNITS[found["unit"].casefold()]
    return seconds if _SHORTEST <= seconds <= _LONGEST else None


def _numbers(field: str, lowest: int, highest: int, names: tuple[str, ...]) -> tuple[int, ...] | None:
    """What a field of a cron names, empty where that is everything; None where it cannot be read."""
    if field == "*":
        return ()
    named: set[int] = set()
    for part in field.split(","):
        found = _PART.fullmatch(part)
        if not found:
            return None
        step = int(found["step"] or 1)
        low = lowest if found["low"] == "*" else _number(found["low"], names)
        if found["high"]:
            high = None if found["low"] == "*" else _number(found["high"], names)
        else:
            high = highest if found["low"] == "*" or found["step"] else low
        if low is None or high is None or not (lowest <= low <= highest and lowest <= high <= highest) or not step:
            return None
        if high < low and names is _DAYS:
            high += 7  # "fri-mon"
        if high < low:
            return None
        named.update(range(low, high + 1, step))
    return tuple(sorted(named)) if len(named) <= highest - lowest else ()


def _number(word: str, names: tuple[str, ...]) -> int | None:
    if word in names:
        return names.index(word) + (1 if names is _MONTHS else 0)
    return int(word) if word.isascii() and word.isdecimal() and len(word) <= 2 else None


def _length(month: int) -> int:
    return 29 if month == 2 else 30 if month in (4, 6, 9, 11) else 31
