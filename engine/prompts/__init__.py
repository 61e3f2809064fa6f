"""What a language model is told, as text files; each is filled by one function."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def query_instructions() -> str:
    """How a plan for one table is written: the same text for every table and question."""
    return (Path(__file__).parent / "query.txt").read_text(encoding="utf-8").strip()
