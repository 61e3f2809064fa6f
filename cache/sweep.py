"""Removes what no manifest names and nobody holds, of one key or of all; and whole keys, when they may go.

Whoever removes holds the key's `build.lock`, and then claims `held` of what is to go.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from cache.folders import remove, unique_name
from cache.held import HELD
from cache.locks import claim
from cache.manifest import AGREED, FILE, NOTE, named_folder

log = logging.getLogger(__name__)

BUILD_LOCK: Final = "build.lock"
SWEPT: Final = ".swept"  # in the root; changed when all keys are looked at
GONE: Final = ".gone"  # how a key's folder on its way out begins; no key's own does
EVERY: Final = 3600.0  # seconds
BUDGET: Final = 1.0  # seconds


def homes(root: Path) -> Iterator[Path]:
    """The folder of each key."""
    with suppress(OSError):
        yield from sorted(path for path in root.iterdir() if not path.name.startswith(".") and (path / BUILD_LOCK).is_file())


def leftovers(home: Path) -> list[Path]:
    """What lies in a key's folder and is not in service; OSError where that cannot be seen."""
    keep = {BUILD_LOCK, FILE, NOTE, AGREED, named_folder(home)}
    return [path for path in home.iterdir() if path.name not in keep]


def sweep_all(root: Path, keep: Collection[str], age: float, *, every: float = EVERY, seconds: float = BUDGET) -> int:
    """Sweep each key, and remove those whose folders' names are not in `keep` and that were not used for `age` seconds; how many went.

    Looks once in `every` seconds over all processes, and stops after `seconds`: the order is by chance, so that each has its turn.
    What is held, being built or on a read-only disk stays.
    """
    if not _is_turn(root, every):
        return 0
    end = time.monotonic() + seconds
    for path in root.glob(f"{GONE}-*"):
        remove(path)  # of a process that died while it removed
    found = list(homes(root))
    random.shuffle(found)
    gone = 0
    for home in found:
        if time.monotonic() > end:
            break
        if home.name not in keep and time.time() - used_at(home) > age:
            gone += retire(home)
        else:
            sweep(home)
    return gone


def sweep(home: Path) -> None:
    """Remove what no manifest names and no one holds; does nothing while someone builds."""
    with _no_builder(home) as alone:
        if alone:
            sweep_locked(home)


def retire(home: Path) -> bool:
    """Remove a key with all that was built of it; False, and nothing is removed that was in service, where it is held or being built."""
    with _no_builder(home) as alone:
        if not alone:
            return False
        sweep_locked(home)
        named = named_folder(home)
        try:
            if leftovers(home):
                return False
            # Claimed while the manifest still names it: a reader who is there keeps it, and one who comes now builds anew.
            lock = claim(home / named / HELD) if named else None
            if named and lock is None:
                return False
        except FileNotFoundError:
            lock = None  # damaged: nobody can hold it
        except OSError:
            return False
        try:
            gone = home.rename(home.with_name(unique_name(GONE)))
        except OSError as error:
            log.warning("Could not remove %s (%s).", home, type(error).__name__)
            return False
        finally:
            if lock is not None:
                lock.close()  # by its new name nobody looks for it
        remove(gone)
        return True


def used_at(home: Path) -> float:
    """When a key was last opened, built or tried to be built, as seconds since 1970; it may be up to an hour later in truth."""
    seen = 0.0
    for path in (home, home / BUILD_LOCK, home / (named_folder(home) or BUILD_LOCK) / HELD):
        with suppress(OSError):
            seen = max(seen, path.stat().st_mtime)
    return seen


def sweep_locked(home: Path) -> None:
    """Remove what the manifest does not name and no one holds; whoever calls this holds the build lock."""
    try:
        found = leftovers(home)
    except OSError as error:
        log.warning("Could not look for leftovers in %s (%s).", home, type(error).__name__)
        return
    for path in found:
        try:
            lock = claim(path / HELD)
        except OSError:
            lock = None  # no file to hold it by: a build that died, or a removal that did
        else:
            if lock is None:
                continue
        gone = path
        try:
            # The name goes first: whoever read an older manifest must find a whole version or none, even if this process dies.
            gone = path.rename(home / unique_name("gone"))
        except OSError as error:
            log.warning("Could not remove %s (%s).", path, type(error).__name__)
        remove(gone)
        if lock is not None:
            lock.close()


@contextmanager
def _no_builder(home: Path) -> Iterator[bool]:
    """Keeps builders out; False where one is at work, or nothing may be locked."""
    try:
        lock = claim(home / BUILD_LOCK)
    except OSError:
        lock = None
    if lock is None:
        yield False
        return
    with closing(lock):
        # A folder that was removed meanwhile, and made anew by a builder, is not kept by this lock.
        yield lock.is_on(home / BUILD_LOCK)


def _is_turn(root: Path, every: float) -> bool:
    mark = root / SWEPT
    try:
        if time.time() - mark.stat().st_mtime < every:
            return False
    except FileNotFoundError:
        pass
    except OSError:
        return False
    try:
        mark.touch(mode=0o600)
    except OSError:
        return False  # no folder, or one that cannot be written
    return True
