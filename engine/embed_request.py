"""One request for embeddings, with what may go wrong on the way: limits of time and size, retries where they help, one sentence where they do not."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import urlsplit

import requests

from engine.errors import EmbeddingError
from engine.settings import printable

TRIES: Final = 5
AGAIN: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
TOO_LARGE: Final = frozenset({413, 422})  # some take fewer texts at once
LARGEST: Final = 64 * 2**20  # bytes of a reply: 256 texts of 4,096 numbers are a third of it


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where embeddings are asked for; the key is in no representation, and is sent to this address alone.

    connect, reply: seconds that a connection and a whole reply may take. patience: seconds after which it is not tried again.
    """

    address: str
    key: str = field(repr=False)
    model: str
    connect: float = 5.0
    reply: float = 30.0
    patience: float = 90.0
    pause: Callable[[float], None] = field(default=time.sleep, repr=False)

    @property
    def host(self) -> str:
        """What messages call the endpoint."""
        return printable(urlsplit(self.address).netloc)

    def ask(self, texts: tuple[str, ...], patience: float | None = None) -> list[list[float]]:
        """For each text its numbers, all as many; patience: another than the endpoint's. Raises EmbeddingError."""
        patience = self.patience if patience is None else patience
        began = time.monotonic()
        for tried in range(1, TRIES + 1):
            status, body, wait = self._send(texts, min(self.reply, patience))
            if status == 200:
                return self._read(body, len(texts))
            if status in TOO_LARGE and len(texts) > 1:
                half = len(texts) // 2
                return self.ask(texts[:half], patience) + self.ask(texts[half:], patience)
            if status and status not in AGAIN:
                raise self._refused(status)
            wait = 0.5 * 2 ** (tried - 1) if wait is None else wait
            if tried == TRIES or time.monotonic() - began + wait > patience:
                break
            self.pause(wait)
        raise self._refused(status)

    def _send(self, texts: tuple[str, ...], limit: float) -> tuple[int, bytes, float | None]:
        """The status, 0 where there was none; the body; the seconds to wait before the next try, where the endpoint says them."""
        asked = {"model": self.model, "input": list(texts), "encoding_format": "float"}
        until = time.monotonic() + limit
        try:
            with requests.post(
                f"{self.address}/embeddings",
                json=asked,
                auth=self._signed,
                timeout=(min(self.connect, limit), limit),
                allow_redirects=False,  # the key is for this address
                stream=True,
            ) as response:
                body = bytearray()
                for chunk in response.iter_content(2**16):
                    body += chunk
                    if len(body) > LARGEST or time.monotonic() > until:
                        return 0, b"", None
                return response.status_code, bytes(body), _seconds(response.headers.get("Retry-After", ""))
        except (requests.RequestException, OSError):  # refused, unknown, cut off, too slow
            return 0, b"", None

    def _signed(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """Signs the request; as an `auth`, so that no password of a .netrc takes its place."""
        if self.key:
            request.headers["Authorization"] = f"Bearer {self.key}"
        return request

    def _read(self, body: bytes, count: int) -> list[list[float]]:
        try:
            read: Any = json.loads(body)
        except (ValueError, RecursionError):
            raise self._wrong() from None
        data = read.get("data") if isinstance(read, dict) else None
        if not isinstance(data, list) or len(data) != count:
            raise self._wrong()
        found: dict[int, list[float]] = {}
        for one in data:
            numbers = one.get("embedding") if isinstance(one, dict) else None
            place = one.get("index") if isinstance(one, dict) else None
            if not isinstance(numbers, list) or not numbers or not isinstance(place, int) or not all(map(_is_number, numbers)):
                raise self._wrong()
            found[place] = numbers
        if set(found) != set(range(count)) or len({len(numbers) for numbers in found.values()}) != 1:
            raise self._wrong()
        return [found[place] for place in range(count)]

    def _wrong(self) -> EmbeddingError:
        return EmbeddingError(
            f"What answers at {self.host} is no embedding endpoint as OpenAI's is, or a broken one; check OPENAI_BASE_URL, which ends in /v1 for most."
        )

    def _refused(self, status: int) -> EmbeddingError:
        model = f'"{printable(self.model)}"'
        if status in (401, 403):
            said = f"The embedding endpoint at {self.host} refuses the key; set OPENAI_API_KEY to one that may use the model {model}."
        elif status == 404:
            said = (
                f"There is no model {model}, or no embedding endpoint, at {self.host}; check ALMANAC_EMBEDDING_MODEL and OPENAI_BASE_URL."
            )
        elif status == 429:
            said = (
                f"The embedding endpoint at {self.host} takes no more for now (429); try again later, or have its limit or credit raised."
            )
        elif status >= 500:
            said = f"The embedding endpoint at {self.host} failed ({status}) each time it was asked; try again later."
        elif 300 <= status < 400:
            said = (
                f"The embedding endpoint at {self.host} sends to another address ({status}); set OPENAI_BASE_URL to the one that answers."
            )
        elif status:
            said = f"The embedding endpoint at {self.host} refused the request ({status}); check that {model} is a model for embeddings."
        else:
            said = f"The embedding endpoint at {self.host} could not be reached or did not answer in time; check OPENAI_BASE_URL, or try again later."
        return EmbeddingError(said)


def _is_number(value: object) -> bool:
    """Whether a value of JSON is a number that a 32-bit float can hold."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e30


def _seconds(said: str) -> float | None:
    """What Retry-After says, in seconds or as a date; None where it says nothing that can be read."""
    try:
        return max(0.0, float(said)) if math.isfinite(float(said)) else None
    except ValueError:
        pass
    try:
        then = parsedate_to_datetime(said)
    except ValueError:
        return None
    return max(0.0, ((then if then.tzinfo else then.replace(tzinfo=UTC)) - datetime.now(UTC)).total_seconds())
