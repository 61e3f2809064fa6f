"""Builders and readers in processes of their own, and what becomes of them when they are killed."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

from cache.folders import safe_name
from cache.versions import Store
from tests.cache.builder import KEY, build, is_whole
from tests.cache.processes import run, start


def say(process: subprocess.Popen[str], line: str = "\n") -> None:
    assert process.stdin is not None
    process.stdin.write(line)
    process.stdin.flush()


def hear(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def next_call_works(root: Path, version: str) -> None:
    """What is in service is whole; the next build is, too; and nothing is left over."""
    if (before := Store(root).current(KEY)) is not None:
        with before:
            assert is_whole(before)
    with build(str(root), version) as held:
        assert held.version == version and is_whole(held)
    names = sorted(path.name.split("-")[0] for path in (root / safe_name(KEY)).iterdir())
    assert names == ["build.lock", "manifest.json", "version"]


def test_twenty_builders_killed_at_random_moments(tmp_path: Path) -> None:
    moments = random.Random(7)
    for number in range(20):
        builder = start("build_on_and_on", tmp_path)
        assert hear(builder) == "built"
        time.sleep(moments.uniform(0, 0.05))
        kill(builder)
        next_call_works(tmp_path, f"next-{number}")


def test_a_builder_killed_at_every_step(tmp_path: Path) -> None:
    """The first build and one that replaces another, each killed at one step after the other until it survives."""
    for replaces in (False, True):
        step = survived = 0
        while not survived:
            step += 1
            root = tmp_path / f"{replaces}-{step}"
            if replaces:
                build(str(root), "old").close()
            survived = run("die_at", root, step).stdout == "survived\n"
            if replaces and not survived:
                held = Store(root).current(KEY)
                assert held is not None and held.version in ("old", f"child-{step}")
                held.close()
            for folder in (root / safe_name(KEY)).glob("version-*"):
                # A reader of the old manifest may come only now.
                assert len(list(folder.rglob("*"))) == 6
            next_call_works(root, "next")
            shutil.rmtree(root)
        assert step > 20


def test_eight_processes_build_once(tmp_path: Path) -> None:
    processes = [start("build_once", tmp_path, "1") for _ in range(8)]
    said = [hear(process) for process in processes]
    assert sorted(said) == ["builds"] + ["waits"] * 7
    say(processes[said.index("builds")])
    taken = [process.communicate()[0].split() for process in processes]
    assert len({name for _, _, name in taken}) == 1
    assert [words[:2] for words in taken] == [["1", "True"]] * 8


def test_a_reader_in_another_process_keeps_its_files(tmp_path: Path) -> None:
    old = build(str(tmp_path), "1")
    old.close()
    reader = start("hold", tmp_path)
    assert hear(reader) == "1"
    build(str(tmp_path), "2").close()
    Store(tmp_path).sweep(KEY)
    say(reader)
    assert hear(reader) == "True"
    kill(reader)
    Store(tmp_path).sweep(KEY)
    assert not old.folder.exists()


def test_readers_find_a_whole_version_at_every_moment_of_switching(tmp_path: Path) -> None:
    build(str(tmp_path), "first").close()
    reader = start("read_on_and_on", tmp_path)
    assert hear(reader) == "ready"
    for number in range(60):
        build(str(tmp_path), str(number)).close()
    say(reader)
    good, bad = map(int, hear(reader).split())
    reader.communicate()
    assert good > 0 and bad == 0


def test_a_version_that_is_replaced_while_it_is_taken(tmp_path: Path) -> None:
    """The switch comes before one step of taking it after the other, until there are no more."""
    taken: list[str] = []
    while not taken or taken[-1].endswith(" switched"):
        taken.append(run("switch_at", tmp_path / str(len(taken)), len(taken) + 1).stdout.strip())
    assert taken[-1] == "old"
    assert len(taken) > 3 and set(taken[:-1]) == {"new switched"}


def test_a_child_that_outlives_its_builder_keeps_no_one_from_building(tmp_path: Path) -> None:
    builder = start("leave_a_child", tmp_path)
    orphan = int(hear(builder))
    try:
        builder.kill()  # not communicate(): the orphan holds the pipe
        builder.wait()
        assert run("try_to_build", tmp_path, "1").stdout == "1\n"
    finally:
        os.kill(orphan, signal.SIGKILL)
        builder.communicate()
    next_call_works(tmp_path, "next")
