"""What the tests run in processes of their own, `python builder.py TASK ROOT ...`; and what they build and how they check it."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from cache.errors import StoreError
from cache.versions import Held, Store

KEY = "/data/pharmacies.csv"


def fill(folder: Path, version: str) -> None:
    """A small database and a folder of parts, each of which says its version many times."""
    with closing(sqlite3.connect(folder / "rows.sqlite")) as database, database:
        database.execute("CREATE TABLE rows (version TEXT)")
        database.executemany("INSERT INTO rows VALUES (?)", [(version,)] * 500)
    (folder / "terms").mkdir()
    for part in range(3):
        (folder / "terms" / f"{part}.txt").write_text(f"{version}\n" * 500)


def is_whole(held: Held) -> bool:
    """Whether every part of a version is there and of that version."""
    with closing(sqlite3.connect(f"file:{held.folder / 'rows.sqlite'}?mode=ro&immutable=1", uri=True)) as database:
        found = database.execute("SELECT version, count(*) FROM rows GROUP BY version").fetchall()
    parts = [(held.folder / "terms" / f"{part}.txt").read_text() for part in range(3)]
    return found == [(held.version, 500)] and parts == [f"{held.version}\n" * 500] * 3 and held.facts == {"rows": held.version}


def build(root: str, version: str) -> Held:
    """Build the tests' key."""
    return Store(Path(root)).build(KEY, version, lambda folder: fill(folder, version), {"rows": version})


def build_on_and_on(root: str) -> None:
    """Build one version after another until killed."""
    for number in range(10**9):
        build(root, f"child-{os.getpid()}-{number}").close()
        if number == 0:
            print("built", flush=True)


def die_at(root: str, step: str) -> None:
    """Build, and be killed at the step-th thing asked of the system; print "survived" where there are fewer."""
    at_step(int(step), lambda: os.kill(os.getpid(), signal.SIGKILL))
    build(root, f"child-{step}").close()
    print("survived", flush=True)


def switch_at(root: str, step: str) -> None:
    """Take the version in service, which another replaces at the step-th thing asked of the system; print what was taken."""
    build(root, "old").close()
    switched: list[str] = []

    def switch() -> None:
        build(root, "new").close()
        switched.append("switched")

    at_step(int(step), switch)
    held = Store(Path(root)).current(KEY)
    at_step(0, switch)
    print(held is not None and is_whole(held) and held.version, *switched, flush=True)


_steps: list[int] = []


def at_step(step: int, act: Callable[[], None]) -> None:
    """Act once, just before the step-th thing that is asked of the system from now on; never where that is 0."""
    first = not _steps
    _steps[:] = [step]

    def count(event: str, _: object) -> None:
        if event == "open" or event.startswith(("os.", "shutil.", "fcntl.", "sqlite3.")):
            _steps[0] -= 1
            if _steps[0] == 0:
                act()

    if first:
        sys.addaudithook(count)


def build_once(root: str, version: str) -> None:
    """Print "builds", and build when a line comes in, or print "waits"; then print what was taken."""

    def make(folder: Path) -> None:
        print("builds", flush=True)
        sys.stdin.readline()
        fill(folder, version)

    store = Store(Path(root))
    with store.build(KEY, version, make, {"rows": version}, waiting=lambda: print("waits", flush=True)) as held:
        print(held.version, is_whole(held), held.folder.name, flush=True)


def build_odd(root: str, how: str) -> None:
    """Have LanceDB, SQLite or a plain file meet the end of the disk, as a build may, and print the sentence."""

    def make(folder: Path) -> None:
        if how == "lancedb":
            import lancedb
            import pyarrow

            lancedb.connect(folder).create_table("rows", pyarrow.table({"text": [os.urandom(100).hex() for _ in range(20_000)]}))
        elif how == "sqlite":
            with closing(sqlite3.connect(folder / "rows.sqlite")) as database, database:
                database.execute("CREATE TABLE rows (text TEXT)")
                database.executemany("INSERT INTO rows VALUES (?)", (("x" * 1000,) for _ in range(4000)))
        else:
            (folder / "rows.txt").write_bytes(bytes(4_000_000))

    try:
        Store(Path(root)).build(KEY, how, make, {})
        print("built", flush=True)
    except StoreError as error:
        print(error, flush=True)


def hold(root: str) -> None:
    """Hold the current version, and say whether it is whole for each line that comes in."""
    held = Store(Path(root)).current(KEY)
    assert held is not None
    print(held.version, flush=True)
    for _ in sys.stdin:
        print(is_whole(held), flush=True)


def read_on_and_on(root: str) -> None:
    """Take the current version again and again until a line comes in; print how many were whole, and how many were not there or broken."""
    good = bad = 0
    os.set_blocking(0, False)
    print("ready", flush=True)
    while not sys.stdin.readline():
        held = Store(Path(root)).current(KEY)
        if held is None:
            bad += 1
            continue
        with held:
            good, bad = (good + 1, bad) if is_whole(held) else (good, bad + 1)
    print(good, bad, flush=True)


def leave_a_child(root: str) -> None:
    """Build with a forked child that lives on, print its process id, and never end."""

    def make(folder: Path) -> None:
        if (child := os.fork()) == 0:
            time.sleep(120)
            os._exit(0)
        print(child, flush=True)
        time.sleep(120)

    Store(Path(root)).build(KEY, "orphaned", make, {})


def try_to_build(root: str, version: str) -> None:
    """Build, and print the version or the sentence that says why not."""
    try:
        print(build(root, version).version, flush=True)
    except StoreError as error:
        print(f"StoreError: {error}", flush=True)


def check(root: str) -> None:
    """Print whether the version in service is whole."""
    held = Store(Path(root)).current(KEY)
    print(held is not None and is_whole(held), flush=True)


def hold_many(root: str) -> None:
    """Hold versions of more and more keys, print the sentence that ends it, and whether all goes on once they are let go."""
    held: list[Held] = []
    try:
        for number in range(1000):
            held.append(Store(Path(root)).build(str(number), "1", lambda folder: None, {}))
    except StoreError as error:
        print(error, flush=True)
    last = str(len(held))
    held.clear()
    with Store(Path(root)).build(last, "1", lambda folder: None, {}) as again:
        print(len(list((Path(root) / again.folder.parent.name).iterdir())) == 3, flush=True)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
