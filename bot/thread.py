"""A thread from a file: what was said before the question."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.errors import UsageError
from engine.types import ChatThread, Turn

_LARGEST = 10_000_000  # bytes: what has no end, such as a device, is not read for ever
_WHO = ("asker", "bot", "other")


def thread_from_file(path: Path) -> ChatThread:
    """The thread of a JSON file, a list of {"who", "text"}, oldest first; raises UsageError where it is something else."""
    try:
        with path.open("rb") as file:
            turns = json.loads(file.read(_LARGEST).decode("utf-8-sig"))
    except FileNotFoundError:
        raise UsageError(f'There is no thread file "{path}".') from None
    except (OSError, ValueError, RecursionError):
        raise UsageError(f'The thread file "{path}" is not JSON; it must be a list of {{"who": "asker", "text": "..."}}.') from None
    return ChatThread(turns=turns_of(turns, str(path)))


def turns_of(turns: Any, where: str) -> tuple[Turn, ...]:
    """The turns of a parsed JSON list; raises UsageError, which names `where` and the turn that is wrong (the first is 1)."""
    if not isinstance(turns, list):
        raise UsageError(f'The thread in "{where}" must be a list of {{"who": "asker", "text": "..."}}.')
    for at, turn in enumerate(turns, start=1):
        right = isinstance(turn, dict) and turn.keys() == {"who", "text"} and turn["who"] in _WHO and isinstance(turn["text"], str)
        if not right:
            raise UsageError(f'Turn {at} of the thread in "{where}" must have "who" ({", ".join(_WHO)}) and "text", and nothing else.')
    return tuple(Turn(who=turn["who"], text=turn["text"]) for turn in turns)
