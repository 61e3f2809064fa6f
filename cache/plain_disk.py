"""What diskcache writes and reads for us: JSON, and never a pickle, whatever a file that someone else wrote says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from diskcache import Cache, JSONDisk  # type: ignore[import-untyped, unused-ignore]
from diskcache.core import MODE_PICKLE  # type: ignore[import-untyped, unused-ignore]


class PlainDisk(JSONDisk):  # type: ignore[misc]
    """JSON in, JSON out: diskcache's own JSONDisk would still unpickle a row that is marked as a pickle."""

    def get(self, key: Any, raw: bool) -> Any:
        """The key of a row; ours are never pickles."""
        if not raw:
            raise ValueError("the key is a pickle")
        return super().get(key, raw)

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any:
        """The value of a row; ours are never pickles."""
        if mode == MODE_PICKLE:
            raise ValueError("the value is a pickle")
        return super().fetch(mode, filename, value, read)


def open_cache(folder: Path, limit: int, patience: float) -> Any:
    """A diskcache of plain JSON; limit in bytes, patience in seconds for another process that writes."""
    path = str(folder)
    if os.path.expandvars(path) != path:
        raise ValueError("diskcache would take a part of this path for a variable")
    # Without memory mapping: a mapped file that another truncates ends the process that reads it.
    return Cache(path, timeout=patience, disk=PlainDisk, size_limit=limit, eviction_policy="least-recently-stored", sqlite_mmap_size=0)
