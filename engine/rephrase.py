"""From a thread to one self-contained question."""

from __future__ import annotations

from collections.abc import Sequence

from engine.embed import Embedder
from engine.language import language_of
from engine.table import OpenTable
from engine.types import ChatThread, Question


def rephrase(text: str, thread: ChatThread, tables: Sequence[OpenTable], embedder: Embedder) -> Question:
    """The question as it stands alone."""
    return Question(text=text, language=language_of(text).code)
