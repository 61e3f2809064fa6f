"""The prompt for a plan: what is the same for all first, then what is the same for a table, then what was found, and the question last."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from cache.hints import Hints
from engine.agents.found import Found
from engine.agents.parts import ALL, Parts
from engine.errors import PlanError
from engine.history import MOST, head_of, history_of
from engine.message import Message
from engine.prompts import instructions
from engine.settings import printable
from engine.table import OpenTable


def messages_for(tables: Sequence[OpenTable], question: str, hints: Hints, found: Found | None = None, parts: Parts = ALL) -> list[Message]:
    """Instructions, the tables' histories, what was found and the question; all but the last are the same bytes for every question on these versions.

    hints: the namespace "histories". Raises PlanError for tables of which nothing may be sent to a model.
    """
    histories: list[Message] = []
    for table in tables:
        if parts.head:
            histories += head_of(table)
        elif parts.history:
            histories += history_of(table, hints, MOST // len(tables))
        else:
            histories += head_of(table, rows=0)
    if not histories:
        named = ", ".join(f'"{printable(table.name)}"' for table in tables)
        raise PlanError(f"Nothing of {named} may be sent to a model; ask in words that it holds.")
    said = (found.to_json() if found else {}) | {"question": question}
    return [Message(role="system", content=instructions("query")), *histories, Message(role="user", content=as_data(said))]


def as_data(said: Any) -> str:
    """Values as data: quoted, so that nothing in them can pass for another message."""
    return json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace").decode("utf-8")
