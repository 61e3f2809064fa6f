"""Reads when something is to be done again and again: "every Sunday 08:00", "weekdays 9:00", "every 2 hours", a cron; right over daylight saving."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Final
from zoneinfo import ZoneInfo

from babel.core import Locale, UnknownLocaleError, get_global

from engine.errors import UsageError
from engine.fold import fold
from engine.hours.span import DAY, EVERY_DAY
from engine.hours.words import Token, codes, tokens, words
from engine.rhythm import cron_of
from jobs.clock import ClockTrigger, cron_text, is_zone

LONGEST: Final = 100  # characters
LEAST_MINUTES: Final = 15  # between two times
_NAMES: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_CRON: Final = re.compile(r"(?:[\d*/,\-]+\s+){3}[\d*/,\-a-z]+\s+[\d*/,\-a-z]+", re.ASCII | re.IGNORECASE)
_IN_MONTH: Final = re.compile(r"(?<![\d:.])(?:ב-?)?(\d{1,2})(?:st|nd|rd|th|-?го|-?е|º|°)?(?![\d:]|\.\d|\s*[ap]\.?m)")
_BETWEEN: Final = frozenset({"glue", "at", "on", "and", "comma", "letters"})
_PARTS: Final = {"morning": 0, "afternoon": 12, "evening": 12}  # hours that are added to one of the clock's first half
_EXAMPLES: Final = (
    '"every Sunday 08:00", "weekdays 9:00", "every 2 hours", "on the 1st of the month 06:00", or a cron such as "0 8 * * sun"'
)


@dataclass(frozen=True, slots=True)
class When:
    """Times that come again: the text as it was written, the IANA zone whose clock they are told by, and the cron that they are."""

    text: str
    zone: str
    cron: str

    def trigger(self) -> ClockTrigger:
        """The same for a scheduler of APScheduler."""
        return ClockTrigger(self.cron, self.zone)

    def after(self, seconds: float) -> float:
        """The first of its times after a moment; both in seconds since 1970."""
        found = self.trigger().get_next_fire_time(None, datetime.fromtimestamp(seconds, UTC) + timedelta(milliseconds=1))
        assert found is not None, "read_when has seen that there are times"
        return found.timestamp()

    def local(self, seconds: float) -> datetime:
        """A moment on the clock of the zone."""
        return datetime.fromtimestamp(seconds, ZoneInfo(self.zone))


def read_when(text: str, zone: str) -> When:
    """The times that a text names, on the clock of a zone; raises UsageError for a text that names none and for an unknown zone."""
    zone = checked_zone(zone)
    plain = " ".join(text.split())
    if not plain or len(plain) > LONGEST:
        raise UsageError(f"When it is to be done is missing or too long; write {_EXAMPLES}.")
    folded = fold(plain)
    cron = _given(plain) or _often(folded) or _monthly(folded) or _weekly(plain, zone)
    if cron is None:
        shown = plain if plain.isprintable() else "this"
        raise UsageError(f'"{shown}" does not say when; write {_EXAMPLES}.')
    return _checked(When(plain, zone, cron))


def checked_zone(zone: str) -> str:
    """The name of a time zone; raises UsageError where it is none."""
    if not is_zone(zone):
        raise UsageError(f'"{zone[:40] if zone.isprintable() else ""}" is no time zone; name one as Asia/Jerusalem or Europe/Berlin.')
    return zone


def _checked(when: When) -> When:
    trigger, moment, found = when.trigger(), datetime(2027, 1, 1, tzinfo=UTC), list[datetime]()
    while len(found) < 100:
        following = trigger.get_next_fire_time(None, moment)
        if following is None:
            break
        found.append(following)
        moment = following + timedelta(seconds=1)
    if not found:
        raise UsageError(f'"{when.text}" never comes; write {_EXAMPLES}.')
    if any(later - earlier < timedelta(minutes=LEAST_MINUTES) for earlier, later in pairwise(map(_utc, found))):
        raise UsageError(f'"{when.text}" is too often; let there be {LEAST_MINUTES} minutes or more between two times.')
    return when


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)  # the difference of two times of one zone would be that of their clocks


# ---- the four ways to say it


def _given(text: str) -> str | None:
    """A cron of five fields; its days of the week are those of cron, where 0 and 7 are Sunday."""
    if not _CRON.fullmatch(text):
        return None
    cron = cron_of(text)
    if cron is None:
        raise UsageError(f'"{text}" is no cron; write minute, hour, day, month and day of the week, as "0 8 * * sun" for Sundays at 8.')
    if cron[2] and cron[4]:
        raise UsageError(f'"{text}" names days of the month and of the week; name the ones or the others.')
    return cron_text(cron)


def _often(text: str) -> str | None:
    """ "every 2 hours", "every 30 minutes": as many as go into a day or an hour without a rest."""
    for said in _said().values():
        every, hours, minutes = (_any(said[name]) for name in ("every", "hours", "minutes"))
        found = re.fullmatch(rf"(?:(?:{every})\s+(?:(\d{{1,2}})\s+)?)?(?:({hours})|({minutes}))", text)
        if found is None or (not text.startswith(tuple(said["every"])) and text != "hourly"):
            continue
        number, whole = int(found[1] or 1), 24 if found[2] else 60
        if not number or whole % number:
            raise UsageError(
                f'"{text}" does not divide a {"day" if whole == 24 else "hour"} evenly; write "every 2 hours" or "every 30 minutes".'
            )
        step = "*" if number == 1 else f"*/{number}" if number < whole else "0"
        return f"0 {step} * * *" if found[2] else f"{step} * * * *"
    return None


def _monthly(text: str) -> str | None:
    """ "on the 1st of the month 06:00"."""
    for said in _said().values():
        rest, months = re.subn(rf"(?<!\w)(?:{_any(said['month'])})(?!\w)", " ", text)
        if not months:
            continue
        rest, last = re.subn(rf"(?<!\w)(?:{_any(said['last'])})(?!\w)", " ", rest)
        rest = re.sub(rf"(?<!\w)(?:{_any(said['day'])})(?!\w)", " ", rest)
        numbers = [] if last else _IN_MONTH.findall(rest)
        if not last and len(numbers) != 1:
            continue
        if not last:
            rest = _IN_MONTH.sub(" ", rest)
        days, minutes = _days_and_time(rest, EVERY_DAY)
        if days or minutes is None:
            continue
        if not last and not 1 <= int(numbers[0]) <= 28:
            raise UsageError('Not every month has that day; write a day from 1 to 28, or "on the last day of the month 06:00".')
        return f"{minutes % 60} {minutes // 60} {'last' if last else int(numbers[0])} * *"
    return None


def _weekly(text: str, zone: str) -> str | None:
    """ "every Sunday 08:00", "weekdays 9:00"."""
    workdays = EVERY_DAY - _weekend(zone)
    days, minutes = _days_and_time(text, workdays)
    if minutes is None:  # "todos los domingos": what says "all" is no word of opening hours
        every = "|".join(_any(said["all"]) for said in _said().values() if "all" in said)
        days, minutes = _days_and_time(re.sub(rf"(?<!\w)(?:{every})(?!\w)", " ", fold(text)), workdays)
    if not days or minutes is None:
        return None
    named = "*" if days == EVERY_DAY else ",".join(_NAMES[day] for day in sorted(days))
    return f"{minutes % 60} {minutes // 60} * * {named}"


def _days_and_time(text: str, workdays: frozenset[int]) -> tuple[frozenset[int], int | None]:
    """The days that are named and the one time, in minutes; no time where there is none, several, or a word with another meaning."""
    read = tokens(text, words(*codes()))
    days: frozenset[int] = frozenset()
    daily = False
    times: list[Token] = []
    parts: list[str] = []
    for at, token in enumerate(read):
        before, following = read[at - 1] if at else None, read[at + 1] if at + 1 < len(read) else None
        if token.kind == "time":
            times.append(token)
        elif token.kind in _PARTS:
            parts.append(token.kind)
        elif text[token.start : token.end] == "ב" and following is not None and following.kind == "time" and (days or daily):
            continue  # the Hebrew letter is "at" here
        elif token.kind == "every_day":
            daily = True  # in Hebrew it begins "every Sunday" too
        elif token.days:
            named = workdays if token.kind == "weekdays" else EVERY_DAY - workdays if token.kind == "weekends" else token.days
            if before is not None and before.kind == "to" and at > 1 and len(read[at - 2].days) == 1 and len(named) == 1:
                (first,), (last,) = read[at - 2].days, named
                named = frozenset((first + step) % 7 for step in range((last - first) % 7 + 1))
            days |= named
        elif token.kind == "to" and following is not None and following.days:
            continue
        elif token.kind not in _BETWEEN:
            return days, None
    days = days or (EVERY_DAY if daily else days)
    if len(times) != 1 or len(parts) > 1:
        return days, None
    minutes = times[0].minutes
    if parts and minutes < DAY // 2:
        minutes += 60 * _PARTS[parts[0]]
    return days, minutes % DAY if minutes <= DAY else None


def _weekend(zone: str) -> frozenset[int]:
    """The days of the weekend where a zone is, Saturday and Sunday where that is not known."""
    try:
        place = Locale.parse(f"und_{get_global('zone_territories')[zone]}")
        first, last = place.weekend_start, place.weekend_end
    except (KeyError, UnknownLocaleError, ValueError):
        return frozenset({5, 6})
    return frozenset((first + step) % 7 for step in range((last - first) % 7 + 1))


@cache
def _said() -> dict[str, dict[str, list[str]]]:
    """The words, folded."""
    held = tomllib.loads((files("jobs") / "when.toml").read_text(encoding="utf-8"))
    return {code: {name: [fold(phrase) for phrase in listed] for name, listed in lists.items()} for code, lists in held.items()}


def _any(phrases: list[str]) -> str:
    return "|".join(re.escape(phrase) for phrase in sorted(phrases, key=len, reverse=True))
