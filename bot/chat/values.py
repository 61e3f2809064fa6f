"""The values of buttons: which reply, what to do with it, and a signature that nobody else can make."""

from __future__ import annotations

import hmac
import re
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

_SIGNED: Final = re.compile(r"([a-z]{2,8})\.([0-9a-f]{12})\.([0-9a-z-]{0,16})\.([A-Za-z0-9_-]{22})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Command:
    """What a button asks for: an action on a reply, with numbers or a word ("2", "0-1-2", "csv")."""

    action: str
    reply: str
    argument: str = ""

    @property
    def numbers(self) -> tuple[int, ...]:
        """The argument as numbers; empty where it is none."""
        parts = self.argument.split("-")
        return tuple(map(int, parts)) if all(part.isdecimal() and len(part) < 8 for part in parts) else ()


def signed(command: Command, secret: str) -> str:
    """The command as a value for a platform, at most 63 characters of letters, digits, dots and dashes.

    >>> signed(Command("page", "0123456789ab", "2"), "s")
    'page.0123456789ab.2.IhoJgjJGtIB5M-MX9AIMhQ'
    """
    text = f"{command.action}.{command.reply}.{command.argument}"
    return f"{text}.{_signature(text, secret)}"


def read_value(value: str, secret: str) -> Command | None:
    """The command of a value, None where it was not signed with this secret."""
    found = _SIGNED.fullmatch(value)
    if not found:
        return None
    action, reply, argument, signature = found.groups()
    if not hmac.compare_digest(signature, _signature(f"{action}.{reply}.{argument}", secret)):
        return None
    return Command(action, reply, argument)


def _signature(text: str, secret: str) -> str:
    return urlsafe_b64encode(hmac.digest(secret.encode(), f"almanac button {text}".encode(), sha256)[:16]).decode().rstrip("=")
