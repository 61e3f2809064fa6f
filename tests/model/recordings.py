"""Replies of a real model, kept as JSON lines in the folder `recorded`, as a script.

A line: {"label": the last message of the user, "digest": of all that the model read, "model": its name, "message": {"role", "content", "tool_calls"?},
"finish_reason", "usage"?}. A request with the same digest gets that reply; where the prompt has changed since, the next that has the same label.
"""

from __future__ import annotations

import json
from collections import defaultdict
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from tests.model.asked import Asked
from tests.model.replies import Reply, Said, Script, Use, no_such, written

FOLDER: Final = Path(__file__).resolve().parent / "recorded"


def digest_of(body: dict[str, Any]) -> str:
    """Equal for requests in which a model reads the same: form, tools and messages; its name and its settings are not in it."""
    read = {key: body.get(key) for key in ("response_format", "tools", "messages")}
    return blake2b(json.dumps(read, sort_keys=True).encode(), digest_size=16).hexdigest()


def line_of(body: dict[str, Any], done: dict[str, Any], model: str = "") -> str:
    """What is kept of a request and its reply; neither the key nor the address. model: a better name than the request has for it."""
    (choice, *_) = done["choices"]
    kept = {
        "label": Asked("", {}, body).question,
        "digest": digest_of(body),
        "model": model or body.get("model", ""),
        "message": {
            key: value for key, value in choice["message"].items() if key in ("role", "content", "tool_calls", "refusal") and value
        },
        "finish_reason": choice.get("finish_reason"),
        "usage": done.get("usage"),
    }
    return written(kept) + "\n"


def said_by(line: dict[str, Any]) -> Said:
    """The reply of a line."""
    message = line["message"]
    uses = tuple(Use(call["function"]["name"], call["function"]["arguments"]) for call in message.get("tool_calls", ()))
    return Said(message.get("content"), uses, message.get("refusal"), line.get("finish_reason") or "")


def recorded(path: Path) -> Script:
    """The script of a file; a request of which it has nothing is refused."""
    by_digest: dict[str, Said] = {}
    by_label: dict[str, list[Said]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        kept = json.loads(line)
        by_digest[kept["digest"]] = said = said_by(kept)
        by_label[kept["label"]].append(said)

    def play(asked: Asked) -> Reply:
        same = by_digest.get(digest_of(asked.body))
        left = by_label[asked.question]
        if same is not None:
            if same in left:
                left.remove(same)
            return same
        return left.pop(0) if left else no_such(asked)

    return play
