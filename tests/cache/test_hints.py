"""Hints are found again, or are a miss with one line in the log; nothing that goes wrong is an error."""

from __future__ import annotations

import logging
import pickle
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import diskcache
import pytest

from cache import hints as module
from cache.hints import Hints
from cache.seen import Seen
from cache.types import JSON
from tests.cache.processes import ROOT, environment


@pytest.fixture
def hints(tmp_path: Path) -> Iterator[Hints]:
    hints = Hints(tmp_path, "tables")
    yield hints
    hints.close()


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.WARNING)
    return caplog


@pytest.mark.parametrize("value", ["text", 0, False, 1.5, [1, [2, None]], {"a": {"שם": "בית"}}, "x" * 200_000, "\udcff"])
def test_what_was_set_is_found(tmp_path: Path, hints: Hints, value: JSON) -> None:
    hints.set("key", value)
    assert hints.get("key") == value
    with closing(Hints(tmp_path, "tables")) as again:
        assert again.get("key") == value


def test_what_was_not_set_or_was_forgotten_is_a_miss(hints: Hints, log: pytest.LogCaptureFixture) -> None:
    assert hints.get("key") is None
    hints.set("key", 1)
    hints.forget("key")
    hints.set("short", 1, expire=-1)
    assert hints.get("key") is None and hints.get("short") is None
    assert log.records == []


def test_namespaces_share_nothing_and_are_private(tmp_path: Path, hints: Hints) -> None:
    with closing(Hints(tmp_path, "plans")) as plans:
        hints.set("key", 1)
        assert plans.get("key") is None
    assert [path.stat().st_mode & 0o777 for path in sorted(tmp_path.iterdir())] == [0o700, 0o700]


def test_a_folder_that_others_may_enter_is_closed_to_them(tmp_path: Path, hints: Hints) -> None:
    hints.folder.mkdir()
    hints.folder.chmod(0o755)
    hints.set("key", 1)
    assert hints.folder.stat().st_mode & 0o777 == 0o700


def test_the_size_stays_under_the_limit(tmp_path: Path) -> None:
    noise = random.Random(1)
    with closing(Hints(tmp_path, "plans", limit=4 * 2**20)) as hints:
        for number in range(150):
            hints.set(str(number), noise.randbytes(60_000).hex())
        size = sum(path.stat().st_size for path in hints.folder.rglob("*") if path.is_file() and path.name != "cache.db-wal")
        assert 2 * 2**20 < size < 5 * 2**20
        assert hints.get("149") is not None and hints.get("0") is None


