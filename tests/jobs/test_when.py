"""When something is to be done again: what is read, in four languages, what is refused, and both changes of the clock."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import pytest

from engine.errors import UsageError
from jobs.clock import is_zone
from jobs.when import read_when

ZONE = "Europe/Berlin"


@pytest.mark.parametrize(
    ("cron", "texts"),
    [
        ("0 8 * * sun", ["every Sunday 08:00", "Sundays at 8 am", "כל יום ראשון ב-08:00", "каждое воскресенье в 8:00", "по воскресеньям 8:00"]),
        ("0 8 * * sun", ["cada domingo a las 8:00", "todos los domingos a las 8:00", "0 8 * * 0", "0 8 * * 7", "0 8 * * SUN"]),
        ("30 7 * * *", ["every day at 7:30", "daily 7:30", "כל יום ב-7:30", "ежедневно в 7:30", "каждый день в 7:30", "todos los días a las 7:30"]),
        ("0 9 * * mon,tue,wed,thu,fri", ["weekdays 9:00", "Mon-Fri 9:00", "по будням в 9:00", "entre semana 9:00", "ימי חול 9:00", "0 9 * * 1-5"]),
        ("0 */2 * * *", ["every 2 hours", "כל 2 שעות", "каждые 2 часа", "cada 2 horas"]),
        ("0 * * * *", ["every hour", "hourly", "כל שעה", "каждый час", "cada hora"]),
        ("*/30 * * * *", ["every 30 minutes", "каждые 30 минут", "cada 30 minutos", "כל 30 דקות"]),
        ("0 6 1 * *", ["on the 1st of the month 06:00", "06:00 on the 1st of every month", "ב-1 לחודש ב-06:00", "el día 1 de cada mes a las 6:00"]),
        ("0 6 1 * *", ["1-го числа каждого месяца в 6:00", "monthly on the 1st at 6 am"]),
        ("0 18 last * *", ["on the last day of the month 18:00"]),
        ("0 17 * * mon,thu", ["every Monday and Thursday at 5 pm", "every thursday, monday 17:00"]),
        ("0 19 * * *", ["every day at 7 in the evening"]),
        ("0 9 * * mon,fri,sat,sun", ["0 9 * * 5-1"]),
        ("0 9 * 1,2,3 *", ["0 9 * jan-mar *", "0 9 * 1-3 0-6"]),
        ("15 8,14,20 * * *", ["15 8/6 * * *"]),
    ],
)  # fmt: skip
def test_what_is_read(cron: str, texts: list[str]) -> None:
    assert [read_when(text, ZONE).cron for text in texts] == [cron] * len(texts)


def test_weekdays_are_those_of_the_place() -> None:
    assert read_when("weekdays 9:00", "Asia/Jerusalem").cron == "0 9 * * mon,tue,wed,thu,sun"
    assert read_when("weekends 9:00", "Asia/Jerusalem").cron == "0 9 * * fri,sat"
    assert read_when("weekdays 9:00", "UTC").cron == "0 9 * * mon,tue,wed,thu,fri"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "is missing or too long"),
        ("x" * 200, "is missing or too long"),
        ("every Sunday", "does not say when"),
        ("08:00", "does not say when"),
        ("tomorrow 8:00", "does not say when"),
        ("every other day 8:00", "does not say when"),
        ("every Sunday 8:00 and 9:00", "does not say when"),
        ("every Sunday 25:00", "does not say when"),
        ("every Sunday 08:00; DROP TABLE schedules", "does not say when"),
        ("every 7 hours", "does not divide a day evenly"),
        ("every 0 hours", "does not divide a day evenly"),
        ("every 5 minutes", "too often"),
        ("* * * * *", "too often"),
        ("0,5 8 * * *", "too often"),
        ("on the 31st of the month 6:00", "from 1 to 28"),
        ("0 0 30 2 *", "never comes"),
        ("61 * * * *", "is no cron"),
        ("0 8 * * 9", "is no cron"),
        ("0 8 1 * 1", "the ones or the others"),
        ("a\x07b", '"this" does not say when'),
    ],
)
def test_what_is_refused_with_one_sentence(text: str, part: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_when(text, ZONE)
    assert part in str(caught.value) and str(caught.value).endswith(".") and "\n" not in str(caught.value)


@pytest.mark.parametrize("zone", ["", "Mars/Olympus", "../etc/passwd", "Europe", "x" * 10_000])
def test_a_zone_that_is_none_is_refused(zone: str) -> None:
    assert not is_zone(zone)
    with pytest.raises(UsageError, match="is no time zone"):
        read_when("every day 8:00", zone)


def times(text: str, zone: str, day: str, count: int) -> list[str]:
    """The first times from noon of a day on, as the clock of the zone shows them."""
    when = read_when(text, zone)
    now = datetime.fromisoformat(f"{day}T12:00:00").replace(tzinfo=UTC).timestamp()
    found = []
    for _ in range(count):
        now = when.after(now)
        found.append(when.local(now).strftime("%d %H:%M %z"))
    return found


@pytest.mark.parametrize(
    ("zone", "text", "day", "expected"),
    [  # what the clock leaps over comes when it has leapt
        (ZONE, "every day 2:30", "2027-03-27", ["28 03:30 +0200", "29 02:30 +0200"]),
        ("Asia/Jerusalem", "every day 2:30", "2027-03-25", ["26 03:30 +0300", "27 02:30 +0300"]),
        ("America/New_York", "every day 2:30", "2027-03-13", ["14 03:30 -0400", "15 02:30 -0400"]),
        # and what it shows twice comes once
        (ZONE, "every day 2:30", "2027-10-30", ["31 02:30 +0200", "01 02:30 +0100"]),
        ("Asia/Jerusalem", "every day 1:30", "2027-10-30", ["31 01:30 +0300", "01 01:30 +0200"]),
        ("America/New_York", "every day 1:30", "2027-11-06", ["07 01:30 -0400", "08 01:30 -0500"]),
    ],
)
def test_both_changes_of_the_clock(zone: str, text: str, day: str, expected: list[str]) -> None:
    assert times(text, zone, day, 2) == expected


def test_the_clock_of_the_place_is_kept_all_year() -> None:
    when, now, seen = read_when("every Sunday 08:00", "Asia/Jerusalem"), datetime(2027, 1, 1, tzinfo=UTC).timestamp(), []
    for _ in range(52):
        now = when.after(now)
        seen.append(when.local(now))
    assert {(moment.weekday(), moment.hour, moment.minute) for moment in seen} == {(6, 8, 0)}
    assert {moment.utcoffset() for moment in seen} == {seen[0].utcoffset(), seen[26].utcoffset()} and seen[0].utcoffset() != seen[
        26
    ].utcoffset()


@pytest.mark.parametrize("day", ["2027-03-27", "2027-10-30"])
def test_what_comes_every_hour_does_so_through_a_change(day: str) -> None:
    when, now, seen = read_when("every hour", ZONE), datetime.fromisoformat(f"{day}T20:00:00+00:00").timestamp(), []
    for _ in range(12):
        now = when.after(now)
        seen.append(now)
    assert {later - earlier for earlier, later in pairwise(seen)} == {3600.0}


def test_the_trigger_goes_on_from_its_last_time() -> None:
    trigger = read_when("every day 8:00", ZONE).trigger()
    first = trigger.get_next_fire_time(None, datetime(2027, 6, 1, 12, tzinfo=UTC))
    assert first is not None and first.isoformat() == "2027-06-02T08:00:00+02:00"
    second = trigger.get_next_fire_time(first, first)
    assert second is not None and second.isoformat() == "2027-06-03T08:00:00+02:00"
