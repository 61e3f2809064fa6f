"""Which job is due, who works on it, and what came of it: shared by all processes that use one state database."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import and_, delete, insert, or_, select, update

from cache.database import Database
from cache.errors import StateError
from engine.errors import UsageError
from jobs.tables import JOBS, METADATA, RUNS, TROUBLES

KEPT_DAYS: Final = 30.0
_MOST_RESULT: Final = 100_000  # characters


@dataclass(frozen=True, slots=True)
class Claim:
    """A run that is this process's to do until the lease ends: it is due for this time, and `tries` were begun before it.

    early: that it was not due yet.
    """

    job: str
    due: float
    holder: str
    tries: int = 0
    early: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """A job as the database has it; times are seconds since 1970, 0 for none. title: for people. rhythm: when it is due, in words.

    outcome: of the last run that finished, done or failed. result: of the last that was done. failures: in a row, `failure` says why.
    """

    id: str
    title: str
    rhythm: str
    due: float
    running: bool
    started: float
    finished: float
    outcome: str
    result: Any
    failure: str
    failures: int


class Ledger:
    """The jobs in a state database; every method is one transaction and may be called from any thread. Raises UsageError where it cannot be opened."""

    def __init__(self, database: Database) -> None:
        self._base = database
        try:
            database.add(METADATA)
        except StateError as error:
            raise UsageError(str(error)) from None

    def now(self) -> float:
        """Seconds since 1970."""
        return self._base.clock()

    def enter(self, job: str, title: str, rhythm: str, due: float, *, soon: bool = False) -> None:
        """Has a job be due at a time, where it is new or had another rhythm; else it stays due when it was. soon: it is due at the latest then."""
        with self._base.transaction() as base:
            empty = {
                "lease": 0.0,
                "holder": "",
                "last_due": 0.0,
                "started": 0.0,
                "finished": 0.0,
                "outcome": "",
                "result": "",
                "failure": "",
            }
            if self._base.fresh(base, JOBS, id=job, title=title, rhythm=rhythm, due=due, failures=0, **empty):
                return
            other = or_(JOBS.c.rhythm != rhythm, JOBS.c.due > due) if soon else JOBS.c.rhythm != rhythm
            free = or_(JOBS.c.holder == "", JOBS.c.lease < self.now())  # what is running is due at the time that it runs for
            base.execute(update(JOBS).where(JOBS.c.id == job, other, free).values(due=due, rhythm=rhythm))

    def claim(self, job: str, holder: str, seconds: float, *, at_once: bool = False) -> Claim | None:
        """A run of a job that is due and that nobody works on, leased for so many seconds; at_once: of one that is not due as well."""
        now = self.now()
        with self._base.transaction() as base:
            row = base.execute(select(JOBS).where(JOBS.c.id == job)).first()
            if row is None or row.lease >= now or not (at_once or row.due <= now):
                return None
            due = row.due if row.due <= now else now  # a run that was cut off is taken up for the time that it was due
            mine = update(JOBS).where(JOBS.c.id == job, JOBS.c.lease == row.lease, JOBS.c.holder == row.holder, JOBS.c.due == row.due)
            if not base.execute(mine.values(lease=now + seconds, holder=holder, last_due=due, started=now)).rowcount:
                return None
            begun = base.execute(select(RUNS).where(RUNS.c.job == job, RUNS.c.due == due)).first()
            if begun is None:
                base.execute(insert(RUNS).values(job=job, due=due, holder=holder, tries=1, started=now, finished=0.0, outcome=""))
            else:
                again = update(RUNS).where(RUNS.c.job == job, RUNS.c.due == due)
                base.execute(again.values(holder=holder, tries=begun.tries + 1, started=now, finished=0.0, outcome=""))
            return Claim(job, due, holder, begun.tries if begun else 0, early=row.due > now)

    def renew(self, claim: Claim, seconds: float) -> bool:
        """Keeps a run for so many seconds more; False where somebody else has it."""
        with self._base.transaction() as base:
            mine = update(JOBS).where(JOBS.c.id == claim.job, JOBS.c.holder == claim.holder, JOBS.c.last_due == claim.due)
            return bool(base.execute(mine.values(lease=self.now() + seconds)).rowcount)

    def finish(self, claim: Claim, due: float | None, result: Mapping[str, Any] | None = None, failure: str = "") -> bool:
        """Tells what came of a run and when the job is due again (None: as it was); False where somebody else has taken the run up meanwhile."""
        now, outcome = self.now(), "failed" if failure else "done"
        values: dict[str, Any] = {"lease": 0.0, "holder": "", "finished": now, "outcome": outcome, "failure": failure}
        values["failures"] = JOBS.c.failures + 1 if failure else 0
        if due is not None:
            values["due"] = due
        if not failure:
            values["result"] = _text(result)
        with self._base.transaction() as base:
            mine = update(JOBS).where(JOBS.c.id == claim.job, JOBS.c.holder == claim.holder, JOBS.c.last_due == claim.due)
            if not base.execute(mine.values(**values)).rowcount:
                return False
            run = update(RUNS).where(RUNS.c.job == claim.job, RUNS.c.due == claim.due)
            base.execute(run.values(finished=now, outcome=outcome))
            base.execute(delete(RUNS).where(RUNS.c.started < now - KEPT_DAYS * 86_400))
            return True

    def give_back(self, claim: Claim) -> None:
        """Leaves a run to whoever comes next: this process ends."""
        with self._base.transaction() as base:
            mine = update(JOBS).where(JOBS.c.id == claim.job, JOBS.c.holder == claim.holder, JOBS.c.last_due == claim.due)
            base.execute(mine.values(lease=0.0))

    def due(self) -> list[str]:
        """The jobs that are due and that nobody works on, those that wait longest first."""
        now = self.now()
        waiting = and_(JOBS.c.due <= now, JOBS.c.lease < now)
        with self._base.transaction() as base:
            return list(base.execute(select(JOBS.c.id).where(waiting).order_by(JOBS.c.due)).scalars())

    def standing(self) -> list[Standing]:
        """All jobs, by their ids."""
        now = self.now()
        with self._base.transaction() as base:
            rows = base.execute(select(JOBS).order_by(JOBS.c.id)).all()
        return [
            Standing(
                row.id,
                row.title,
                row.rhythm,
                row.due,
                bool(row.holder) and row.lease >= now,
                row.started,
                row.finished,
                row.outcome,
                json.loads(row.result) if row.result else None,
                row.failure,
                row.failures,
            )
            for row in rows
        ]

    def runs(self, job: str) -> list[tuple[float, int, str]]:
        """The runs of a job, the earliest first: when each was due, how often it was begun, and what came of it."""
        chosen = select(RUNS.c.due, RUNS.c.tries, RUNS.c.outcome).where(RUNS.c.job == job).order_by(RUNS.c.due)
        with self._base.transaction() as base:
            return [(row.due, row.tries, row.outcome) for row in base.execute(chosen)]

    # ---- what is wrong with a table

    def wrong(self, key: str, reason: str) -> tuple[bool, float]:
        """Something is wrong; whether that is new, and since when."""
        now = self.now()
        with self._base.transaction() as base:
            if self._base.fresh(base, TROUBLES, key=key, since=now, reason=reason):
                return True, now
            base.execute(update(TROUBLES).where(TROUBLES.c.key == key).values(reason=reason))
            return False, float(base.execute(select(TROUBLES.c.since).where(TROUBLES.c.key == key)).scalar_one())

    def well(self, key: str) -> float | None:
        """It is well again; since when it was not, None where it was."""
        with self._base.transaction() as base:
            since = base.execute(select(TROUBLES.c.since).where(TROUBLES.c.key == key)).scalar()
            gone = base.execute(delete(TROUBLES).where(TROUBLES.c.key == key)).rowcount
        return float(since) if since is not None and gone else None

    def troubles(self) -> dict[str, tuple[float, str]]:
        """By key what is wrong: since when, and the latest reason."""
        with self._base.transaction() as base:
            return {row.key: (row.since, row.reason) for row in base.execute(select(TROUBLES))}


def _text(result: Mapping[str, Any] | None) -> str:
    text = json.dumps(result, ensure_ascii=False) if result is not None else ""
    return text if len(text) <= _MOST_RESULT else ""
