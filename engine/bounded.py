"""Bounds what is read of a response: its bytes, and the seconds of all of it, which a timeout counts anew for each part."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

import httpx2

MOST_BYTES: Final = 2_000_000


def begin(request: httpx2.Request) -> None:
    """Hook of a client: the time of a request runs from here."""
    request.extensions["began"] = time.monotonic()


def bounded(response: httpx2.Response) -> None:
    """Hook of a client: its body raises ReadTimeout where it comes too slowly, and ReadError where it is too long."""
    seconds = response.request.extensions["timeout"]["read"]
    assert isinstance(response.stream, httpx2.SyncByteStream)
    response.stream = _Body(response.stream, response.request.extensions["began"] + seconds)


class _Body(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream, until: float) -> None:
        self._stream = stream
        self._until = until

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for part in self._stream:
            size += len(part)
            if time.monotonic() > self._until:
                raise httpx2.ReadTimeout("the body came too slowly")
            if size > MOST_BYTES:
                raise httpx2.ReadError("the body is too long")
            yield part

    def close(self) -> None:
        self._stream.close()
