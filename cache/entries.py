"""A namespace from outside, for a person: how much is in it, what is wrong with it, and emptying it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from cache.folders import files_in, remove
from cache.namespaces import Namespace

_FILE = "cache.db"
_AT_ONCE = 1000  # rows


class Measured(NamedTuple):
    """How much a namespace holds: entries (None where its index cannot be read), and bytes of files."""

    entries: int | None
    size: int


class Checked(NamedTuple):
    """What came of reading every entry: how many were read, and a sentence for each thing that is wrong."""

    entries: int
    wrong: tuple[str, ...]


def measure(root: Path, rules: Namespace) -> Measured:
    """What lies there, without changing anything."""
    folder = root.absolute() / rules.name
    size = 0
    with suppress(OSError):
        size = sum(bytes_of for _, bytes_of in files_in(folder))
    if not (folder / _FILE).exists():
        return Measured(0, size)
    try:
        with _index(folder) as index:
            return Measured(int(index.execute("SELECT count(*) FROM Cache").fetchone()[0]), size)
    except (sqlite3.Error, OSError):
        return Measured(None, size)


def check(root: Path, rules: Namespace, *, repair: bool = False) -> Checked:
    """Read every entry; with `repair` what cannot be read is dropped, and an index that is damaged is begun anew."""
    folder = root.absolute() / rules.name
    if not (folder / _FILE).exists():
        return Checked(0, ())
    try:
        with _index(folder) as index:
            whole = index.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok"
            entries, bad = _read_all(index, folder) if whole else (0, [])
        if whole:
            if repair and bad:
                with _index(folder, write=True) as index, index:
                    index.executemany("DELETE FROM Cache WHERE rowid = ?", [(row,) for row in bad])
            told = () if not bad else (f"{len(bad):,} of {entries:,} entries cannot be read",)
            return Checked(entries, told)
    except (sqlite3.Error, OSError):
        pass
    if repair:
        remove(folder)
    return Checked(0, ("its index is damaged",))


def clear(root: Path, rules: Namespace) -> int:
    """Remove every entry, whoever uses the namespace; how many there were."""
    folder = root.absolute() / rules.name
    count = measure(root, rules).entries
    if not folder.exists():
        return 0
    if count is not None:
        try:
            from cache.plain_disk import open_cache  # diskcache, which most commands do without

            with closing(open_cache(folder, rules, 5.0)) as cache:
                cache.clear(retry=True)
            return count
        except Exception:  # noqa: BLE001  a damaged file may lead to any
            count = 0
    remove(folder)  # those who have it open notice, and begin anew
    return count or 0


def _read_all(index: sqlite3.Connection, folder: Path) -> tuple[int, list[int]]:
    """How many entries there are, and the rows of those that are not what was stored."""
    from cache.plain_disk import PlainDisk

    disk = PlainDisk(str(folder))
    entries, last, bad = 0, -1, []
    while rows := index.execute(
        "SELECT rowid, mode, filename, value FROM Cache WHERE rowid > ? ORDER BY rowid LIMIT ?", (last, _AT_ONCE)
    ).fetchall():
        for row, mode, filename, value in rows:
            entries, last = entries + 1, row
            try:
                found = disk.fetch(mode, filename, value, False)
                right = isinstance(found, list) and len(found) == 2 and type(found[0]) is int
            except Exception:  # noqa: BLE001  a damaged value may lead to any
                right = False
            # one that was evicted since is no fault
            if not right and index.execute("SELECT 1 FROM Cache WHERE rowid = ?", (row,)).fetchone():
                bad.append(row)
    return entries, bad


@contextmanager
def _index(folder: Path, *, write: bool = False) -> Iterator[sqlite3.Connection]:
    """The index of a namespace, for reading only unless said otherwise; on a disk that cannot be written as it was last left."""
    address = (folder / _FILE).as_uri()
    with closing(sqlite3.connect(f"{address}?mode={'rw' if write else 'ro'}", uri=True, timeout=5.0)) as index:
        index.execute("SELECT count(*) FROM sqlite_master").fetchone()
        yield index
