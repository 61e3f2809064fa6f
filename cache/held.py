"""Holding a version: a shared lock on the file `held` in its folder, which whoever removes the folder must first claim."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from cache.locks import Lock, share
from cache.manifest import DamageError, Manifest, read_note
from cache.types import JSON

HELD = "held"
_TOUCHED_EVERY = 3600.0  # seconds


class Held:
    """A version that stays where it is until close(), whatever is built meanwhile; its files are read, never changed."""

    def __init__(self, folder: Path, manifest: Manifest, lock: Lock) -> None:
        self.folder = folder
        self.version = manifest.version
        self.facts = manifest.facts
        self.built_at = manifest.built_at  # ISO 8601, UTC
        self._lock = lock

    def note(self) -> dict[str, JSON] | None:
        """What is noted of this version since it was built, at this moment; None where nothing is."""
        return read_note(self.folder.parent, self.folder.name)

    def close(self) -> None:
        """Let the version go; closing twice is allowed."""
        self._lock.close()

    def __enter__(self) -> Held:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def hold(home: Path, manifest: Manifest, *, used: bool = True) -> Held | None:
    """Hold what a manifest names; None where it is not there (any more), DamageError where it is not what was built.

    used: whether this is a use, for which the version is kept longer.
    """
    folder = home / manifest.folder
    try:
        lock = share(folder / HELD)
    except FileNotFoundError:
        return None
    # Locked by a sweeper, or swept between opening and locking: then it is no longer the file at this path.
    if lock is None or not lock.is_on(folder / HELD):
        return None
    for name, size in manifest.files.items():
        path = folder / name
        try:
            whole = path.stat().st_size == size
        except OSError:
            whole = False
        if not whole:
            lock.close()
            raise DamageError(f"the file {name} of its version is missing or was changed")
    if used:
        _tell_use(folder / HELD)
    return Held(folder, manifest, lock)


def _tell_use(path: Path) -> None:
    """Have the file's time say that its version is used, to the hour; a disk that takes no writing keeps what it has."""
    with suppress(OSError):
        if abs(time.time() - path.stat().st_mtime) > _TOUCHED_EVERY:
            os.utime(path)
