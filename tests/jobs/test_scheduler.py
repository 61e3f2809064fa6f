"""Jobs over several processes: each run is one process's, what a killed process held is taken up, and all of it outlives a restart."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import MetaData

from cache.database import Database
from engine.errors import SourceError
from jobs.job import Job, StoppedError
from jobs.ledger import Ledger
from jobs.scheduler import Scheduler
from jobs.times import every
from tests.engine.read.test_database import postgres  # noqa: F401 - a fixture

ROOT = Path(__file__).resolve().parent.parent.parent
PROCESS = Path(__file__).with_name("process.py")
SECONDS = 60 if os.environ.get("ALMANAC_TEST_LONG") else 6


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty state database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'state.sqlite'}"
    import psycopg

    server = request.getfixturevalue("postgres")
    name = f"jobs{secrets.token_hex(4)}"
    with psycopg.connect(server, autocommit=True) as base:
        base.execute(f"CREATE SCHEMA {name}")
    return f"{server}?options=-csearch_path%3D{name}"


class Clock:
    """A time that goes on when it is told to."""

    def __init__(self) -> None:
        self.at = 1_800_000_000.0

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(url: str, clock: Clock) -> Iterator[Ledger]:
    base = Database(url, MetaData(), clock)
    yield Ledger(base)
    base.close()


def begun(url: str, file: Path, seconds: float, lease: float, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(PROCESS), url, str(file), str(seconds), str(lease), *more]
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "began\n"
    return process


def lines(file: Path) -> list[tuple[float, int]]:
    return [(float(due), int(pid)) for due, pid in (line.split() for line in file.read_text(encoding="utf-8").splitlines())]


def test_two_processes_do_each_run_once(url: str, tmp_path: Path) -> None:
    file = tmp_path / "runs"
    processes = [begun(url, file, SECONDS, 5) for _ in range(2)]
    assert [process.wait(SECONDS + 60) for process in processes] == [0, 0]
    done = Counter(due for due, _ in lines(file))
    assert set(done.values()) == {1}, "a run was done twice"
    assert len(done) >= SECONDS - 1
    dues = sorted(done)
    assert dues == [dues[0] + number for number in range(len(dues))], "a run was left out"
    base = Database(url, MetaData())
    kept = Ledger(base).runs("tick")
    assert kept == [(due, 1, "done") for due in dues]
    base.close()


def test_what_a_killed_process_held_is_taken_up(url: str, tmp_path: Path) -> None:
    file = tmp_path / "runs"
    first = begun(url, file, 3600, 2, "stuck")
    while not file.exists():
        time.sleep(0.05)
    second = begun(url, file, 3600, 2)
    ((due, pid),) = lines(file)
    assert pid == first.pid
    time.sleep(3)  # longer than the lease, which is renewed
    assert lines(file) == [(due, first.pid)]
    first.kill()
    first.wait()
    while len(lines(file)) < 3:
        time.sleep(0.05)
    second.kill()
    second.wait()
    assert lines(file)[1] == (due, second.pid)
    base = Database(url, MetaData())
    assert Ledger(base).runs("tick")[0] == (due, 2, "done")
    base.close()


def test_a_run_is_leased_and_the_lease_ends(ledger: Ledger, clock: Clock) -> None:
    ledger.enter("a", "A", "hourly", clock.at + 10)
    assert ledger.claim("a", "me", 60) is None and ledger.due() == []
    clock.at += 10
    assert ledger.due() == ["a"]
    mine = ledger.claim("a", "me", 60)
    assert mine is not None and (mine.due, mine.tries, mine.early) == (clock.at, 0, False)
    assert ledger.claim("a", "you", 60) is None and ledger.due() == []
    clock.at += 50
    assert ledger.renew(mine, 60)
    clock.at += 59
    assert ledger.claim("a", "you", 60) is None
    clock.at += 2
    yours = ledger.claim("a", "you", 60)
    assert yours is not None and (yours.due, yours.tries) == (mine.due, 1)
    assert not ledger.renew(mine, 60) and not ledger.finish(mine, clock.at + 100)
    assert ledger.finish(yours, clock.at + 100, {"rows": 3})
    assert ledger.claim("a", "me", 60) is None
    (standing,) = ledger.standing()
    assert (standing.due, standing.running, standing.outcome, standing.result) == (clock.at + 100, False, "done", {"rows": 3})
    assert ledger.runs("a") == [(mine.due, 2, "done")]


def test_what_is_run_early_stays_due(ledger: Ledger, clock: Clock) -> None:
    ledger.enter("a", "A", "hourly", clock.at + 10)
    claim = ledger.claim("a", "me", 60, at_once=True)
    assert claim is not None and claim.early
    ledger.finish(claim, None, None, "The source is gone.")
    (standing,) = ledger.standing()
    assert (standing.due, standing.outcome, standing.failure, standing.failures) == (clock.at + 10, "failed", "The source is gone.", 1)


def test_a_job_that_is_entered_again_stays_due_unless_its_rhythm_is_another(ledger: Ledger, clock: Clock) -> None:
    ledger.enter("a", "A", "hourly", clock.at + 10)
    ledger.enter("a", "A", "hourly", clock.at + 99)
    assert [one.due for one in ledger.standing()] == [clock.at + 10]
    ledger.enter("a", "A", "daily", clock.at + 99)
    assert [one.due for one in ledger.standing()] == [clock.at + 99]
    ledger.enter("a", "A", "daily", clock.at, soon=True)
    assert [one.due for one in ledger.standing()] == [clock.at]


def test_what_is_wrong_is_new_once(ledger: Ledger, clock: Clock) -> None:
    since = clock.at
    assert ledger.wrong("shops", "It is empty.") == (True, since)
    clock.at += 60
    assert ledger.wrong("shops", "It is gone.") == (False, since)
    assert ledger.troubles() == {"shops": (since, "It is gone.")}
    assert ledger.well("shops") == since
    assert ledger.well("shops") is None and ledger.troubles() == {}


def test_what_was_due_while_no_process_ran_is_done_once(url: str) -> None:
    base = Database(url, MetaData())
    done: list[datetime] = []
    event = threading.Event()

    def run(_: str, due: datetime) -> None:
        done.append(due)
        event.set()

    missed = datetime.now(UTC) - timedelta(hours=5)
    job = Job("late", every(3600), run, rhythm="hourly")
    Ledger(base).enter("late", "late", "hourly", missed.timestamp())
    scheduler = Scheduler(base)
    scheduler.add(job)
    scheduler.start()
    assert event.wait(30)
    scheduler.stop()
    assert done == [missed]
    (standing,) = scheduler.ledger.standing()
    assert job.times is not None
    assert standing.due > standing.finished
    base.close()


def test_what_fails_is_kept_and_comes_again(url: str, caplog: pytest.LogCaptureFixture) -> None:
    base = Database(url, MetaData())
    scheduler = Scheduler(base)

    def refuse(_: str, due: datetime) -> None:
        raise SourceError("There is no file shops.csv.")

    def break_down(_: str, due: datetime) -> None:
        raise ZeroDivisionError("a secret")

    def stop(_: str, due: datetime) -> None:
        raise StoppedError

    with pytest.raises(SourceError):
        scheduler.run_now(Job("refused", None, refuse))
    with pytest.raises(Exception, match="failed unexpectedly"):
        scheduler.run_now(Job("broken", None, break_down))
    with pytest.raises(StoppedError):
        scheduler.run_now(Job("stopped", every(60), stop))
    found = {one.id: one for one in scheduler.ledger.standing()}
    assert (found["refused"].failure, found["refused"].failures) == ("There is no file shops.csv.", 1)
    assert "secret" not in found["broken"].failure
    assert (found["stopped"].outcome, found["stopped"].running) == ("", False)
    assert scheduler.run_now(Job("stopped", every(60), lambda _, due: {"rows": 1})) == {"rows": 1}
    base.close()


def test_what_is_not_shared_is_done_by_each_and_kept_nowhere(tmp_path: Path) -> None:
    base = Database(f"sqlite:///{tmp_path / 'state.sqlite'}", MetaData())
    event = threading.Event()
    scheduler = Scheduler(base)
    scheduler.add(Job("look", every(0.05), lambda _, due: event.set(), shared=False))
    scheduler.start()
    assert event.wait(30)
    scheduler.stop()
    assert scheduler.ledger.standing() == []
    base.close()
