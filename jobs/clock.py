"""Times that come again on the clock of a place, right when that clock is changed; and which places there are."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

from apscheduler.triggers.base import BaseTrigger
from apscheduler.triggers.cron import CronTrigger
from tzlocal import get_localzone_name

_FIELDS: Final = ("minute", "hour", "day", "month", "day_of_week")
_DAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")  # by name, as APScheduler numbers them otherwise than a cron
_WEEK: Final = (1, 2, 3, 4, 5, 6, 0)  # the order in which they are written


class ClockTrigger(BaseTrigger):  # type: ignore[misc]
    """A cron on the clock of a place: what that clock leaps over comes when it has leapt, and what it shows twice comes once.

    A cron for every hour goes on through an hour that is repeated.
    """

    def __init__(self, cron: str, zone: str) -> None:
        self._zone = ZoneInfo(zone)
        self._hourly = cron.split()[1] == "*"
        self._cron = CronTrigger(**dict(zip(_FIELDS, cron.split(), strict=True)), timezone=self._zone)

    def get_next_fire_time(self, previous_fire_time: datetime | None, now: datetime) -> datetime | None:
        """The first moment from now on, and after the previous one."""
        after = now.astimezone(UTC)
        if previous_fire_time is not None:
            after = max(after, previous_fire_time.astimezone(UTC) + timedelta(microseconds=1))
        while True:
            found: datetime | None = self._cron.get_next_fire_time(None, after.astimezone(self._zone))
            if found is None:
                return None
            moment = found.astimezone(UTC).astimezone(self._zone)  # a time that does not exist becomes the one that is shown then
            if moment.astimezone(UTC) >= after and (self._hourly or not moment.fold):
                return moment
            after = max(after, moment.astimezone(UTC)) + timedelta(seconds=1)


def cron_text(cron: Sequence[Sequence[int]]) -> str:
    """The text for a ClockTrigger of what `engine.rhythm.cron_of` read."""
    minutes, *others, weekdays = cron
    named = [_DAYS[day] for day in _WEEK if day in weekdays]
    numbers = [() if len(minutes) == 60 else minutes, *others]
    return " ".join([*(",".join(map(str, field)) or "*" for field in numbers), ",".join(named) or "*"])


def is_zone(zone: str) -> bool:
    """Whether there is such a time zone."""
    return zone in _zones()


def local_zone() -> str:
    """The time zone of this machine, UTC where it does not say."""
    try:
        name = get_localzone_name()
    except Exception:  # noqa: BLE001 - whatever a machine has instead of a zone
        name = ""
    return name if name and is_zone(name) else "UTC"


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())  # which reads folders
