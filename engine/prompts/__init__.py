"""What a language model is told, as text files: the same text for every table and question."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Literal

_FOLDER = Path(__file__).parent


@cache
def instructions(name: Literal["query", "choose", "rephrase"]) -> str:
    """What the model that makes a plan, chooses tables or makes a question whole is told first."""
    return (_FOLDER / f"{name}.txt").read_text(encoding="utf-8").strip()


@cache
def fingerprint() -> str:
    """Of all instructions: what came of others is not theirs."""
    found = blake2b(digest_size=8)
    for file in sorted(_FOLDER.glob("*.txt")):
        found.update(file.read_bytes())
    return found.hexdigest()
