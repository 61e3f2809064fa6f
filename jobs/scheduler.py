"""Does jobs when they are due: APScheduler tells the time and lends the threads, the ledger sees to it that each run is one process's."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.jobstores.base import JobLookupError
from apscheduler.schedulers.background import BackgroundScheduler

from cache.database import Database
from engine.errors import AlmanacError
from engine.settings import log_incident
from jobs.job import Job, StoppedError
from jobs.ledger import Claim, Ledger
from jobs.times import every

LEASE: Final = 60.0  # seconds after which a run is somebody else's, where its process does not renew it
HEAVY: Final = 2  # jobs of this kind at once
GRACE: Final = timedelta(seconds=10)  # times that were missed by less are made up for, each; what was missed before is done once
_LOOKING: Final = "overdue"
_NEVER: Final = datetime(9999, 1, 1, tzinfo=UTC)
log = logging.getLogger(__name__)


class Scheduler:
    """The jobs of this process; each run of a shared one is done by one of the processes that use the database."""

    def __init__(self, database: Database, *, lease: float = LEASE) -> None:
        self.ledger = Ledger(database)
        self.stopping = threading.Event()  # what a job that takes long looks at
        self._lease = lease
        self._holder = secrets.token_hex(8)
        self._jobs: dict[str, Job] = {}
        self._running: set[str] = set()
        self._lock = threading.Lock()
        self._clockwork: BackgroundScheduler | None = None

    def add(self, job: Job) -> None:
        """One more job, before the start; another with its id is forgotten."""
        self._jobs[job.id] = job

    def start(self) -> None:
        """Begins to do the jobs, in threads; whatever goes wrong in one is kept and in the log."""
        heavy, others = ThreadPoolExecutor(HEAVY), ThreadPoolExecutor(8)
        defaults = {"coalesce": True, "max_instances": 1, "misfire_grace_time": None}
        logging.getLogger("apscheduler").setLevel(logging.ERROR)  # it warns where a job still runs when it is due again
        clockwork = BackgroundScheduler(executors={"default": others, "heavy": heavy}, job_defaults=defaults, timezone=UTC)
        for job in self._jobs.values():
            if job.times is None:
                continue
            if job.shared:
                self._enter(job)
            where = "heavy" if job.heavy else "default"
            clockwork.add_job(self._fire, job.times, args=[job.id], id=job.id, executor=where)
        if any(job.shared for job in self._jobs.values()):
            # whatever is due and not begun: what another process began and did not finish, or what was due while none ran
            looking = every(min(self._lease / 4, 15.0))
            clockwork.add_job(self._look, looking, id=_LOOKING, next_run_time=datetime.now(UTC))
        self._clockwork = clockwork
        clockwork.start()

    def stop(self) -> None:
        """Begins nothing more, and waits for what is being done, which is told by `stopping`."""
        self.stopping.set()
        if self._clockwork is not None:
            self._clockwork.shutdown(wait=True)

    def run_now(self, job: Job, waiting: Callable[[], None] | None = None) -> Mapping[str, Any] | None:
        """Does a shared job at once, due or not, and gives what came of it; raises what it raises.

        Where another process is doing it that is waited for first, and `waiting` called once.
        """
        self._enter(job, soon=False)
        told = False
        while (claim := self.ledger.claim(job.id, self._holder, self._lease, at_once=True)) is None:
            if waiting is not None and not told:
                waiting()
            told = True
            time.sleep(0.2)
        return self._done(job, claim)

    def _enter(self, job: Job, soon: bool | None = None) -> None:
        now = datetime.now(UTC)
        soon = job.soon if soon is None else soon
        due = now if soon else (job.times.after(now) if job.times else None) or _NEVER
        self.ledger.enter(job.id, job.title or job.id, job.rhythm, due.timestamp(), soon=soon)

    def _look(self) -> None:
        assert self._clockwork is not None
        for name in self.ledger.due():
            job = self._jobs.get(name)
            if job is not None and job.times is not None and name not in self._running and not self.stopping.is_set():
                with suppress(JobLookupError):  # a cron that has no time left
                    self._clockwork.modify_job(name, next_run_time=datetime.now(UTC))

    def _fire(self, name: str) -> None:
        job = self._jobs[name]
        with self._lock:
            if name in self._running:
                return
            self._running.add(name)
        try:
            if not job.shared:
                job.run(name, datetime.now(UTC))
                return
            while not self.stopping.is_set() and (claim := self.ledger.claim(name, self._holder, self._lease)) is not None:
                try:
                    self._done(job, claim)
                except StoppedError:
                    return
                except AlmanacError as error:
                    log.warning("a job failed", extra={"job": name, "reason": str(error)})
        except Exception as error:  # noqa: BLE001 - a thread of the pool has nobody above it
            log_incident(secrets.token_hex(4), error)
        finally:
            with self._lock:
                self._running.discard(name)

    def _done(self, job: Job, claim: Claim) -> Mapping[str, Any] | None:
        """Does a run that is this process's, and tells the ledger."""
        try:
            with self._renewed(claim):
                result = job.run(job.id, datetime.fromtimestamp(claim.due, UTC))
        except (StoppedError, KeyboardInterrupt, SystemExit):
            self.ledger.give_back(claim)
            raise
        except AlmanacError as error:
            self._finish(job, claim, None, str(error))
            raise
        except Exception as error:
            incident = secrets.token_hex(4)
            log_incident(incident, error)
            failure = AlmanacError(f"It failed unexpectedly; the log has the rest under {incident}.")
            self._finish(job, claim, None, str(failure))
            raise failure from error
        self._finish(job, claim, result, "")
        return result

    def _finish(self, job: Job, claim: Claim, result: Mapping[str, Any] | None, failure: str) -> None:
        due = None if claim.early else self._following(job, claim)
        if not self.ledger.finish(claim, due, result, failure):
            log.warning("a run took so long without a sign that another process has taken it up", extra={"job": job.id})

    def _following(self, job: Job, claim: Claim) -> float:
        now, due = datetime.now(UTC), datetime.fromtimestamp(claim.due, UTC)
        following = job.times.after(due) if job.times else None
        if job.times and following is not None and following < now - GRACE:
            following = job.times.after(now)
        return (following or _NEVER).timestamp()

    @contextmanager
    def _renewed(self, claim: Claim) -> Iterator[None]:
        """The lease goes on as long as what is inside, and not if this process dies."""
        end = threading.Event()

        def renew() -> None:
            while not end.wait(self._lease / 3):
                try:
                    if not self.ledger.renew(claim, self._lease):
                        return
                except Exception as error:  # noqa: BLE001 - the database is away: the next try may find it
                    log.warning("a lease could not be renewed", extra={"job": claim.job, "error": type(error).__name__})

        thread = threading.Thread(target=renew, name="lease", daemon=True)
        thread.start()
        try:
            yield
        finally:
            end.set()
            thread.join()
