"""When jobs are due: the same in every process, apart by the jitter, and as a cron means it."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta

import pytest

from engine.rhythm import Rhythm, rhythm_of, seconds_of
from jobs.times import Times, every, times_of

NOW = datetime(2026, 11, 30, 9, 0, 0, 500_000, tzinfo=UTC)  # a Monday


def first(times: Times, count: int, start: datetime = NOW) -> list[datetime]:
    found: list[datetime] = []
    for _ in range(count):
        after = times.after(found[-1] if found else start)
        assert after is not None
        found.append(after)
    return found


def test_the_same_times_whoever_asks_and_whenever() -> None:
    all_times = first(every(600, "shops", 60), 50)
    assert first(every(600, "shops", 60), 20, all_times[29]) == all_times[30:]
    assert all_times != first(every(600, "clinics", 60), 50)
    gaps = [(later - earlier).total_seconds() for earlier, later in itertools.pairwise(all_times)]
    assert all(540 < gap < 660 for gap in gaps) and len(set(gaps)) > 10


def test_each_second_is_each_second() -> None:
    assert first(every(1), 3) == [NOW.replace(microsecond=0) + timedelta(seconds=n) for n in (1, 2, 3)]


@pytest.mark.parametrize(
    ("text", "weekdays"),
    [
        ("0 6 * * 0", {"Sun"}),
        ("0 6 * * 7", {"Sun"}),
        ("0 6 * * sun-tue", {"Sun", "Mon", "Tue"}),
        ("0 6 * * 5-7", {"Fri", "Sat", "Sun"}),
        ("0 6 * * fri-sun", {"Fri", "Sat", "Sun"}),
    ],
)
def test_the_days_of_a_cron_are_a_crons(text: str, weekdays: set[str]) -> None:
    rhythm = rhythm_of(text)
    assert rhythm is not None
    times = times_of(rhythm, "shops")
    assert times is not None
    assert {time.strftime("%a") for time in first(times, 7)} == weekdays


def test_a_cron_that_changes_with_daylight_saving_is_in_its_zone() -> None:
    found = first(of("0 6 * * *"), 3, datetime(2026, 3, 28, 0, 0, tzinfo=UTC))
    assert [time.hour for time in found] == [5, 4, 4]


def of(cron: str, jitter: float = 0.0) -> Times:
    rhythm = rhythm_of(cron)
    assert rhythm is not None
    times = times_of(rhythm, "shops", jitter, "Europe/Berlin")
    assert times is not None
    return times


@pytest.mark.parametrize(
    ("cron", "start", "expected"),
    [
        ("30 2 * * *", "2027-03-28T00:00", ["28 01:30", "29 00:30"]),  # what the clock leaps over comes when it has leapt
        ("30 2 * * *", "2027-10-31T00:00", ["31 00:30", "01 01:30"]),  # and what it shows twice comes once
        ("30 * * * *", "2027-10-31T00:00", ["31 00:30", "31 01:30", "31 02:30"]),
        ("30 0-23 * * *", "2027-10-31T00:00", ["31 00:30", "31 01:30", "31 02:30"]),  # as often as "*" says
    ],
)
def test_a_cron_through_a_change_of_the_clock(cron: str, start: str, expected: list[str]) -> None:
    found = first(of(cron), len(expected), datetime.fromisoformat(f"{start}+00:00"))
    assert [time.strftime("%d %H:%M") for time in found] == expected


@pytest.mark.parametrize("day", ["2027-03-28", "2027-10-31"])
def test_a_jitter_loses_and_repeats_nothing_when_the_clock_is_changed(day: str) -> None:
    found = first(of("*/10 * * * *", 300), 30, datetime.fromisoformat(f"{day}T22:00:00+00:00") - timedelta(days=1))
    slots = [time.timestamp() // 600 for time in found]
    assert [later - earlier for earlier, later in itertools.pairwise(slots)] == [1.0] * 29


def test_what_is_never_due_has_no_times() -> None:
    assert times_of(Rhythm(), "shops") is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("10 minutes", 600),
        ("Every 2 hours", 7200),
        ("1 hour", 3600),
        ("day", 86_400),
        ("0.2 seconds", None),
        ("400 days", None),
        ("soon", None),
    ],
)
def test_spans(text: str, seconds: float | None) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "6 o'clock",
        "60 * * * *",
        "* 24 * * *",
        "0 6 31 2 *",
        "0 6 1 * 1",
        "*/0 * * * *",
        "5-1 * * * *",
        "* * * *",
        "a b c d e",
        "0 6 * * 1-8",
        "0 6 * * 8",
        "0 6 * feb-jan *",
    ],
)
def test_what_is_no_rhythm(text: str) -> None:
    assert rhythm_of(text) is None


def test_every_field_of_a_cron() -> None:
    found = rhythm_of("*/20,7 8-9 * jan,jul-aug mon-fri")
    assert found == Rhythm(cron=((0, 7, 20, 40), (8, 9), (), (1, 7, 8), (1, 2, 3, 4, 5)))
