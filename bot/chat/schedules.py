"""Questions that are asked again and again, as they stand in the state database: who made them, what, where, when, and how it went."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from sqlalchemy import delete, insert, select, update

from bot.chat.database import Database
from bot.chat.state import State, new_id, person_key
from bot.chat.stored import asker_of, place_of
from bot.chat.tables import SCHEDULES
from bot.chat.types import Asker, Place
from engine.errors import UsageError
from jobs.when import When

MOST: Final = 15  # of one person
MOST_FAILURES: Final = 3  # in a row, before one is paused
LEASE: Final = 180.0  # seconds that whoever asks is trusted with it
_AT_ONCE: Final = 4


@dataclass(frozen=True, slots=True)
class Schedule:
    """A question that is asked at its times, under the rights of its maker, for a place.

    next_at, last_at: seconds since 1970. outcome: of the last time: "said", "asked", "failed"; empty before the first.
    paused: why: "maker", "failures", "rights"; empty while it runs. failures: in a row.
    """

    place: Place
    maker: Asker
    question: str
    language: str
    when: When
    id: str = field(default_factory=new_id)
    next_at: float = 0.0
    last_at: float = 0.0
    outcome: str = ""
    failures: int = 0
    paused: str = ""
    lease: float = 0.0

    @property
    def next_text(self) -> str:
        """The next time on the clock of its zone: 2026-12-06 08:00 (Asia/Jerusalem)."""
        return f"{self.when.local(self.next_at):%Y-%m-%d %H:%M} ({self.when.zone})"


class Schedules:
    """The schedules of a state database; every method is one transaction and may be called from any thread."""

    def __init__(self, state: State) -> None:
        self._database: Database = state.database

    def add(self, schedule: Schedule) -> Schedule:
        """Keeps a new one, and gives it with its next time; raises UsageError where its maker has as many as one may have."""
        now = self._database.clock()
        made = replace(schedule, next_at=schedule.when.after(now))
        with self._database.transaction() as base:
            person = person_key(made.place.platform, made.place.workspace, made.maker.id)
            self._database.alone(base, int.from_bytes(bytes.fromhex(person)[:8], "big", signed=True))
            theirs = base.execute(select(SCHEDULES.c.id).where(*_whose(made.place, made.maker.id))).all()
            if len(theirs) >= MOST:
                raise UsageError(f"A person may have {MOST} schedules; remove one before you add another.")
            base.execute(insert(SCHEDULES).values(**_row(made), at=now))
        return made

    def get(self, schedule_id: str) -> Schedule | None:
        """One by its id."""
        found = self._select(SCHEDULES.c.id == schedule_id)
        return found[0] if found else None

    def of(self, place: Place, maker: str) -> list[Schedule]:
        """A person's, the earliest made first."""
        return self._select(*_whose(place, maker))

    def all(self) -> list[Schedule]:
        """Everybody's."""
        return self._select()

    def change(self, schedule: Schedule, when: When, place: Place) -> Schedule:
        """Another time and place for one, which runs again if it was paused."""
        changed = replace(schedule, when=when, place=place)
        return self._running(changed)

    def resume(self, schedule: Schedule) -> Schedule:
        """Lets one that is paused run again."""
        return self._running(schedule)

    def pause(self, schedule_id: str, why: str = "maker") -> bool:
        """Lets one rest; False where it rested already or is gone."""
        with self._database.transaction() as base:
            chosen = update(SCHEDULES).where(SCHEDULES.c.id == schedule_id, SCHEDULES.c.paused == "")
            return bool(base.execute(chosen.values(paused=why, lease=0.0)).rowcount)

    def remove(self, schedule_id: str) -> bool:
        """Forgets one; False where it is gone already."""
        with self._database.transaction() as base:
            return bool(base.execute(delete(SCHEDULES).where(SCHEDULES.c.id == schedule_id)).rowcount)

    # ---- running

    def claim(self, now: float, lease: float = LEASE) -> list[Schedule]:
        """Some of those that are due and that nobody else is asking, now leased to the caller for so many seconds.

        A lease that ran out counts as a failure.
        """
        due = (SCHEDULES.c.paused == "", SCHEDULES.c.next_at <= now, SCHEDULES.c.lease <= now)
        taken = []
        with self._database.transaction() as base:
            for row in base.execute(select(SCHEDULES).where(*due).order_by(SCHEDULES.c.next_at).limit(_AT_ONCE)).all():
                failures = row.failures + (1 if row.lease else 0)
                mine = update(SCHEDULES).where(SCHEDULES.c.id == row.id, SCHEDULES.c.next_at == row.next_at, *due)
                if base.execute(mine.values(lease=now + lease, failures=failures)).rowcount:
                    taken.append(replace(_schedule(row), lease=now + lease, failures=failures))
        return taken

    def done(self, schedule: Schedule, now: float) -> None:
        """It was asked: it is due again at the first of its times from now on, however many were missed."""
        with self._database.transaction() as base:
            chosen = update(SCHEDULES).where(SCHEDULES.c.id == schedule.id, SCHEDULES.c.lease == schedule.lease)
            base.execute(chosen.values(next_at=schedule.when.after(now), lease=0.0, last_at=now, outcome="asked"))

    def said(self, schedule_id: str) -> None:
        """What it asked for was said."""
        with self._database.transaction() as base:
            base.execute(update(SCHEDULES).where(SCHEDULES.c.id == schedule_id).values(failures=0, outcome="said"))

    def failed(self, schedule_id: str) -> bool:
        """What it asked for was not had, or cannot be said; True where it is paused for that."""
        with self._database.transaction() as base:
            one = SCHEDULES.c.id == schedule_id
            base.execute(update(SCHEDULES).where(one).values(failures=SCHEDULES.c.failures + 1, outcome="failed"))
            often = update(SCHEDULES).where(one, SCHEDULES.c.failures >= MOST_FAILURES, SCHEDULES.c.paused == "")
            return bool(base.execute(often.values(paused="failures", lease=0.0)).rowcount)

    def _running(self, schedule: Schedule) -> Schedule:
        running = replace(schedule, next_at=schedule.when.after(self._database.clock()), paused="", failures=0, lease=0.0)
        with self._database.transaction() as base:
            base.execute(update(SCHEDULES).where(SCHEDULES.c.id == schedule.id).values(**_row(running)))
        return running

    def _select(self, *conditions: Any) -> list[Schedule]:
        with self._database.transaction() as base:
            rows = base.execute(select(SCHEDULES).where(*conditions).order_by(SCHEDULES.c.at, SCHEDULES.c.id)).all()
        return [_schedule(row) for row in rows]


