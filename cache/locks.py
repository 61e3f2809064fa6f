"""Locks on files that vanish with the process that holds them, however it ends: flock, on Linux and macOS.

The portable lock libraries have no shared locks of this kind or are slow to import (60 ms, for two calls of the system).
Windows has neither flock nor the renaming of folders in use that the store stands on: there, taking a lock is refused with
a sentence.
"""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable
from pathlib import Path

from cache.errors import StoreError

if sys.platform != "win32":
    import fcntl

_exclusive: weakref.WeakSet[Lock] = weakref.WeakSet()


class Lock:
    """A lock on an open file: shared among holders, or exclusive; held until close(), or until the process ends."""

    __slots__ = ("__weakref__", "_file")

    def __init__(self, file: int) -> None:
        self._file = file

    def is_on(self, path: Path) -> bool:
        """Whether the locked file is the one that now lies at path: between opening and locking, another may have removed it."""
        try:
            return os.path.samestat(os.fstat(self._file), path.stat())
        except OSError:
            return False

    def close(self) -> None:
        """Let go; closing twice is allowed."""
        file, self._file = self._file, -1
        if file >= 0:
            os.close(file)

    def __del__(self) -> None:
        self.close()


def share(path: Path) -> Lock | None:
    """A shared lock, taken at once; None while another holds it exclusively. OSError where the file is missing or may not be read."""
    # Opened for reading alone: a version on a read-only disk can be held as well.
    lock = _open(path, os.O_RDONLY)
    return lock if _take(lock, exclusive=False) else None


def claim(path: Path) -> Lock | None:
    """An exclusive lock, taken at once; None while another holds it in any way. OSError where the file is missing or may not be written."""
    lock = _open(path, os.O_RDWR)
    return lock if _take(lock, exclusive=True) else None


def wait_for(path: Path, waiting: Callable[[], None] | None = None) -> Lock:
    """An exclusive lock on a file that is made where it is missing; `waiting` is called once before waiting for another holder."""
    lock = _open(path, os.O_RDWR | os.O_CREAT)
    if not _take(lock, exclusive=True):
        if waiting is not None:
            waiting()
        _take(lock, exclusive=True, wait=True)
    return lock


def _open(path: Path, flags: int) -> Lock:
    if sys.platform == "win32":
        raise StoreError("Almanac keeps built tables on Linux and macOS only: on Windows, run it in WSL.")
    return Lock(os.open(path, flags, 0o600))


def _take(lock: Lock, *, exclusive: bool, wait: bool = False) -> bool:
    """Whether the lock was taken; one that was not is closed with its last reference."""
    how = (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | (0 if wait else fcntl.LOCK_NB)
    try:
        fcntl.flock(lock._file, how)
    except BlockingIOError:
        return False
    if exclusive:
        _exclusive.add(lock)
    return True


def _let_go_in_child() -> None:
    # A forked child shares its parent's locks; should the parent be killed, a child that lives on would keep others from building.
    # Closing the child's copy leaves the parent's lock as it is.
    for lock in list(_exclusive):
        lock.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go_in_child)
