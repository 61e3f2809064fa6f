"""The rules of the namespaces, what is counted, and what a person sees and does from outside."""

from __future__ import annotations

import asyncio
import logging
import random
import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from cache import entries
from cache.counts import PROCESS, counted
from cache.hints import Hints
from cache.namespaces import NAMESPACES, Namespace
from tests.cache.processes import ROOT
from tests.cache.test_disk import needs_mount, shell

PLANS = NAMESPACES["plans"]


def test_the_rules_are_documented_as_they_are() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w+) \| (\d+) MB \| (\d+) \| ([a-z-]+) \| (.+) \|$", text, re.MULTILINE)
    assert [(name, int(limit) * 2**20, int(days) * 86_400.0, first, holds) for name, limit, days, first, holds in rows] == [
        tuple(rules) for rules in NAMESPACES.values()
    ]


@pytest.mark.parametrize("rules", NAMESPACES.values(), ids=lambda rules: rules.name)
def test_a_namespace_has_its_rules(tmp_path: Path, rules: Namespace) -> None:
    with closing(Hints(tmp_path, rules.name)) as hints:
        hints.set("key", 1)
    with closing(sqlite3.connect(tmp_path / rules.name / "cache.db")) as index:
        settings = dict(index.execute("SELECT key, value FROM Settings"))
        ((lifetime,),) = index.execute("SELECT expire_time - store_time FROM Cache")
    assert (settings["size_limit"], settings["eviction_policy"]) == (rules.limit, rules.eviction)
    assert lifetime == pytest.approx(rules.lifetime, abs=1)


def test_what_is_asked_for_survives_what_is_only_stored(tmp_path: Path) -> None:
    noise = random.Random(2)
    with closing(Hints(tmp_path, "plans", limit=2 * 2**20)) as hints:
        hints.set("asked", 1)
        for number in range(120):
            hints.set(str(number), noise.randbytes(20_000).hex())
            assert hints.get("asked") == 1
        assert hints.get("0") is None
    assert entries.measure(tmp_path, PLANS).size < 3 * 2**20


def test_a_value_that_would_cost_all_others_is_not_kept(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with closing(Hints(tmp_path, "plans", limit=2 * 2**20)) as hints:
        hints.set("small", 1)
        hints.set("large", random.Random(3).randbytes(400_000).hex())
        assert hints.get("large") is None and hints.get("small") == 1
    assert len(caplog.records) == 1


def test_hits_and_misses_are_counted_for_the_process_and_for_a_question(tmp_path: Path) -> None:
    before = PROCESS.of("plans")
    with closing(Hints(tmp_path, "plans")) as hints, counted() as all_of_it:
        hints.get("key")
        hints.set("key", 1)
        with counted() as question:
            hints.get("key")
            asyncio.run(asyncio.to_thread(hints.get, "other"))
        hints.set("bad", object())  # type: ignore[arg-type]
    assert question.to_json() == {"plans": {"hits": 1, "misses": 1}}
    assert all_of_it.of("plans") == {"hits": 1, "misses": 2, "writes": 1, "errors": 1}
    after = PROCESS.of("plans")
    assert {what: after[what] - before[what] for what in after} == all_of_it.of("plans")


def test_a_namespace_is_measured_and_emptied(tmp_path: Path) -> None:
    assert entries.measure(tmp_path, PLANS) == (0, 0) and entries.clear(tmp_path, PLANS) == 0
    assert not any(tmp_path.iterdir())
    with closing(Hints(tmp_path, "plans")) as hints:
        for number in range(5):
            hints.set(str(number), "x" * 100)
        assert entries.measure(tmp_path, PLANS).entries == 5
        assert entries.clear(tmp_path, PLANS) == 5
        assert hints.get("1") is None
        hints.set("1", 2)
        assert hints.get("1") == 2


@pytest.mark.parametrize("value", [b"not zlib", "text", None])
def test_a_damaged_entry_is_found_and_dropped(tmp_path: Path, value: object) -> None:
    with closing(Hints(tmp_path, "plans")) as hints:
        for number in range(5):
            hints.set(str(number), number)
    assert entries.check(tmp_path, PLANS) == (5, ())
    with closing(sqlite3.connect(tmp_path / "plans" / "cache.db")) as index, index:
        index.execute("UPDATE Cache SET value = ? WHERE rowid = 3", (value,))
    wrong = (5, ("1 of 5 entries cannot be read",))
    assert entries.check(tmp_path, PLANS) == wrong and entries.check(tmp_path, PLANS, repair=True) == wrong
    assert entries.check(tmp_path, PLANS) == (4, ())
    with closing(Hints(tmp_path, "plans")) as hints:
        assert [hints.get(str(number)) for number in range(5)] == [0, 1, None, 3, 4]


def test_a_damaged_index_is_found_dropped_and_emptied(tmp_path: Path) -> None:
    for act in (lambda: entries.check(tmp_path, PLANS, repair=True), lambda: entries.clear(tmp_path, PLANS)):
        with closing(Hints(tmp_path, "plans")) as hints:
            hints.set("key", 1)
        (tmp_path / "plans" / "cache.db").write_bytes(b"garbage" * 1000)
        assert entries.measure(tmp_path, PLANS).entries is None
        assert entries.check(tmp_path, PLANS) == (0, ("its index is damaged",))
        act()
        assert entries.check(tmp_path, PLANS) == (0, ())
        with closing(Hints(tmp_path, "plans")) as hints:
            hints.set("key", 2)
            assert hints.get("key") == 2


@pytest.mark.parametrize("open_already", [False, True])
def test_a_damaged_index_is_a_miss_and_one_line(tmp_path: Path, caplog: pytest.LogCaptureFixture, open_already: bool) -> None:
    caplog.set_level(logging.WARNING)
    with closing(Hints(tmp_path, "plans")) as hints:
        hints.set("key", 1)
        if not open_already:
            hints.close()
        for name in ("cache.db", "cache.db-wal", "cache.db-shm"):
            if (tmp_path / "plans" / name).exists():
                (tmp_path / "plans" / name).write_bytes(b"garbage" * 5000)
        with counted() as counts:
            assert hints.get("key") is None
        assert counts.to_json() == {"plans": {"hits": 0, "misses": 1}}
        assert len(caplog.records) == 1
        hints.set("key", 2)
        assert hints.get("key") == 2 and len(caplog.records) <= 2


@needs_mount
@pytest.mark.parametrize("disk", ["read-only", "full"])
def test_a_disk_that_takes_nothing_is_a_miss_and_one_line(tmp_path: Path, disk: str) -> None:
    spoil = "mount -o remount,ro $ROOT" if disk == "read-only" else "head -c 9000000 /dev/zero > $ROOT/full || true"
    program = (
        "import sys; from pathlib import Path; from cache.hints import Hints; hints = Hints(Path(sys.argv[1]), 'plans');"
        "[(hints.set(str(n), [str(n * m * 7919) for m in range(900)]), hints.get('missing')) for n in range(20)]; print(hints.get('missing'))"
    )
    said = shell(
        f"""
        mount -t tmpfs -o size=1m tmpfs $ROOT
        {spoil} 2>/dev/null
        $PYTHON -c "$PROGRAM" $ROOT 2>&1
        """,
        tmp_path / "data",
        PROGRAM=program,
        PYTHON=sys.executable,
    )
    assert said[-1] == "None"
    assert len(said) == 2 and said[0].endswith("going on without them.")
