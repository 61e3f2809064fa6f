"""Folders that cannot be written, and disks that are full: a sentence, the old version in service, and nothing half done."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from cache.errors import StoreError
from cache.folders import safe_name
from cache.versions import Store
from tests.cache.builder import KEY, build, is_whole
from tests.cache.processes import PATIENCE, ROOT, command, environment

# A file system of its own, seen by one command alone, needs the right to make name spaces: Linux gives it to most users.
_ALONE = ["unshare", "--map-root-user", "--mount"]


def _can_mount() -> bool:
    if not sys.platform.startswith("linux") or shutil.which("unshare") is None:
        return False
    return subprocess.run([*_ALONE, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, check=False).returncode == 0


needs_mount = pytest.mark.skipif(not _can_mount(), reason="a small file system cannot be mounted here")


def shell(script: str, folder: Path, **variables: object) -> list[str]:
    """The lines that a shell script prints, in which tmpfs may be mounted on folder ($ROOT)."""
    folder.mkdir(exist_ok=True)
    variables_given = {name: str(value) for name, value in variables.items()}
    done = subprocess.run(
        [*_ALONE, "sh", "-ec", script],
        env={**environment(), "ROOT": str(folder), "BUILDER": " ".join(command("")).strip(), **variables_given},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@needs_mount
@pytest.mark.parametrize("how", ["file", "sqlite", "lancedb"])
def test_a_full_disk_is_said_and_leaves_the_old_version(tmp_path: Path, how: str) -> None:
    """LanceDB and SQLite have errors of their own for it, and a plain file has the system's."""
    root = tmp_path / "data"
    said = shell(
        """
        mount -t tmpfs -o size=1m tmpfs $ROOT
        $BUILDER try_to_build $ROOT 1
        $BUILDER build_odd $ROOT $HOW
        ls $ROOT/* | sed 's/-.*//'
        $BUILDER try_to_build $ROOT 1
        du -k $ROOT/*/version-*/rows.sqlite | wc -l
        """,
        root,
        HOW=how,
    )
    full = f"There is no space left for built tables in {root}: free some, or set ALMANAC_DATA to another folder."
    assert said == ["1", full, "build.lock", "manifest.json", "version", "1", "1"]


@needs_mount
def test_a_disk_that_fills_at_every_size_leaves_a_whole_version(tmp_path: Path) -> None:
    """Wherever the space ends (in a file, a folder, the manifest), the version in service is whole and the next build works."""
    root = tmp_path / "data"
    said = shell(
        """
        mount -t tmpfs -o size=1m tmpfs $ROOT
        $BUILDER try_to_build $ROOT 1
        for left in 0 4 8 12 16 20 24 28 32 40 48; do
            head -c $(( $(df --output=avail -k $ROOT | tail -1) * 1024 - left * 1024 )) /dev/zero > $ROOT/full || true
            $BUILDER try_to_build $ROOT left-$left
            rm $ROOT/full
            $BUILDER check $ROOT
            ls $ROOT/* | wc -l
        done
        """,
        root,
    )
    tries = [said[at : at + 3] for at in range(1, len(said), 3)]
    assert len(tries) == 11
    failed = [text for text, _, _ in tries if text.startswith("StoreError: There is no space left")]
    assert failed and all(text in failed or text.startswith("left-") for text, _, _ in tries)
    assert [rest for _, *rest in tries] == [["True", "3"]] * 11


@needs_mount
def test_a_disk_that_became_read_only_is_read_and_not_written(tmp_path: Path) -> None:
    root = tmp_path / "data"
    said = shell(
        """
        mount -t tmpfs -o size=1m tmpfs $ROOT
        $BUILDER try_to_build $ROOT 1
        mount -o remount,ro $ROOT
        $BUILDER check $ROOT
        $BUILDER try_to_build $ROOT 2
        $BUILDER try_to_build $ROOT/new 2
        """,
        root,
    )
    refused = f"StoreError: Built tables cannot be written in {root}%s: make it writable, or set ALMANAC_DATA to another folder."
    assert said == ["1", "True", refused % "", refused % "/new"]


@pytest.mark.parametrize("how", ["file", "sqlite", "lancedb"])
def test_a_file_that_may_not_grow_is_said_and_leaves_the_old_version(tmp_path: Path, how: str) -> None:
    build(str(tmp_path), "1").close()
    said = subprocess.run(
        ["sh", "-c", 'ulimit -f 1000; exec "$@"', "sh", *command("build_odd", tmp_path, how)],
        env=environment(),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    ).stdout
    assert said.endswith("or set ALMANAC_DATA to another folder.\n") and str(tmp_path) in said
    held = Store(tmp_path).current(KEY)
    assert held is not None and is_whole(held)
    assert sorted(path.name.split("-")[0] for path in held.folder.parent.iterdir()) == ["build.lock", "manifest.json", "version"]


@pytest.mark.parametrize("below", [False, True])
def test_a_file_where_the_folder_should_be_is_said(tmp_path: Path, below: bool) -> None:
    in_the_way = tmp_path / "data"
    in_the_way.write_text("mine")
    root = in_the_way / "almanac" if below else in_the_way
    assert Store(root).current(KEY) is None
    with pytest.raises(StoreError) as raised:
        build(str(root), "1")
    assert str(raised.value) == (
        f"Built tables cannot be kept in {root} because it is not a folder: move what is there, or set ALMANAC_DATA to another folder."
    )
    assert in_the_way.read_text() == "mine"


def test_a_file_where_the_folder_of_a_key_should_be_is_said(tmp_path: Path) -> None:
    (tmp_path / safe_name(KEY)).write_text("mine")
    with pytest.raises(StoreError, match="because it is not a folder"):
        build(str(tmp_path), "1")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no /proc here")
def test_a_place_where_no_folder_can_be_made_is_said() -> None:
    with pytest.raises(StoreError, match=r"^[^:]* /proc/almanac[^:]*: [^:]*\.$"):
        build("/proc/almanac", "1")


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind root")
def test_a_folder_without_permission_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match="make it writable"):
        build(str(tmp_path), "1")


def test_too_many_open_files_are_said_and_leave_nothing(tmp_path: Path) -> None:
    said = subprocess.run(
        ["sh", "-c", 'ulimit -n 40; exec "$@"', "sh", *command("hold_many", tmp_path)],
        env=environment(),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    ).stdout
    assert said == f"Too many files are open to keep built tables in {tmp_path}: raise the limit of open files.\nTrue\n"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="only Linux has a folder that takes no other")
def test_where_no_folder_can_be_made() -> None:
    with pytest.raises(StoreError, match=r"cannot be kept in /proc/nope because no folder can be made there"):
        build("/proc/nope", "1")


def test_a_limit_of_file_sizes_is_said(tmp_path: Path) -> None:
    """SQLite reports it as it reports a disk that fails."""
    import resource
    import signal

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def make(folder: Path) -> None:
        with closing(sqlite3.connect(folder / "t.sqlite")) as base:
            base.execute("CREATE TABLE t (a)")
            base.execute("INSERT INTO t VALUES (zeroblob(100000))")
            base.commit()

    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        with pytest.raises(StoreError, match="larger than a file may be"):
            Store(tmp_path).build(KEY, "1", make, {})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