class Bomb:
    """A pickle that leaves a file behind where it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> object:
        return Path.touch, (self.path,)


def test_a_pickle_is_never_read(tmp_path: Path, hints: Hints, log: pytest.LogCaptureFixture) -> None:
    hints.set("key", 1)
    with closing(sqlite3.connect(hints.folder / "cache.db")) as database, database:
        database.execute("UPDATE Cache SET mode = 4, value = ?", (pickle.dumps(Bomb(tmp_path / "exploded")),))
    assert hints.get("key") is None
    assert not (tmp_path / "exploded").exists()
    assert len(log.records) == 1


def test_what_another_version_of_the_project_stored_is_a_miss(
    hints: Hints, monkeypatch: pytest.MonkeyPatch, log: pytest.LogCaptureFixture
) -> None:
    hints.set("key", 1)
    monkeypatch.setattr(module, "FORMAT", module.FORMAT + 1)
    assert hints.get("key") is None
    hints.set("key", 2)
    assert hints.get("key") == 2
    assert log.records == []


def test_what_others_stored_there_is_a_miss(hints: Hints, log: pytest.LogCaptureFixture) -> None:
    with diskcache.Cache(str(hints.folder)) as other:
        other["key"] = {"a": 1}
    assert hints.get("key") is None
    hints.set("key", 2)
    assert hints.get("key") == 2


@pytest.mark.parametrize("value", [b"not zlib", "text", 7, None])
def test_a_damaged_value_is_a_miss_and_is_replaced(hints: Hints, log: pytest.LogCaptureFixture, value: object) -> None:
    hints.set("key", 1)
    with closing(sqlite3.connect(hints.folder / "cache.db")) as database, database:
        database.execute("UPDATE Cache SET value = ?", (value,))
    assert hints.get("key") is None and hints.get("key") is None
    assert len(log.records) == 1
    hints.set("key", 2)
    assert hints.get("key") == 2


@pytest.mark.parametrize("open_already", [False, True])
@pytest.mark.parametrize("keep", [0, 100, 5000])
def test_a_damaged_file_is_a_miss_and_is_begun_anew(tmp_path: Path, log: pytest.LogCaptureFixture, open_already: bool, keep: int) -> None:
    with closing(Hints(tmp_path, "tables")) as hints:
        for number in range(50):
            hints.set(str(number), "x" * 1000)
        if not open_already:
            hints.close()
        file = hints.folder / "cache.db"
        with file.open("r+b") as damaged:
            damaged.seek(keep)
            damaged.write(b"\xff" * (file.stat().st_size - keep))
        for _ in range(3):
            hints.get("7")
            hints.set("7", 2)
        assert hints.get("7") == 2
        assert len(log.records) <= 2


def test_a_folder_removed_while_running_is_begun_anew(hints: Hints, log: pytest.LogCaptureFixture) -> None:
    hints.set("key", 1)
    shutil.rmtree(hints.folder)
    assert hints.get("key") is None
    hints.set("key", 2)
    assert hints.get("key") == 2
    with closing(Hints(hints.folder.parent, "tables")) as other:
        assert other.get("key") == 2


def test_a_value_file_removed_while_running_is_a_miss(hints: Hints) -> None:
    value: JSON = [f"{number * 7919}" for number in range(50_000)]
    hints.set("key", value)
    (kept,) = hints.folder.rglob("*.val")
    kept.unlink()
    assert hints.get("key") is None
    hints.set("key", value)
    assert hints.get("key") == value


def test_a_folder_that_cannot_be_made_is_a_miss_and_one_line(tmp_path: Path, log: pytest.LogCaptureFixture) -> None:
    (tmp_path / "data").write_text("mine")
    hints = Hints(tmp_path / "data", "tables")
    for _ in range(3):
        hints.set("key", 1)
        hints.forget("key")
        assert hints.get("key") is None
    assert len(log.records) == 1 and str(tmp_path / "data") in log.text


def test_a_file_that_may_not_grow_is_a_miss_and_one_line(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from cache.hints import Hints; hints = Hints(Path(sys.argv[1]), 'tables');"
        "[hints.set(str(n), [str(n * m * 7919) for m in range(3000)]) for n in range(50)]; print(hints.get('missing'))"
    )
    done = subprocess.run(
        ["sh", "-c", 'ulimit -f 200; exec "$@"', "sh", sys.executable, "-c", program, str(tmp_path)],
        env=environment(),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "None\n"
    assert done.stderr.count("\n") == done.stderr.count("going on without them.") == 1


def test_what_is_not_json_is_a_miss(hints: Hints, log: pytest.LogCaptureFixture) -> None:
    hints.set("key", object())  # type: ignore[arg-type]
    assert hints.get("key") is None
    assert len(log.records) == 1


def test_a_path_that_diskcache_would_change_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELSEWHERE", str(tmp_path / "elsewhere"))
    hints = Hints(tmp_path / "$ELSEWHERE", "tables")
    hints.set("key", 1)
    assert hints.get("key") is None
    assert not (tmp_path / "elsewhere").exists()


def test_threads_and_processes_share_one_namespace(tmp_path: Path, hints: Hints, log: pytest.LogCaptureFixture) -> None:
    threads = [threading.Thread(target=lambda n=n: [hints.set(f"{n}-{m}", m) for m in range(20)]) for n in range(4)]
    for thread in threads:
        thread.start()
    program = "import sys; from pathlib import Path; from cache.hints import Hints; Hints(Path(sys.argv[1]), 'tables').set('other', 1)"
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], env=environment(), cwd=ROOT, check=True)
    for thread in threads:
        thread.join()
    assert [hints.get(f"{n}-{m}") for n in range(4) for m in range(20)] == list(range(20)) * 4
    assert hints.get("other") == 1 and log.records == []


def test_reading_a_version_imports_no_diskcache() -> None:
    program = "import sys, cache.versions, cache.hints, cache.seen, cache.stamps; print({'diskcache', 'sqlite3'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], env=environment(), cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_a_source_is_known_at_the_stamp_that_it_was_seen_with(hints: Hints) -> None:
    seen = Seen(hints)
    seen.remember("list.csv", "1", "a")
    seen.remember("other.csv", None, "b")
    assert seen.at("list.csv", "1") == "a"
    assert seen.at("list.csv", "2") is None
    assert seen.at("list.csv", None) is None and seen.at("other.csv", None) is None
    hints.set("list.csv", ["not", "ours"])
    assert seen.at("list.csv", "1") is None