def _whose(place: Place, maker: str) -> tuple[Any, ...]:
    return (SCHEDULES.c.platform == place.platform, SCHEDULES.c.workspace == place.workspace, SCHEDULES.c.maker == maker)


def _row(schedule: Schedule) -> dict[str, Any]:
    return {
        "id": schedule.id,
        "platform": schedule.place.platform,
        "workspace": schedule.place.workspace,
        "maker": schedule.maker.id,
        "asker": json.dumps(asdict(replace(schedule.maker, groups=()))),  # those are asked for at each run
        "place": json.dumps(asdict(schedule.place)),
        "question": schedule.question,
        "language": schedule.language,
        "written": schedule.when.text,
        "zone": schedule.when.zone,
        "cron": schedule.when.cron,
        "next_at": schedule.next_at,
        "lease": schedule.lease,
        "last_at": schedule.last_at,
        "outcome": schedule.outcome,
        "failures": schedule.failures,
        "paused": schedule.paused,
    }


def _schedule(row: Any) -> Schedule:
    return Schedule(
        place_of(row.place),
        asker_of(row.asker),
        row.question,
        row.language,
        When(row.written, row.zone, row.cron),
        row.id,
        row.next_at,
        row.last_at,
        row.outcome,
        row.failures,
        row.paused,
        row.lease,
    )
