"""What Slack accepts in a message: the checks that it makes of blocks and texts, each with the sentence that says what is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

MOST_BLOCKS = 50
MOST_IN_ALL = 13_000  # characters over all blocks
MOST_IN_CELLS = 10_000  # characters over all cells of a message's tables
MOST_TEXT = 40_000
MOST_TEXT_OF_UPDATE = 4_000
_ACTION_ELEMENTS = {"button", "static_select", "overflow"}


def wrong_with(blocks: Any) -> str:
    """Why Slack refuses these blocks; empty when it takes them."""
    try:
        return next(_wrongs(blocks), "")
    except (KeyError, TypeError, AttributeError) as error:
        return f"malformed: {error!r}"


def texts_of(block: Any) -> Iterator[str]:
    """Every text within a block."""
    if isinstance(block, dict):
        for key, value in block.items():
            if key == "text" and isinstance(value, str):
                yield value
            elif key not in ("value", "action_id", "block_id"):
                yield from texts_of(value)
    elif isinstance(block, list):
        for item in block:
            yield from texts_of(item)


def mentions(text: str) -> list[str]:
    """What a text in Slack's markup would call, link to or announce."""
    return re.findall(r"<[!@#][^>]*>|<[a-z]+:[^>]*>", text)


def _wrongs(blocks: Any) -> Iterator[str]:
    if not isinstance(blocks, list):
        yield "blocks are no list"
    if len(blocks) > MOST_BLOCKS:
        yield f"{len(blocks)} blocks"
    if (size := sum(len(text) for text in texts_of(blocks))) > MOST_IN_ALL:
        yield f"{size} characters in all"
    ids = [block["block_id"] for block in blocks if "block_id" in block]
    if len(ids) != len(set(ids)) or any(len(name) > 255 for name in ids):
        yield "block_id"
    actions = [element["action_id"] for block in blocks if block["type"] == "actions" for element in block["elements"]]
    if len(actions) != len(set(actions)):
        yield "action_id twice"
    cells = 0
    for block in blocks:
        if block["type"] not in _CHECKS:
            yield f"block type {block['type']}"
        yield from _CHECKS[block["type"]](block)
        if block["type"] == "table":
            cells += sum(len(text) for text in texts_of(block))
    if cells > MOST_IN_CELLS:
        yield f"{cells} characters in cells"


def _text(text: Any, most: int, types: tuple[str, ...] = ("mrkdwn", "plain_text")) -> Iterator[str]:
    known = {"mrkdwn": {"type", "text", "verbatim"}, "plain_text": {"type", "text", "emoji"}}
    if text["type"] not in types or set(text) - known[text["type"]]:
        yield f"text object {text}"
    if not 1 <= len(text["text"]) <= most:
        yield f"a text of {len(text['text'])} characters, at most {most}"


def _section(block: dict[str, Any]) -> Iterator[str]:
    if set(block) - {"type", "block_id", "text", "fields", "accessory", "expand"} or not ("text" in block or "fields" in block):
        yield "section fields"
    if "text" in block:
        yield from _text(block["text"], 3000)
    if len(block.get("fields", ())) > 10:
        yield "section fields"
    for field in block.get("fields", ()):
        yield from _text(field, 2000)
    if "accessory" in block:
        yield from _element(block["accessory"])


def _header(block: dict[str, Any]) -> Iterator[str]:
    yield from _text(block["text"], 150, ("plain_text",))


def _context(block: dict[str, Any]) -> Iterator[str]:
    if not 1 <= len(block["elements"]) <= 10 or set(block) - {"type", "block_id", "elements"}:
        yield "context elements"
    for element in block["elements"]:
        yield from _text(element, 3000)


def _actions(block: dict[str, Any]) -> Iterator[str]:
    if not 1 <= len(block["elements"]) <= 25 or set(block) - {"type", "block_id", "elements"}:
        yield "actions elements"
    for element in block["elements"]:
        yield from _element(element)


def _element(element: dict[str, Any]) -> Iterator[str]:
    if element["type"] not in _ACTION_ELEMENTS or not 1 <= len(element["action_id"]) <= 255:
        yield f"element {element['type']}"
    if element["type"] == "button":
        if set(element) - {"type", "text", "action_id", "value", "style", "url", "confirm", "accessibility_label"}:
            yield "button fields"
        yield from _text(element["text"], 75, ("plain_text",))
        if len(element.get("value", "")) > 2000 or element.get("style", "primary") not in ("primary", "danger"):
            yield "button value or style"
    else:
        if element["type"] == "static_select" and "placeholder" in element:
            yield from _text(element["placeholder"], 150, ("plain_text",))
        if not 1 <= len(element["options"]) <= (100 if element["type"] == "static_select" else 5):
            yield "options"
        for option in element["options"]:
            yield from _text(option["text"], 75, ("plain_text",))
            if not 1 <= len(option["value"]) <= 150:
                yield f"an option's value of {len(option['value'])} characters, at most 150"


def _table(block: dict[str, Any]) -> Iterator[str]:
    if set(block) - {"type", "block_id", "rows", "column_settings"}:
        yield "table fields"
    if not 1 <= len(block["rows"]) <= 100 or any(not 1 <= len(row) <= 20 for row in block["rows"]):
        yield "table size"
    if len({len(row) for row in block["rows"]}) != 1 or len(block.get("column_settings", ())) > 20:
        yield "rows of different lengths"
    for setting in block.get("column_settings", ()):
        if setting is not None and (
            set(setting) - {"align", "is_wrapped"} or setting.get("align", "left") not in ("left", "center", "right")
        ):
            yield f"column setting {setting}"
    for row in block["rows"]:
        for cell in row:
            if cell["type"] == "raw_text":
                if set(cell) != {"type", "text"} or not cell["text"]:
                    yield "an empty cell"
            elif cell["type"] != "rich_text":
                yield f"cell type {cell['type']}"


def _divider(block: dict[str, Any]) -> Iterator[str]:
    if set(block) - {"type", "block_id"}:
        yield "divider fields"


_CHECKS = {"section": _section, "header": _header, "context": _context, "actions": _actions, "table": _table, "divider": _divider}
