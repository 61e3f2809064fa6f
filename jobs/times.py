"""When a job is due: the times of a trigger, each put off by its own share of the jitter, and the same in all processes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Final

from apscheduler.triggers.base import BaseTrigger
from apscheduler.triggers.interval import IntervalTrigger

from engine.rhythm import Rhythm
from jobs.clock import ClockTrigger, cron_text, local_zone

_EPOCH: Final = datetime(2020, 1, 1, tzinfo=UTC)
_TICK: Final = timedelta(microseconds=1)


class Times(BaseTrigger):  # type: ignore[misc]
    """The times of another trigger, which must depend on nothing but the clock.

    name: what the share of the jitter is drawn by, with each time; so nothing needs to be agreed on between processes.
    jitter: seconds, less than there are between two times.
    """

    def __init__(self, trigger: BaseTrigger, name: str = "", jitter: float = 0.0) -> None:
        self._trigger = trigger
        self._name = name
        self._jitter = timedelta(seconds=jitter)

    def after(self, moment: datetime) -> datetime | None:
        """The first time after a moment (with its zone), in UTC; None where there is none."""
        start = moment - self._jitter + _TICK
        while (time := self._trigger.get_next_fire_time(None, start)) is not None:
            put_off: datetime = time.astimezone(UTC) + self._share(time) * self._jitter
            if put_off > moment:
                return put_off
            start = time.astimezone(UTC) + _TICK  # on its own clock an hour that comes twice would come again and again
        return None

    def get_next_fire_time(self, previous_fire_time: datetime | None, now: datetime) -> datetime | None:
        """As APScheduler asks for it."""
        return self.after(now - _TICK if previous_fire_time is None else previous_fire_time)

    def _share(self, time: datetime) -> float:
        drawn = blake2b(f"{self._name} {time.timestamp()}".encode(), digest_size=4).digest()
        return int.from_bytes(drawn, "big") / 2**32


def every(seconds: float, name: str = "", jitter: float = 0.0) -> Times:
    """Each so many seconds; at the same times in all processes, and for another name at others."""
    begins = int.from_bytes(blake2b(name.encode(), digest_size=4).digest(), "big") / 2**32 * seconds if name else 0.0
    interval = IntervalTrigger(seconds=seconds, start_date=_EPOCH + timedelta(seconds=begins), timezone=UTC)
    return Times(interval, name, jitter)


def times_of(rhythm: Rhythm, name: str, jitter: float = 0.0, zone: str = "") -> Times | None:
    """The times of a rhythm, a cron's on the clock of a zone, without one that of the machine; None where it is never due."""
    if rhythm.never:
        return None
    if rhythm.seconds:
        return every(rhythm.seconds, name, min(jitter, rhythm.seconds))
    return Times(ClockTrigger(cron_text(rhythm.cron), zone or local_zone()), name, jitter)
