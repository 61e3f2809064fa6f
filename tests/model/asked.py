"""One request to a stand-in for a model's endpoint: what a model reads of it, and how much of that it has read before."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from tests.model.replies import written

TOKEN: Final = 4  # bytes


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: where it went, its headers (names in small letters) and body, and its tokens, of which `cached` began an earlier prompt too."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    tokens: int = 0
    cached: int = 0

    @property
    def prompt(self) -> str:
        """All that a model reads of it, in the order in which a provider's cache does: the form, the tools, the messages."""
        return prompt_of(self.body)

    @property
    def messages(self) -> list[dict[str, Any]]:
        given: list[dict[str, Any]] = self.body["messages"]
        return given

    @property
    def question(self) -> str:
        """The last message of the user."""
        return next((str(message["content"]) for message in reversed(self.messages) if message["role"] == "user"), "")

    @property
    def schema(self) -> dict[str, Any]:
        """The form that is asked for."""
        asked_for: dict[str, Any] = self.body["response_format"]["json_schema"]["schema"]
        return asked_for


def in_common(one: bytes, other: bytes) -> int:
    """The bytes at the beginning that are the same."""
    return next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def prompt_of(body: dict[str, Any]) -> str:
    parts = [written(body[key]) for key in ("response_format", "tools") if body.get(key)]
    for message in body["messages"]:
        parts.append(f"{message['role']}: {message.get('content') or ''}")
        parts += [f"{call['function']['name']} {call['function']['arguments']}" for call in message.get("tool_calls") or ()]
    return "\n".join(parts)


def bare(text: str) -> str:
    """A text without what JSON adds to it: \\u0041 is A, \\n a blank, and no backslash is left."""
    text = re.sub(r"\\+u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return " ".join(re.sub(r"\\+[nrt]", " ", text).replace("\\", "").split()).casefold()
