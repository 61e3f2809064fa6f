"""Times that come again on the clock of a place, right when that clock is changed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from apscheduler.triggers.base import BaseTrigger
from apscheduler.triggers.cron import CronTrigger

_FIELDS: Final = ("minute", "hour", "day", "month", "day_of_week")


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
