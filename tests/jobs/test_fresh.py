"""Tables kept fresh: in a process of their own, all slices together, with an alert when it begins to fail and one when it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import MetaData

from cache.database import Database
from cache.versions import Store
from engine.catalog import Catalog, load_catalog
from engine.embed import default_embedder
from engine.errors import BuildError
from engine.library import Library
from engine.types import EVERYTHING, WHOLE, Scope, Slice
from jobs.alert import Alert
from jobs.fresh import Fresh, job_id
from jobs.job import StoppedError
from jobs.ledger import Ledger
from jobs.refreshing import refresh_apart
from jobs.scheduler import Scheduler

ROOT = Path(__file__).resolve().parent.parent.parent
HIDDEN = Slice(hidden=("salary",))
PART = Scope(slices={"staff": HIDDEN})


def write(folder: Path, *names: str) -> None:
    (folder / "staff.csv").write_text("name,city,salary\n" + "".join(f"{name},Haifa,1\n" for name in names), encoding="utf-8")


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    write(tmp_path, "Ann", "Ben")
    path = tmp_path / "almanac.toml"
    said = (
        '[tables.staff]\nsource = "staff.csv"\nalerts = "slack:C0123"\nrefresh = "1 hour"\n[tables.staff.columns.city]\nnote = "of work"\n'
    )
    path.write_text(said, encoding="utf-8")
    return load_catalog(path)


@pytest.fixture
def library(catalog: Catalog, tmp_path: Path) -> Iterator[Library]:
    with closing(Library(catalog, Store(tmp_path / "data"), default_embedder(), only_built=True)) as made:
        yield made


@pytest.fixture
def base(tmp_path: Path) -> Iterator[Database]:
    made = Database(f"sqlite:///{tmp_path / 'state.sqlite'}", MetaData())
    yield made
    made.close()


def rows(library: Library, scope: Scope = EVERYTHING) -> int:
    (table,) = library.under(scope)
    return table.facts.rows


def test_a_refresh_takes_what_is_new_for_every_slice(catalog: Catalog, library: Library, base: Database, tmp_path: Path) -> None:
    assert rows(library) == rows(library, PART) == 2
    fresh = Fresh(library, Ledger(base), [EVERYTHING])
    entry = catalog.tables[0]
    assert fresh.refresh(entry)["outcome"] == "same"
    write(tmp_path, "Ann", "Ben", "Cyd")
    assert rows(library) == 2, "the source is looked at by its job alone"
    done = fresh.refresh(entry)
    assert (done["outcome"], done["table"]) == ("new", "staff")
    assert rows(library) == rows(library, PART) == 3
    assert library.under(EVERYTHING)[0].version == done["version"]


def test_what_another_process_refreshed_is_noticed(catalog: Catalog, library: Library, base: Database, tmp_path: Path) -> None:
    assert rows(library) == 2
    write(tmp_path, "Ann", "Ben", "Cyd")
    assert refresh_apart(catalog, Store(library.root), "staff", [WHOLE]).outcome == "new"
    assert rows(library) == 2
    Fresh(library, Ledger(base), []).notice()
    assert rows(library) == 3


def test_an_alert_when_it_begins_and_one_when_it_ends(catalog: Catalog, library: Library, base: Database, tmp_path: Path) -> None:
    told: list[Alert] = []
    ledger = Ledger(base)
    fresh = Fresh(library, ledger, [EVERYTHING], told.append)
    entry = catalog.tables[0]
    assert rows(library) == 2
    (tmp_path / "staff.csv").unlink()
    for _ in range(2):
        done = fresh.refresh(entry)
        assert done["outcome"] == "refused" and "staff.csv" in done["reason"]
    assert [(alert.kind, alert.to) for alert in told] == [("stale", ("slack", "C0123"))]
    assert "staff.csv" in told[0].reason and rows(library) == 2
    assert list(ledger.troubles()) == [job_id(entry, library.root)]
    write(tmp_path, "Ann", "Ben", "Cyd")
    for _ in range(2):
        assert fresh.refresh(entry)["outcome"] in ("new", "same")
    assert [alert.kind for alert in told] == ["stale", "well"] and told[1].since == told[0].since
    assert len({alert.id for alert in told}) == 2 and rows(library) == 3
    assert ledger.troubles() == {}


def test_a_slice_is_left_where_the_whole_is_refused(catalog: Catalog, library: Library, tmp_path: Path) -> None:
    assert rows(library) == rows(library, PART) == 2
    (tmp_path / "staff.csv").write_text("", encoding="utf-8")
    done = refresh_apart(catalog, Store(library.root), "staff", [WHOLE, HIDDEN])
    assert done.outcome == "refused"
    library.renew("staff")
    assert rows(library) == rows(library, PART) == 2


def test_the_job_of_a_table_is_done_at_the_start_and_kept(catalog: Catalog, library: Library, base: Database) -> None:
    scheduler = Scheduler(base)
    fresh = Fresh(library, scheduler.ledger, [EVERYTHING], stopping=scheduler.stopping)
    (job,) = fresh.jobs()
    assert (job.title, job.rhythm, job.soon) == ("staff", "1 hour", True)
    scheduler.add(job)
    scheduler.start()
    while not any(one.outcome for one in scheduler.ledger.standing()):
        time.sleep(0.05)
    scheduler.stop()
    (standing,) = scheduler.ledger.standing()
    assert (standing.outcome, standing.result["outcome"], standing.running) == ("done", "new", False)
    assert 0 < standing.due - standing.finished <= 3600 + 60


def test_what_is_stopped_is_done_by_whoever_comes_next(catalog: Catalog, library: Library, base: Database) -> None:
    scheduler = Scheduler(base)
    scheduler.stopping.set()
    fresh = Fresh(library, scheduler.ledger, [EVERYTHING], stopping=scheduler.stopping)
    with pytest.raises(StoppedError):
        scheduler.run_now(fresh.jobs()[0])
    assert library.parts("staff") == []
    other = Scheduler(base)
    assert other.run_now(Fresh(library, other.ledger, [EVERYTHING]).jobs()[0], lambda: pytest.fail("the run is free"))


def test_what_takes_too_long_is_ended(catalog: Catalog, library: Library) -> None:
    with pytest.raises(BuildError, match=r'"staff" took longer than 0 seconds'):
        refresh_apart(catalog, Store(library.root), "staff", [WHOLE], seconds=0.01)
    assert library.parts("staff") == []


def test_a_refresh_that_is_killed_says_so_and_leaves_what_there_was(catalog: Catalog, library: Library, tmp_path: Path) -> None:
    assert rows(library) == 2
    write(tmp_path, "Ann", "Ben", "Cyd")

    def kill(stage: str, done: int, total: int) -> None:
        children = Path(f"/proc/{os.getpid()}/task").glob("*/children")
        for child in {int(pid) for path in children for pid in path.read_text().split()}:
            if b"refresh_process" in Path(f"/proc/{child}/cmdline").read_bytes():
                os.kill(child, signal.SIGKILL)

    if not Path("/proc/self/task").is_dir():
        pytest.skip("processes are told by /proc")
    with pytest.raises(BuildError, match="ended from outside"):
        refresh_apart(catalog, Store(library.root), "staff", [WHOLE], progress=kill)
    assert not library.renew("staff") and rows(library) == 2
    assert refresh_apart(catalog, Store(library.root), "staff", [WHOLE]).outcome == "new"


PARENT = """
import sys
from pathlib import Path
from cache.versions import Store
from engine.catalog import load_catalog
from engine.types import WHOLE
from jobs.refreshing import refresh_apart

catalog = load_catalog(Path(sys.argv[1]))
refresh_apart(catalog, Store(Path(sys.argv[2])), "staff", [WHOLE], progress=lambda *told: print("began", flush=True))
"""


def test_a_refresh_does_not_outlive_who_began_it(catalog: Catalog, tmp_path: Path) -> None:
    if not Path("/proc/self/task").is_dir():
        pytest.skip("processes are told by /proc")
    command = [sys.executable, "-c", PARENT, catalog.file, str(tmp_path / "data")]
    parent = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None and parent.stdout.readline() == "began\n"
    children = Path(f"/proc/{parent.pid}/task").glob("*/children")
    (child,) = {int(pid) for path in children for pid in path.read_text().split()}
    parent.kill()
    parent.wait()
    gone = threading.Event()
    while not gone.is_set():  # a child that stays lets the test hang, and fail by its time
        try:
            state = Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            state = "Z"
        if state in "ZX":
            gone.set()
        time.sleep(0.02)
    assert gone.is_set()
