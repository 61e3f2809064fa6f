"""Whether a file is the one that was read before, without reading it."""

from __future__ import annotations

import os
import time
from pathlib import Path

_SECOND = 1_000_000_000
_TICK = 100_000_000  # nanoseconds: the clock of local file systems steps by 10 ms at most
_COARSE_TICK = 2 * _SECOND  # some file systems count whole seconds, or pairs of them


def stamp(path: Path, *, written: bool = False) -> str | None:
    """What changes whenever the file is written, replaced or moved; None where only reading tells. OSError where it cannot be seen.

    Take it before reading: the same stamp later means the same bytes. It stands on the time of the last change that the system
    keeps (which, unlike the time of modification, no program can set back). A file that changed within the last tick of that
    clock may change once more under the same time, so the tick is waited for: 0.1 s, or 2 s where whole seconds are counted.
    written: by the time of modification alone, for a file whose owner or mode its readers set, as those of SQLite's logs do.
    """
    seen = path.stat()
    changed = seen.st_mtime_ns if written else seen.st_ctime_ns
    age = time.time_ns() - changed
    tick = _TICK if changed % _SECOND else _COARSE_TICK
    if age < 0:
        return None  # a server whose clock is ahead of ours
    if age < tick:
        time.sleep((tick - age) / _SECOND)
        before, seen = seen, path.stat()
        if _text(before, written) != _text(seen, written):
            return None  # it is being written at this moment
    return _text(seen, written)


def _text(seen: os.stat_result, written: bool) -> str:
    text = f"{seen.st_dev}:{seen.st_ino}:{seen.st_size}:{seen.st_mtime_ns}"
    return text if written else f"{text}:{seen.st_ctime_ns}"
