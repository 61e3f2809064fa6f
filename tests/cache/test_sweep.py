"""What no catalog names and nobody uses goes; what is held, being built or lately used stays."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from cache.folders import safe_name
from cache.kept import all_kept, hold_kept
from cache.locks import wait_for
from cache.manifest import FILE
from cache.sweep import BUILD_LOCK, SWEPT, retire, sweep_all, used_at
from cache.versions import Store
from tests.cache.builder import KEY, build, fill, is_whole
from tests.cache.processes import run, start
from tests.cache.test_disk import needs_mount, shell

DAY = 86_400.0


def made(root: Path, key: str, days: float) -> Path:
    """The folder of a key that was built and last used so many days ago."""
    Store(root).build(key, "1", lambda folder: fill(folder, "1"), {"rows": "1"}).close()
    home = root / safe_name(key)
    then = time.time() - days * DAY
    for path in (*home.rglob("held"), home / BUILD_LOCK, home):
        os.utime(path, (then, then))
    return home


def swept(root: Path, *keep: str) -> int:
    """How many keys go of those that were not used for 30 days."""
    (root / SWEPT).unlink(missing_ok=True)
    return Store(root).sweep_all(keep, 30 * DAY)


def test_what_is_not_named_and_not_used_goes(tmp_path: Path) -> None:
    old, lately, named = made(tmp_path, "old", 31), made(tmp_path, "lately", 29), made(tmp_path, "named", 31)
    other = tmp_path / "plans"
    other.mkdir()
    os.utime(other, (0, 0))
    assert swept(tmp_path, "named") == 1
    assert not old.exists() and lately.exists() and named.exists() and other.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([SWEPT, lately.name, named.name, "plans"])
    assert Store(tmp_path).current("old") is None
    made(tmp_path, "old", 0)
    assert old.exists()


def test_what_is_opened_counts_as_used(tmp_path: Path) -> None:
    home = made(tmp_path, "old", 31)
    (kept,) = all_kept(tmp_path)
    looked_at = hold_kept(kept)
    assert looked_at is not None
    looked_at.close()
    assert time.time() - used_at(home) > 30 * DAY  # looking is no use
    held = Store(tmp_path).current("old")
    assert held is not None
    held.close()
    assert time.time() - used_at(home) < DAY
    assert swept(tmp_path) == 0


def test_what_is_held_stays_and_is_read_on(tmp_path: Path) -> None:
    home = made(tmp_path, "old", 31)
    held = Store(tmp_path).current("old")
    assert held is not None
    made(tmp_path, "old", 31)  # as if the reader had come a month ago
    assert swept(tmp_path) == 0 and not retire(home)
    assert is_whole(held)
    held.close()
    made(tmp_path, "old", 31)
    assert swept(tmp_path) == 1 and not home.exists()


def test_an_old_version_that_is_held_keeps_its_key(tmp_path: Path) -> None:
    old = build(str(tmp_path), "1")
    build(str(tmp_path), "2").close()
    assert not retire(old.folder.parent) and is_whole(old)
    now = Store(tmp_path).current(KEY)
    assert now is not None and now.version == "2"
    now.close()
    old.close()
    assert retire(now.folder.parent)


def test_what_is_being_built_stays(tmp_path: Path) -> None:
    home = made(tmp_path, "old", 31)
    builder = wait_for(home / BUILD_LOCK)
    assert swept(tmp_path) == 0 and not retire(home)
    builder.close()
    assert retire(home)


def test_a_builder_who_waits_for_a_folder_that_goes_makes_it_anew(tmp_path: Path) -> None:
    home = made(tmp_path, KEY, 31)
    lock = wait_for(home / BUILD_LOCK)
    waits = threading.Event()
    versions: list[str] = []

    def build_after() -> None:
        with Store(tmp_path).build(KEY, "2", lambda folder: fill(folder, "2"), {"rows": "2"}, waiting=waits.set) as held:
            versions.append(f"{held.version} {is_whole(held)}")

    thread = threading.Thread(target=build_after)
    thread.start()
    assert waits.wait(30)
    home.rename(tmp_path / ".gone-1")
    lock.close()
    thread.join(30)
    assert versions == ["2 True"]


def test_builders_and_sweepers_at_once_never_break_a_version(tmp_path: Path) -> None:
    """Each key goes at once when nobody holds it, again and again, and every build holds a whole version all the same."""
    end = time.monotonic() + 2
    whole: list[bool] = []

    def build_on() -> None:
        while time.monotonic() < end:
            try:
                with build(str(tmp_path), "1") as held:
                    whole.append(is_whole(held))
            except BaseException:
                whole.append(False)
                raise

    threads = [threading.Thread(target=build_on) for _ in range(3)]
    for thread in threads:
        thread.start()
    gone = 0
    while any(thread.is_alive() for thread in threads):
        gone += retire(tmp_path / safe_name(KEY))
    for thread in threads:
        thread.join()
    assert gone > 0 and len(whole) > 0 and all(whole)


def test_all_keys_are_looked_at_once_an_hour(tmp_path: Path) -> None:
    home = made(tmp_path, "old", 31)
    (tmp_path / SWEPT).touch()
    assert sweep_all(tmp_path, (), 30 * DAY) == 0 and home.exists()
    os.utime(tmp_path / SWEPT, (0, 0))
    assert sweep_all(tmp_path, (), 30 * DAY, seconds=-1) == 0 and home.exists()  # no time left
    os.utime(tmp_path / SWEPT, (0, 0))
    assert sweep_all(tmp_path, (), 30 * DAY) == 1


def test_what_dead_builders_and_sweepers_left_goes(tmp_path: Path) -> None:
    home = made(tmp_path, "named", 0)
    (home / "making-1").mkdir()
    (home / "making-1" / "half").write_text("x")
    (tmp_path / ".gone-1" / "version-1").mkdir(parents=True)
    made(tmp_path, "broken", 0)
    (tmp_path / safe_name("broken") / FILE).write_text("{")
    assert swept(tmp_path, "named", "broken") == 0
    assert sorted(path.name.split("-")[0] for path in home.iterdir()) == ["build.lock", "manifest.json", "version"]
    assert not (tmp_path / ".gone-1").exists()


def test_a_root_that_is_not_there_is_nothing_to_sweep(tmp_path: Path) -> None:
    assert sweep_all(tmp_path / "none", (), 0) == 0 and not (tmp_path / "none").exists()
    assert all_kept(tmp_path / "none") == []


@needs_mount
def test_a_disk_that_cannot_be_written_is_left_alone(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from cache.sweep import retire, sweep_all; root = Path(sys.argv[1]);"
        "print(sweep_all(root, (), -1, every=0), [retire(home) for home in root.iterdir()])"
    )
    said = shell(
        """
        mount -t tmpfs -o size=1m tmpfs $ROOT
        $BUILDER try_to_build $ROOT 1
        mount -o remount,ro $ROOT
        $PYTHON -c "$PROGRAM" $ROOT
        $BUILDER check $ROOT
        """,
        tmp_path / "data",
        PROGRAM=program,
        PYTHON=sys.executable,
    )
    assert said == ["1", "0 [False]", "True"]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system does not tell what is open")
def test_readers_are_counted_over_processes(tmp_path: Path) -> None:
    build(str(tmp_path), "1").close()
    assert [kept.readers for kept in all_kept(tmp_path)] == [0]
    with build(str(tmp_path), "1"), start("hold", tmp_path) as reader:
        assert reader.stdout is not None and reader.stdout.readline() == "1\n"
        (kept,) = all_kept(tmp_path)
        assert kept.readers == 2 and kept.leftovers == 0 and kept.damage == "" and kept.size > 0
        reader.communicate()
    assert [kept.readers for kept in all_kept(tmp_path)] == [0]


def test_builders_killed_at_random_leave_nothing_that_grows(tmp_path: Path) -> None:
    """The quick variant of what `make bench` does 50 times with whole tables."""
    dice = random.Random(11)
    for _ in range(6):
        with start("build_on_and_on", tmp_path) as builder:
            time.sleep(dice.uniform(0.15, 0.6))
            builder.send_signal(signal.SIGKILL)
    assert run("try_to_build", tmp_path, "last").stdout == "last\n"
    assert run("check", tmp_path).stdout == "True\n"
    (home,) = (path for path in tmp_path.iterdir())
    assert sorted(path.name.split("-")[0] for path in home.iterdir()) == ["build.lock", "manifest.json", "version"]
