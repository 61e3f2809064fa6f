"""What is shown as an Adaptive Card, within what Teams takes; nothing here speaks to Teams."""

from __future__ import annotations

import json
from typing import Any, Final

from bot.chat.sentences import say
from bot.chat.types import Button, Menu, Shown
from bot.receipt import Words, binding_line, freshness_line, note_lines, unused_line, words_of
from bot.teams.activity import WHEN
from bot.teams.table import table
from bot.teams.text import CUT, Element, plain, run
from engine.language import language
from engine.types import Answer

CARD_BYTES: Final = 26_000  # of the 28 KB that a message may have; the rest is for what surrounds the card
VERB: Final = "almanac"
_CELLS: Final = (400, 160, 80, 40, 24)  # characters of a cell, tried in this order
_COLUMNS: Final = (100, 40, 25, 15, 8, 4, 1)  # and columns, when short cells do not help
_LINE: Final = 600
_LINES_BYTES: Final = 16_000
_LABEL: Final = 80
_WRITTEN: Final = 100  # characters of what a person writes in a form
_ACTIONS: Final = 6  # in one row; more would hide behind a menu
_STYLES: Final = {"primary": "positive", "danger": "destructive"}


def to_card(shown: Shown) -> dict[str, Any]:
    """The card: an answer's page of rows with count, receipt and freshness, or lines; buttons and menus below.

    Cells are shortened, and then columns left out, until it fits; the count line tells both figures.
    """
    for columns, cell in [(_COLUMNS[0], cell) for cell in _CELLS] + [(columns, _CELLS[-1]) for columns in _COLUMNS[1:]]:
        card = _card(shown, cell, columns)
        if size(card) <= CARD_BYTES:
            return card
    return _card(shown, _CELLS[-1], 0)


def size(card: dict[str, Any]) -> int:
    """Bytes of a card as it is sent, where every letter beyond ASCII is written out."""
    return len(json.dumps(card))


def summary(shown: Shown) -> str:
    """One line that says the same, for notifications and for who cannot see cards."""
    said = list(shown.lines) if shown.view != "answer" else [part.headline for part in shown.reply.parts]
    return plain(" · ".join(said), 250)


def _card(shown: Shown, cell: int, columns: int) -> dict[str, Any]:
    right_to_left = language(shown.language).right_to_left
    if shown.view == "answer":
        body = [element for at in range(len(shown.reply.parts)) for element in _part(shown, at, cell, columns, right_to_left)]
    else:
        body = _lines(shown)
    if shown.view == "form":
        body.append(_written(shown))
    for at, menu in enumerate(shown.menus):
        body += _menu(menu, at, shown.language)
    pages = [button for button in shown.buttons if button.action == "page"]
    others = [button for button in shown.buttons if button.action != "page"]
    for row in (pages, *(others[at : at + _ACTIONS] for at in range(0, len(others), _ACTIONS))):
        if row:
            body.append({"type": "ActionSet", "actions": [_execute(button) for button in row]})
    card: dict[str, Any] = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.5",
        "body": body,
        "msteams": {"width": "Full"},
    }
    return card | {"rtl": True} if right_to_left else card


def _part(shown: Shown, at: int, cell: int, columns: int, right_to_left: bool) -> list[Element]:
    part = shown.reply.parts[at]
    words = words_of(shown.language)
    body: list[Element] = []
    if len(shown.reply.parts) > 1:
        body.append(run(words.say("part", number=at + 1, parts=len(shown.reply.parts)), _LINE, isSubtle=True, size="Small"))
    if at == 0:
        body += [run(line, _LINE, isSubtle=True, size="Small") for line in shown.lines]
    body.append(run(part.headline or part.message, _LINE, weight="Bolder", size="Medium"))
    if part.explanation:
        body.append(run(part.explanation, _LINE))
    body += [run(note, _LINE) for note in note_lines(part)]
    rows = shown.rows(at)
    if part.result and rows:
        seen = part.result.columns[:columns]
        if seen:
            body.append(table(seen, rows, words, cell, right_to_left=right_to_left))
        body += [run(text, _LINE, isSubtle=True) for text in _counts(shown, at, len(seen))]
    body += _below(part, words)
    return body


def _counts(shown: Shown, at: int, columns: int) -> list[str]:
    """ "21-40 of 509", where not all rows stand here, and how many columns do, where not all do."""
    result = shown.reply.parts[at].result
    assert result is not None
    first, last, total = shown.span(at)
    said = [say(shown.language, "span", first=f"{first:,}", last=f"{last:,}", total=f"{total:,}")] if last - first + 1 < total else []
    if columns < len(result.columns):
        said.append(say(shown.language, "teams_columns", shown=columns, total=len(result.columns)))
    return said


def _below(part: Answer, words: Words) -> list[Element]:
    receipt = [binding_line(binding.model_copy(update={"candidates": ()}), words) for binding in part.bindings]
    return [
        run(text, _LINE, isSubtle=True, size="Small")
        for text in ("; ".join(receipt), unused_line(part), freshness_line(part) if part.kind == "answer" else "")
        if text
    ]


def _lines(shown: Shown) -> list[Element]:
    """The lines as paragraphs, then the query as code; what is beyond a card's room is cut, and the cut is seen."""
    body: list[Element] = []
    room = _LINES_BYTES
    for element in [run(line, 4 * _LINE) for line in shown.lines] + [
        run(line, 4 * _LINE, fontType="Monospace", size="Small") for line in shown.code.splitlines() if line.strip()
    ]:
        room -= size(element)
        if room < 0:
            body.append(run(CUT, 1))
            break
        body.append(element)
    return body or [run(CUT, 1)]


def _menu(menu: Menu, at: int, code: str) -> list[Element]:
    """Readings to pick are a button each; other candidates are a list to choose from, with a button that sends the choice."""
    if menu.action == "pick":
        picks = [_execute(Button(label=choice.label, value=choice.value)) for choice in menu.choices]
        label = [run(menu.label, _LINE)] if menu.label else []
        return [*label, *({"type": "ActionSet", "actions": [pick]} for pick in picks)]
    name = f"choice{at}"
    choices = [{"title": plain(choice.label, _LABEL), "value": choice.value} for choice in menu.choices]
    chooser = {"type": "Input.ChoiceSet", "id": name, "style": "compact", "label": plain(menu.label, 2 * _LABEL), "choices": choices}
    if choices:
        chooser["value"] = menu.choices[0].value  # where there is one other, which is common, a press is enough
    return [
        {
            "type": "ColumnSet",
            "columns": [
                {
                    "type": "Column",
                    "width": "stretch",
                    "items": [chooser],
                },
                {
                    "type": "Column",
                    "width": "auto",
                    "verticalContentAlignment": "Bottom",
                    "items": [
                        {
                            "type": "ActionSet",
                            "actions": [
                                {"type": "Action.Execute", "title": say(code, "teams_correct"), "verb": VERB, "data": {"input": name}}
                            ],
                        }
                    ],
                },
            ],
        }
    ]


def _written(shown: Shown) -> Element:
    """Where the person writes when."""
    field = {"type": "Input.Text", "id": WHEN, "label": say(shown.language, "schedule_label_when"), "maxLength": _WRITTEN}
    return field | ({"value": plain(shown.when, _WRITTEN)} if shown.when else {})


def _execute(button: Button) -> Element:
    action = {"type": "Action.Execute", "title": plain(button.label, _LABEL), "verb": VERB, "data": {"value": button.value}}
    return action | {"style": _STYLES[button.style]} if button.style else action
