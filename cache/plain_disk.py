"""What diskcache writes and reads for us: JSON, and never a pickle, whatever a file that someone else wrote says."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any

from diskcache import Cache, JSONDisk  # type: ignore[import-untyped, unused-ignore]
from diskcache.core import MODE_PICKLE, UNKNOWN  # type: ignore[import-untyped, unused-ignore]

from cache.namespaces import Namespace


class PlainDisk(JSONDisk):  # type: ignore[misc]
    """JSON in, JSON out: diskcache's own JSONDisk would still unpickle a row that is marked as a pickle."""

    largest = 0  # bytes of a value, compressed; 0 is any number

    def store(self, value: Any, read: bool, key: Any = UNKNOWN) -> Any:
        """What a row holds of a value; ValueError for one that is too large."""
        if self.largest and len(zlib.compress(json.dumps(value).encode(), self.compress_level)) > self.largest:
            raise ValueError("the value is too large")
        return super().store(value, read, key=key)

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


def open_cache(folder: Path, rules: Namespace, patience: float) -> Any:
    """A diskcache of plain JSON; patience in seconds for another process that writes."""
    path = str(folder)
    if os.path.expandvars(path) != path:
        raise ValueError("diskcache would take a part of this path for a variable")
    # Without memory mapping: a mapped file that another truncates ends the process that reads it.
    cache = Cache(path, timeout=patience, disk=PlainDisk, size_limit=rules.limit, eviction_policy=rules.eviction, sqlite_mmap_size=0)
    cache.disk.largest = rules.limit // 10
    return cache
