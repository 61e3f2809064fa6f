"""Few connections are open, whoever asks for them, and none is closed under a query."""

from __future__ import annotations

import gc
import sqlite3
import threading
from pathlib import Path

import pytest

from engine.connections import Connections, Pooled


def connect() -> Pooled:
    return sqlite3.connect(":memory:", check_same_thread=False, factory=Pooled)


def test_a_thread_keeps_its_connection() -> None:
    pool = Connections(4)
    first = pool.of(1, connect)
    others: list[Pooled] = []
    thread = threading.Thread(target=lambda: others.append(pool.of(1, connect)))
    thread.start()
    thread.join()
    assert pool.of(1, connect) is first and pool.of(2, connect) is not first and others[0] is not first


def test_those_used_longest_ago_are_let_go_but_not_under_a_query() -> None:
    pool = Connections(3)
    base = pool.of(1, connect)
    base.execute("CREATE TABLE t AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) SELECT i FROM n")
    running = base.execute("SELECT i FROM t")
    assert running.fetchone() == (1,)
    for owner in range(2, 12):
        pool.of(owner, connect)
    assert len(pool) == 3 and pool.of(1, connect) is not base
    assert len(running.fetchall()) == 999


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system does not tell what is open")
def test_many_threads_and_tables_keep_few_files_open(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.sqlite" for number in range(12)]
    for number, path in enumerate(paths):
        base = sqlite3.connect(path)
        base.execute("CREATE TABLE t AS SELECT ? AS i", (number,))
        base.commit()
        base.close()
    pool = Connections(8)
    wrong: list[object] = []

    def ask() -> None:
        for turn in range(100):
            number = turn % len(paths)
            found = pool.of(number, lambda n=number: sqlite3.connect(paths[n], check_same_thread=False, factory=Pooled)).execute(
                "SELECT i FROM t"
            )
            if found.fetchall() != [(number,)]:
                wrong.append(number)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    opened = [link for link in map(_target, Path("/proc/self/fd").iterdir()) if link.startswith(str(tmp_path))]
    assert wrong == [] and len(pool) == 8 and len(opened) == 8
    for number in range(len(paths)):
        pool.close(number)
    assert len(pool) == 0
    assert [link for link in map(_target, Path("/proc/self/fd").iterdir()) if link.startswith(str(tmp_path))] == []


def _target(file: Path) -> str:
    try:
        return str(file.readlink())
    except OSError:
        return ""
