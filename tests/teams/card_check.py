"""What Teams would refuse of a card or an activity, told strictly: size, unknown elements, tables that do not fit, too many buttons."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

MOST_BYTES = 28 * 1024  # of a whole message
MOST_ACTIONS = 6
FIELDS: dict[str, set[str]] = {
    "AdaptiveCard": {"$schema", "version", "body", "actions", "msteams", "rtl"},
    "TextBlock": {"text", "wrap", "weight", "size", "isSubtle", "color"},
    "RichTextBlock": {"inlines"},
    "TextRun": {"text", "weight", "size", "isSubtle", "color", "fontType"},
    "Table": {"columns", "rows", "firstRowAsHeader", "gridStyle", "showGridLines"},
    "TableRow": {"cells"},
    "TableCell": {"items", "rtl"},
    "ColumnSet": {"columns"},
    "Column": {"items", "width", "verticalContentAlignment"},
    "ActionSet": {"actions"},
    "Input.ChoiceSet": {"id", "style", "label", "choices", "value", "isRequired", "placeholder"},
    "Input.Text": {"id", "label", "value", "maxLength", "placeholder", "isRequired", "isMultiline"},
    "Action.Execute": {"title", "verb", "data", "style"},
}
REQUIRED: dict[str, set[str]] = {
    "AdaptiveCard": {"version", "body"},
    "TextBlock": {"text"},
    "RichTextBlock": {"inlines"},
    "TextRun": {"text"},
    "Table": {"columns", "rows"},
    "TableRow": {"cells"},
    "TableCell": {"items"},
    "ColumnSet": {"columns"},
    "Column": {"items"},
    "ActionSet": {"actions"},
    "Input.ChoiceSet": {"id", "choices"},
    "Input.Text": {"id"},
    "Action.Execute": {"title", "verb", "data"},
}


def message_problems(activity: dict[str, Any], wire: int) -> list[str]:
    """What is wrong with an activity that took so many bytes; empty where nothing is."""
    problems = [] if wire <= MOST_BYTES else [f"{wire} bytes"]
    kind = activity.get("type")
    if kind not in ("message", "typing"):
        problems.append(f"type {kind}")
    attachments = activity.get("attachments") or []
    if kind == "message" and not (activity.get("text") or attachments):
        problems.append("neither text nor attachment")
    for attachment in attachments:
        if attachment.get("contentType") == "application/vnd.microsoft.card.adaptive":
            problems += card_problems(attachment.get("content") or {})
        elif attachment.get("contentType") == "application/vnd.microsoft.teams.card.file.consent":
            content = attachment.get("content") or {}
            if not (attachment.get("name") and content.get("description") and isinstance(content.get("sizeInBytes"), int)):
                problems.append("a file consent without name, description or size")
        elif attachment.get("contentType") != "application/vnd.microsoft.teams.card.file.info":
            problems.append(f"attachment {attachment.get('contentType')}")
    return problems


def card_problems(card: dict[str, Any]) -> list[str]:
    """What is wrong with a card; empty where nothing is."""
    problems = []
    if card.get("type") != "AdaptiveCard" or card.get("version") not in ("1.4", "1.5"):
        problems.append("no Adaptive Card of a version that Teams knows")
    if not card.get("body"):
        problems.append("an empty body")
    names: list[str] = []
    for element in elements(card):
        kind = element.get("type")
        if kind not in FIELDS:
            problems.append(f"unknown element {kind}")
            continue
        if more := element.keys() - FIELDS[kind] - {"type"}:
            problems.append(f"{kind} has unknown {sorted(more)}")
        if less := REQUIRED[kind] - element.keys():
            problems.append(f"{kind} lacks {sorted(less)}")
        if kind in ("TextBlock", "TextRun") and not element.get("text"):
            problems.append(f"{kind} without text")
        if kind == "RichTextBlock" and not element.get("inlines"):
            problems.append("RichTextBlock without inlines")
        if kind in ("ActionSet", "AdaptiveCard") and len(element.get("actions", ())) > MOST_ACTIONS:
            problems.append(f"more than {MOST_ACTIONS} actions in a row")
        if kind == "Table":
            widths = {json.dumps(column.get("width")) for column in element["columns"]}
            if len(widths) != 1:
                problems.append("columns of different widths")
            if any(len(row["cells"]) != len(element["columns"]) for row in element["rows"]):
                problems.append("a row with another number of cells than the table has columns")
        if kind == "Input.ChoiceSet":
            names.append(element["id"])
            if any(set(choice) != {"title", "value"} or not choice["title"] for choice in element["choices"]) or not element["choices"]:
                problems.append("choices that are no choices")
        if kind == "Input.Text":
            names.append(element["id"])
            if not element["id"] or len(element.get("value", "")) > element.get("maxLength", 10_000):
                problems.append("a text that is longer than it may be")
            if element.get("isRequired") and not element.get("label"):
                problems.append("an input that is required and has no label")
    if len(names) != len(set(names)):
        problems.append("two inputs of one id")
    return problems


def elements(node: Any) -> Iterator[dict[str, Any]]:
    """Every element of a card, itself first; the data of actions and the choices of inputs are none."""
    if isinstance(node, dict):
        if "type" in node:
            yield node
        for name, inner in node.items():
            if name not in ("data", "choices", "msteams"):
                yield from elements(inner) if not (name == "columns" and node.get("type") == "Table") else ()
    elif isinstance(node, list):
        for inner in node:
            yield from elements(inner)


def alive(activity: dict[str, Any]) -> list[str]:
    """What of a message Teams would make a mention, a link or formatting of: texts that are rendered as markdown, entities, actions that open."""
    found = [activity["text"]] if activity.get("text") else []
    found += [str(entity) for entity in activity.get("entities") or () if entity.get("type") == "mention"]
    for attachment in activity.get("attachments") or ():
        card = attachment.get("content") or {}
        found += [str(entity) for entity in (card.get("msteams") or {}).get("entities", ())]
        for element in elements(card):
            if element["type"] in ("TextBlock", "FactSet", "Action.OpenUrl", "Image", "Media") or element.get("selectAction"):
                found.append(str(element))
            elif element["type"] == "TextRun" and "{{" in element["text"]:
                found.append(element["text"])
    return found


def texts(node: Any) -> list[str]:
    """Everything that a person reads on a card, in order."""
    found: list[str] = []
    for element in elements(node):
        if element["type"] == "RichTextBlock":
            found.append("".join(inline if isinstance(inline, str) else inline["text"] for inline in element["inlines"]))
        elif element["type"] == "TextBlock":
            found.append(element["text"])
        elif element["type"] == "Action.Execute":
            found.append(element["title"])
        elif element["type"] == "Input.Text":
            found += [element.get("label", ""), element.get("value", "")]
        elif element["type"] == "Input.ChoiceSet":
            found += [element.get("label", ""), *(choice["title"] for choice in element["choices"])]
    return found
