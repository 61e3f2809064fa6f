"""What lies in the folder of built files, key by key, as a person wants to know it."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from cache.folders import files_in
from cache.held import HELD, Held, hold
from cache.locks import claim
from cache.manifest import AnotherVersionError, DamageError, Manifest, read_any
from cache.sweep import BUILD_LOCK, homes, leftovers

_PROCESSES = Path("/proc")


class Kept(NamedTuple):
    """A key's folder.

    manifest: what is in service; None where nothing is, or where it cannot be told, which `damage` then explains.
    foreign: whether it is another version of the project's, and so neither damaged nor ours to judge.
    size: bytes of all that lies in the folder.
    readers: how often the version in service is held, by processes of the same user; None where the system does not tell.
    leftovers: how many folders are not in service: still held, being built, or left by who died.
    """

    home: Path
    manifest: Manifest | None
    damage: str
    foreign: bool
    size: int
    readers: int | None
    leftovers: int


def all_kept(root: Path) -> list[Kept]:
    """Everything that was built below a root, by name; nothing is locked or changed."""
    found = []
    opened = _opened(root)
    for home in homes(root):
        manifest, damage, foreign = None, "", False
        try:
            manifest = read_any(home)
        except DamageError as error:
            damage, foreign = str(error), isinstance(error, AnotherVersionError)
        size = left = 0
        with suppress(OSError):  # what goes while it is counted
            left = len(leftovers(home))
            size = sum(bytes_of for _, bytes_of in files_in(home))
        readers = None if opened is None else opened[str(home / manifest.folder / HELD)] if manifest else 0
        found.append(Kept(home, manifest, damage, foreign, size, readers, left))
    return found


def hold_kept(kept: Kept) -> Held | None:
    """Hold what is in service there, so that it can be looked at; None where it went meanwhile, DamageError where it is not what was built."""
    return hold(kept.home, kept.manifest, used=False) if kept.manifest is not None else None


def is_being_built(home: Path) -> bool:
    """Whether someone builds, switches or sweeps at this moment."""
    try:
        lock = claim(home / BUILD_LOCK)
    except OSError:
        return False
    if lock is not None:
        lock.close()
    return lock is None


def _opened(root: Path) -> Counter[str] | None:
    """How often each file `held` below a root is open; None where the system has no list."""
    if not (_PROCESSES / "self" / "fd").is_dir():
        return None
    found: Counter[str] = Counter()
    for process in _PROCESSES.glob("[0-9]*/fd"):
        with suppress(OSError):  # of another user, or ended
            for file in process.iterdir():
                with suppress(OSError):
                    name = os.readlink(file)
                    if name.endswith(f"/{HELD}") and name.startswith(str(root)):
                        found[name] += 1
    return found
