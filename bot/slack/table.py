"""The rows of one page as a table block and as lines of text, each cell cut no more than Slack's limits ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from bot.receipt import Words, shown_value
from bot.slack.escape import literal
from engine.types import NUMERIC_TYPES, ResultColumn, ResultTable, Value

MOST_COLUMNS: Final = 20
MOST_ROWS: Final = 99  # and the header
LONGEST_CELL: Final = 1500
_DIVIDER: Final = " | "
_ROLES: Final = {"answer": 0, "key": 1, "condition": 2}
Block = dict[str, Any]


def shown_columns(result: ResultTable) -> list[int]:
    """The numbers of the columns that there is room for, in their order: what was asked goes before keys and conditions."""
    columns = range(len(result.columns))
    chosen = sorted(columns, key=lambda number: (_ROLES[result.columns[number].role], number))[:MOST_COLUMNS]
    return sorted(chosen)


def cells_of(result: ResultTable, rows: Sequence[Sequence[Value]], words: Words, most: int) -> list[list[str]]:
    """Header and rows as texts, in all at most so many characters: the longest cells are cut, as little as will do."""
    numbers = shown_columns(result)
    cells = [[literal(result.columns[number].name) for number in numbers]]
    cells += [[literal(shown_value(row[number], words)) for number in numbers] for row in rows[:MOST_ROWS]]
    low, high = 1, LONGEST_CELL
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(len(cell), middle) or 1 for row in cells for cell in row) <= most:
            low = middle
        else:
            high = middle - 1
    return [[cut(cell, low) for cell in row] for row in cells]


def table_block(result: ResultTable, cells: Sequence[Sequence[str]]) -> Block:
    """A table block; figures stand to the right."""
    columns = [result.columns[number] for number in shown_columns(result)]
    rows = [[{"type": "raw_text", "text": cell or " "} for cell in row] for row in cells]
    return {"type": "table", "rows": rows, "column_settings": [_setting(column) for column in columns]}


def table_lines(cells: Sequence[Sequence[str]]) -> list[str]:
    """The same as lines of text, a row each."""
    return [_DIVIDER.join(" ".join(cell.split()) for cell in row) for row in cells]


def cut(text: str, most: int) -> str:
    """The text, or its beginning with a sign that there is more."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _setting(column: ResultColumn) -> Block:
    return {"align": "right" if column.type in NUMERIC_TYPES else "left", "is_wrapped": column.type not in NUMERIC_TYPES}
