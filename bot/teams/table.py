"""Rows as a card's Table: equal widths, numbers to the right, each cell in its own direction."""

from __future__ import annotations

from collections.abc import Sequence

from bot.receipt import Words, shown_value
from bot.teams.text import Element, plain, reads_right_to_left
from engine.types import NUMERIC_TYPES, ResultColumn, Value


def table(columns: Sequence[ResultColumn], rows: Sequence[Sequence[Value]], words: Words, most: int, *, right_to_left: bool) -> Element:
    """A Table whose first row is the columns' names; a cell holds at most so many characters; right_to_left is the direction of the card."""
    head = [_cell(column.name, most, right_to_left, bold=True) for column in columns]
    body = [[_cell(shown_value(value, words), most, right_to_left) for value in row[: len(columns)]] for row in rows]
    return {
        "type": "Table",
        "firstRowAsHeader": True,
        "gridStyle": "default",
        "columns": [
            {"width": 1, "horizontalCellContentAlignment": "Right"} if column.type in NUMERIC_TYPES else {"width": 1} for column in columns
        ],
        "rows": [{"type": "TableRow", "cells": cells} for cells in (head, *body)],
    }


def _cell(text: str, most: int, right_to_left: bool, *, bold: bool = False) -> Element:
    words = plain(text, most) or "\u00a0"  # some clients refuse an empty text
    direction = reads_right_to_left(text)
    if right_to_left and direction is False:
        words = f"\u2066{words}\u2069"  # its signs stay in order, and the column keeps its edge
    inline = {"type": "TextRun", "text": words, "weight": "Bolder"} if bold else words
    cell: Element = {"type": "TableCell", "items": [{"type": "RichTextBlock", "inlines": [inline]}]}
    return cell | {"rtl": True} if direction and not right_to_left else cell
