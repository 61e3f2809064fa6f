"""The endpoint that OPENAI_BASE_URL and OPENAI_API_KEY name, for whatever is asked there, and whether a catalog allows an address."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from engine.errors import UsageError
from engine.settings import printable, setting

OPENAI: Final = "https://api.openai.com/v1"


def endpoint_setting() -> tuple[str, str]:
    """Address, OpenAI's own where none is set, and key, which may be empty; raises UsageError where one cannot be right."""
    address, key = setting("OPENAI_BASE_URL").rstrip("/") or OPENAI, setting("OPENAI_API_KEY")
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise UsageError("OPENAI_API_KEY holds what no key holds, such as a blank or a letter that is not ASCII; set it to the key alone.")
    try:
        parts = urlsplit(address)
        right = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        right = False
    if not right:
        raise UsageError(
            f'OPENAI_BASE_URL is "{printable(address.rpartition("@")[2].partition("?")[0])}"; it has to be an address such as {OPENAI}.'
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageError(
            "OPENAI_BASE_URL holds more than an address; a key belongs into OPENAI_API_KEY, and what follows ? or # has no place."
        )
    return address, key


def check_allowed(address: str, endpoints: Sequence[str] | None) -> None:
    """Raises UsageError where an address is not among the only ones that may be sent anything; None allows all."""
    if endpoints is not None and address not in [one.rstrip("/") for one in endpoints]:
        allowed = ", ".join(f'"{printable(one)}"' for one in endpoints) or "none"
        raise UsageError(f'The endpoint "{printable(address)}" is not among those that the catalog\'s access.endpoints allows: {allowed}.')
