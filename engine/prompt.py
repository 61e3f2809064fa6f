"""The prompt for a plan: what is the same for all first, then what is the same for a table, and the question last."""

from __future__ import annotations

import json

from cache.hints import Hints
from engine.errors import PlanError
from engine.history import history_of
from engine.message import Message
from engine.prompts import query_instructions
from engine.settings import printable
from engine.table import OpenTable


def messages_for(table: OpenTable, question: str, hints: Hints) -> list[Message]:
    """Instructions, the table's history, the question; all but the last are the same bytes for every question on this version.

    hints: the namespace "histories". Raises PlanError for a table of which nothing may be sent to a model.
    """
    history = history_of(table, hints)
    if not history:
        raise PlanError(f'Nothing of the table "{printable(table.name)}" may be sent to a model; ask in words that it holds.')
    return [Message(role="system", content=query_instructions()), *history, Message(role="user", content=_asked(question))]


def _asked(question: str) -> str:
    """The question as data: quoted, so that nothing in it can pass for another message."""
    return json.dumps({"question": question.encode("utf-8", "replace").decode("utf-8")}, ensure_ascii=False)
