"""Remembers what may be lost at any moment: JSON by key in diskcache, where whatever goes wrong is a miss and one log line."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from cache.counts import count
from cache.folders import digest, private, remove
from cache.namespaces import rules_of
from cache.types import JSON

log = logging.getLogger(__name__)

FORMAT = 1  # of what is stored; what another version of the project stored is a miss
PATIENCE = 1.0  # seconds to wait for another process that is writing
RETRY = 30.0  # seconds until a folder that could not be used is tried again
_DAMAGED = frozenset({11, 26})  # SQLite's result codes for a file that is malformed, and one that is no database


class Hints:
    """One namespace of hints, opened when it is first used; for any number of threads and processes.

    It has a folder of its own (mode 0700), and limit, lifetime and eviction as `cache.namespaces` has them, but for a limit in bytes
    that is given here; where it is not on, nothing is remembered. A value larger than a tenth of the limit is not kept: room for it would cost nearly all others.
    """

    def __init__(self, root: Path, namespace: str, limit: int | None = None, *, on: bool = True) -> None:
        self.folder = root.absolute() / namespace
        self.rules = rules_of(namespace) if limit is None else rules_of(namespace)._replace(limit=limit)
        self._on = on
        self._cache: Any = None
        self._file: os.stat_result | None = None
        self._closed_until = 0.0
        self._told = False

    def get(self, key: str) -> Any:
        """What was set for this key; None where nothing was, or nothing that can be used."""
        if not self._on:
            return None
        value = None
        with self._going_on("read"):
            cache = self._open()
            found = cache.get(digest(key)) if cache is not None else None
            if found is not None:
                form, value = found
                self._told = False
                value = value if form == FORMAT else None
        count(self.rules.name, "misses" if value is None else "hits")
        return value

    def set(self, key: str, value: JSON, expire: float | None = None) -> None:
        """Remember this, where it can be; expire: seconds until it is forgotten, the namespace's lifetime without it."""
        if not self._on:
            return
        with self._going_on("written"):
            if (cache := self._open()) is not None:
                cache.set(digest(key), [FORMAT, value], expire=self.rules.lifetime if expire is None else expire)
                count(self.rules.name, "writes")
                self._told = False

    def forget(self, key: str) -> None:
        """Lose what was set for this key."""
        with self._going_on("written"):
            if (cache := self._open()) is not None:
                cache.delete(digest(key))

    def close(self) -> None:
        """Close the files; the next use opens them again."""
        cache, self._cache, self._file = self._cache, None, None
        if cache is not None:
            with suppress(Exception):
                cache.close()

    def _open(self) -> Any:
        """The open cache; None while it is left alone after a failure."""
        if self._cache is not None and self._is_there():
            return self._cache
        if time.monotonic() < self._closed_until:
            return None
        self.close()
        from cache.plain_disk import open_cache  # here, as reading a version must not have to import diskcache

        private(self.folder)
        if self.folder.stat().st_mode & 0o077:
            self.folder.chmod(0o700)
        cache = open_cache(self.folder, self.rules, PATIENCE)
        self._file = (self.folder / "cache.db").stat()
        self._cache = cache
        return cache

    def _is_there(self) -> bool:
        """Whether the open file is still the one at its path: a removed one would go on taking what no one else can find."""
        try:
            return self._file is not None and os.path.samestat(self._file, (self.folder / "cache.db").stat())
        except OSError:
            return False

    @contextmanager
    def _going_on(self, what: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # noqa: BLE001  a damaged file may lead to any
            count(self.rules.name, "errors")
            if not self._told:
                log.warning("The hints in %s could not be %s (%s); going on without them.", self.folder, what, type(error).__name__)
                self._told = True
            code = getattr(error, "sqlite_errorcode", None)
            if isinstance(code, int) and code & 0xFF in _DAMAGED:
                self.close()
                remove(self.folder)  # the next use begins anew
            elif code is not None or isinstance(error, OSError):
                self.close()
                self._closed_until = time.monotonic() + RETRY
