"""Refreshes under way: killed, asked all through, and again and again."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.execute import execute
from engine.table import OpenTable
from engine.types import TablePlan
from tests.engine.refreshing import Source

ROOT = Path(__file__).resolve().parents[2]
REFRESH = """
import sys
from pathlib import Path
from tests.engine.refreshing import Source
came = Source(Path(sys.argv[1])).refresh()
print("outcome", came.outcome, came.reason)
"""
EVERYTHING = TablePlan(table="staff", select=("edition", "name"))


def edition(number: int, rows: int = 300) -> list[list[str]]:
    """A table of which every row says which edition it is of; the names are partly others each time."""
    return [
        ["id", "name", "city", "edition"],
        *([f"P{n:05d}", f"Person {n if n % 7 else n * number}", f"Town {n % 9}", f"edition {number}"] for n in range(1, rows + 1)),
    ]


def shown(table: OpenTable) -> tuple[set[object], int]:
    """The editions that a table has in its rows and its terms, and how many names."""
    result, _ = execute(EVERYTHING, table)
    terms = {term.text for term in table.terms_of(table.facts.column("edition"))}
    assert terms == {row[0] for row in result.rows}
    return terms, len(result.rows)


def test_a_refresh_that_is_killed_leaves_a_whole_version(tmp_path: Path) -> None:
    source, dice = Source(tmp_path), random.Random(5)
    source.write(edition(0))
    assert source.refresh().outcome == "new"
    last, kills, seen = 0, 0, set()
    for turn in range(1, 31):
        source.write(edition(turn))
        process = subprocess.Popen(
            [sys.executable, "-c", REFRESH, str(tmp_path)], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL
        )
        with suppress(subprocess.TimeoutExpired):
            process.wait(_until_it_builds(source, process) or dice.uniform(0, 0.25))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.wait()
        (table,) = source.open()
        (one,), rows = shown(table)
        assert one in (f"edition {last}", f"edition {turn}") and rows == 300
        assert table.intact()
        seen.add(one == f"edition {turn}")
        last = turn if one == f"edition {turn}" else last
        table.close()
    assert kills >= 10
    assert source.refresh().outcome in ("new", "same")
    (table,) = source.open()
    assert shown(table) == ({"edition 30"}, 300)
    table.close()
    source.same_as_fresh(tmp_path / "fresh")
    (home,) = [path for path in source.store.root.iterdir() if (path / "build.lock").exists()]
    source.store.sweep_all([], 1e9)
    assert sum(path.name.startswith(("making", "gone", "fresh")) for path in home.iterdir()) == 0


def _until_it_builds(source: Source, process: subprocess.Popen[bytes]) -> float:
    """Waits until the process has begun to make a version, as starting takes most of its time; 0 then, or when it has ended."""
    while process.poll() is None:
        if any(source.store.root.glob("*/making-*")):
            return 0.0
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.002)
    return 0.0


@contextmanager
def asking(source: Source, found: list[tuple[set[object], int]], failed: list[BaseException]) -> Iterator[None]:
    """Two threads that open what is in service and ask it, over and over."""
    stop = threading.Event()

    def ask() -> None:
        while not stop.is_set():
            try:
                (table,) = source.open()
                try:
                    found.append(shown(table))
                    found.append(shown(table))  # what was opened stays the same, whatever is refreshed meanwhile
                    assert found[-1] == found[-2] or len(found) > 2
                finally:
                    table.close()
            except BaseException as error:  # noqa: BLE001 - whatever it is, the test tells
                failed.append(error)
                return

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_questions_all_through_refreshes_see_one_version_each(tmp_path: Path) -> None:
    source = Source(tmp_path)
    source.write(edition(0))
    source.refresh()
    found: list[tuple[set[object], int]] = []
    failed: list[BaseException] = []
    with asking(source, found, failed):
        for turn in range(1, 21):
            source.write(edition(turn))
            assert source.refresh().outcome == "new"
    assert not failed
    assert all(len(editions) == 1 and rows == 300 for editions, rows in found)
    assert len({next(iter(editions)) for editions, _ in found}) >= 5


def size(folder: Path) -> int:
    """Bytes on the disk, a file under two names counted once."""
    return sum({path.stat().st_ino: path.stat().st_size for path in folder.rglob("*") if path.is_file()}.values())


def test_disk_and_memory_level_off(tmp_path: Path) -> None:
    """ALMANAC_REFRESHES=1440 makes a day of it."""
    turns = int(os.environ.get("ALMANAC_REFRESHES", "60"))
    source = Source(tmp_path)
    sizes, memory, files = [], [], []
    for turn in range(turns):
        source.write(edition(turn % 50, 100 + turn % 3))
        assert source.refresh().outcome == "new"
        sizes.append(size(source.store.root))
        files.append(sum(1 for _ in source.store.root.rglob("*")))
        memory.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    third = turns // 3
    assert max(sizes[-third:]) <= 1.2 * max(sizes[third : 2 * third])
    assert max(files[-third:]) <= 1.2 * max(files[third : 2 * third])
    assert memory[-1] <= memory[2 * third] * 1.1
    source.same_as_fresh(tmp_path / "fresh")
