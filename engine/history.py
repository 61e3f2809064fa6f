"""The history of a built table: the tool call that made it and what came of that, as messages to put before a question.

The bytes are the same for every question until the version or the types change, so that a model that has read them starts at the question.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from pydantic import TypeAdapter, ValidationError

from cache.hints import Hints
from engine.build.facts import ColumnFacts
from engine.message import Function, Message, ToolCall
from engine.table import OpenTable
from engine.tables import BUILD
from engine.types import Value

PROMPT: Final = "1"  # another number is another history of the same version
TOOL: Final = "create_sql_table"
MOST: Final = 3600  # bytes of what both messages say; about 900 tokens of four
_LONGEST_NAME: Final = 400  # bytes; a column of a longer name is left out
_USEFUL: Final = ("category", "name", "value", "code", "prose")  # kinds of columns, those that questions ask by first
_MESSAGES: Final = TypeAdapter(list[Message])


class _Detail(NamedTuple):
    """How much is said: columns, terms of a category, rows of the sample, letters of a term or cell, and whether counts and ranges are."""

    columns: int
    terms: int
    rows: int
    letters: int
    counts: bool = True


# From all that is worth saying down to names and types; the first that fits is said.
_DETAILS: Final = (
    *(_Detail(60, terms, rows, letters) for terms, rows, letters in ((16, 5, 60), (12, 4, 40), (10, 3, 40), (8, 3, 30), (8, 2, 30))),
    *(
        _Detail(60, terms, rows, letters)
        for terms, rows, letters in ((6, 2, 24), (5, 1, 24), (4, 1, 20), (4, 0, 20), (2, 0, 20), (0, 0, 0))
    ),
    *(_Detail(columns, terms, 0, 20, terms > 0) for columns in (60, 40, 30, 20, 12, 8, 4, 2, 1) for terms in (3, 0)),
    _Detail(1, 0, 0, 0, False),
)


def history_of(table: OpenTable, hints: Hints, most: int = MOST) -> list[Message]:
    """The messages that show this version of the table being made; none where no column of it may be sent to a model.

    hints: the namespace "histories". What it holds and cannot be used is made again. most: bytes of what both messages say.
    """
    if not table.facts.sent:
        return []
    key = _key(table, most)
    call = _call(key)

    def found() -> list[Message]:
        known = _read(hints.get(key), call)
        if known is None:
            known = _made(table, call, most)
            hints.set(key, [message.model_dump(mode="json") for message in known])
        return known

    return list(table.remembered(("history", key), found))


def head_of(table: OpenTable, rows: int = 5) -> list[Message]:
    """The names of the columns and the first rows of the source, of what may be sent, and nothing that was found out about them: to compare with."""
    shown = _chosen(table, table.facts.sent, _DETAILS[0].columns)
    if not shown:
        return []
    cells = ", ".join(f"c{column.position}" for column in shown)
    found = table.connection().execute(f"SELECT {cells} FROM rows ORDER BY row_id LIMIT ?", [rows]).fetchall()
    first = [[shown_cell(cell, 60) for cell in row] for row in found]
    call = _call(_key(table, rows))
    return _messages(table, shown, call, {"made": _plain(table.name, 100), **({"first_rows": first} if rows else {})})


def history_lines(table: OpenTable) -> list[str]:
    """The history as it is sent, one message a line in JSON, for a person who wants to see it; made now, whatever is remembered."""
    return [_json(message.wire()) for message in _made(table, _call(_key(table, MOST)), MOST)]


def _key(table: OpenTable, most: int) -> str:
    types = [[column.name, column.type, column.list_separator, column.hours, column.sent] for column in table.facts.columns]
    return json.dumps([table.version, table.name, table.part.model_dump(), types, BUILD, PROMPT, most], sort_keys=True)


def _call(key: str) -> str:
    return "call_" + blake2b(key.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _read(held: Any, call: str) -> list[Message] | None:
    """What was remembered, where it is such a history."""
    try:
        messages = _MESSAGES.validate_python(held, strict=False)
    except ValidationError:
        return None
    if len(messages) != 2 or [message.role for message in messages] != ["assistant", "tool"]:
        return None
    made, told = messages
    whole = len(made.tool_calls) == 1 and made.tool_calls[0].id == told.tool_call_id == call
    return messages if whole else None


def _made(table: OpenTable, call: str, most: int) -> list[Message]:
    sent = table.facts.sent
    if not sent:
        return []
    named = [column for column in sent if _size(_json(_plain(column.name))) <= _LONGEST_NAME]
    terms: dict[str, list[str]] = {}
    ranges: dict[str, list[Value]] = {}
    for column in _chosen(table, named, _DETAILS[0].columns):
        if column.kind == "category":
            terms[column.name] = [term.text for term in table.terms_of(column, _DETAILS[0].terms)]
        elif column.temporal:
            ranges[column.name] = _ends(table, column)
        elif column.low is not None and column.high is not None:
            ranges[column.name] = [_short(column.low), _short(column.high)]
    messages: list[Message] = []
    for detail in _DETAILS:
        shown = _chosen(table, named, detail.columns)
        result = _result(table, shown, len(sent) - len(shown), terms, ranges, detail)
        messages = _messages(table, shown, call, result)
        if sum(_size(text) for text in _said(messages)) <= most:
            break
    return messages


def _said(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        yield message.content
        yield from (call.function.arguments for call in message.tool_calls)


def _messages(table: OpenTable, shown: Sequence[ColumnFacts], call: str, result: dict[str, Any]) -> list[Message]:
    columns = [{"name": _plain(column.name), "type": column.type} for column in shown]
    made = Function(name=TOOL, arguments=_json({"table": _plain(table.name, 100), "columns": columns}))
    return [
        Message(role="assistant", content="First I make the table.", tool_calls=(ToolCall(id=call, function=made),)),
        Message(role="tool", tool_call_id=call, content=_json(result)),
    ]


def _result(
    table: OpenTable,
    shown: Sequence[ColumnFacts],
    left_out: int,
    terms: dict[str, list[str]],
    ranges: dict[str, list[Value]],
    detail: _Detail,
) -> dict[str, Any]:
    facts = table.facts
    told: dict[str, Any] = {"made": _plain(facts.name, 100), "rows": facts.rows}
    if facts.description and detail.letters:
        told["description"] = _plain(facts.description, 300)
    if left_out:
        told["more_columns"] = left_out
    columns = {_plain(column.name): _column(column, terms, ranges, detail) for column in shown}
    if detail.counts or any(columns.values()):
        told["columns"] = {name: said for name, said in columns.items() if said}
    if detail.rows and facts.sample and shown:
        told["sample"] = list(_sample(table, shown, detail))
    return told


def _column(column: ColumnFacts, terms: dict[str, list[str]], ranges: dict[str, list[Value]], detail: _Detail) -> dict[str, Any]:
    """What is said of a column: only what tells more than its type."""
    said: dict[str, Any] = {}
    if detail.counts:
        said["distinct"] = column.distinct
        if column.empty:
            said["empty"] = column.empty
        if column.name in ranges:
            said["from"], said["to"] = ranges[column.name]
    if column.list_separator is not None:
        said["list"] = column.list_separator
    if column.hours:
        said["hours"] = True
    if detail.terms and column.name in terms:
        said["terms"] = [_plain(text, detail.letters) for text in terms[column.name][: detail.terms]]
    return said


def _chosen(table: OpenTable, columns: Sequence[ColumnFacts], most: int) -> list[ColumnFacts]:
    """The most useful columns, in the order of the source."""
    keys = table.facts.keys

    def place(column: ColumnFacts) -> tuple[bool, int, int]:
        return column.name not in keys, _USEFUL.index(column.kind), column.position

    return sorted(sorted(columns, key=place)[:most], key=lambda column: column.position)


def _ends(table: OpenTable, column: ColumnFacts) -> list[Value]:
    low, high = table.connection().execute(f"SELECT min(c{column.position}), max(c{column.position}) FROM rows").fetchone()
    return [low, high]


def _sample(table: OpenTable, shown: Sequence[ColumnFacts], detail: _Detail) -> Iterator[list[Value]]:
    """Some of the rows of the card, spread over it; cells in the order of the columns that were made."""
    sample = table.facts.sample
    step = max(1, len(sample) // detail.rows)
    cells = ", ".join(f"c{column.position}" for column in shown)
    for row in sample[::step][: detail.rows]:
        for found in table.connection().execute(f"SELECT {cells} FROM rows WHERE row_id = ?", [row]):
            yield [shown_cell(cell, detail.letters) for cell in found]


def _plain(text: str, limit: int = 500) -> str:
    """The text as any endpoint takes it: of whole characters, and no longer than this."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    return text if len(text) <= limit else text[: limit - 1] + "…"


def shown_cell(cell: Any, letters: int) -> Any:
    """A cell as a model reads it: a text cut to so many letters, a number without the digits that only its storing brought."""
    return _plain(cell, letters) if isinstance(cell, str) else _short(cell)


def _short(value: Any) -> Any:
    """A number without the digits that only its storing brought; anything else as it is."""
    if not isinstance(value, float):
        return value
    return int(value) if value.is_integer() and abs(value) < 1e15 else float(f"{value:.9g}")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _size(text: str) -> int:
    return len(text.encode("utf-8"))
