"""What is shown as Slack's blocks and as a plain text that says the same, within Slack's limits; nothing here speaks to Slack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from bot.chat.sentences import say
from bot.chat.types import Menu, Shown
from bot.receipt import Words, binding_line, freshness_line, note_lines, unused_line, words_of
from bot.slack.escape import literal, mrkdwn
from bot.slack.table import Block, cells_of, cut, shown_columns, table_block, table_lines
from engine.types import Answer

MOST_BLOCKS: Final = 50
MOST_PARTS: Final = 8
_CELLS: Final = 7_500  # characters over all tables of a message; Slack takes 10,000 there and about 13,000 in all
_WORDS: Final = 3_300  # characters of everything else, buttons apart
_LINE: Final = 1_200
_SECTION: Final = 3_000
_TEXT: Final = 3_900  # an update takes 4,000
_LABEL: Final = 75
_BUTTONS: Final = 25  # in one row
_PRESSING: Final = 900  # characters of all buttons
_MENUS: Final = 10
_CHOICES: Final = 20
_CHOOSING: Final = 1_200  # characters of all menus


def to_blocks(shown: Shown) -> list[Block]:
    """The blocks: of an answer each part's headline, page of rows, count, receipt and freshness; else the lines; buttons and menus below."""
    blocks: list[Block] = []
    room = _WORDS
    for line in _said(shown):
        if line.cells is not None:
            result = shown.reply.parts[line.part].result
            assert result is not None
            blocks.append(table_block(result, line.cells))
            continue
        text = _fitted(line, min(room, _SECTION))
        room -= len(text)
        if text:
            blocks.append(_context(text) if line.small else _section(text))
    return blocks[: MOST_BLOCKS - _MENUS - 2] + _menus(shown) + _buttons(shown)


def to_text(shown: Shown) -> str:
    """The same as a text, for notifications, screen readers and clients that draw no blocks."""
    said = _said(shown, _TEXT // 2)
    pieces: list[str] = []
    room = _TEXT
    for line in said:
        text = "\n".join(mrkdwn(row) for row in table_lines(line.cells)) if line.cells is not None else mrkdwn(cut(line.text, _LINE))
        if len(text) + 1 > room:
            text = mrkdwn(cut(line.text, max(1, room // 6)))[:room] if line.cells is None else ""
        room -= len(text) + 1
        pieces += [text] if text else []
        if room < 10:
            break
    return "\n".join(pieces) or "…"


@dataclass(frozen=True, slots=True)
class _Line:
    """Something said, in order: a text, or the cells of a part's page."""

    text: str
    small: bool = False
    bold: bool = False
    code: bool = False
    part: int = 0
    cells: list[list[str]] | None = None


def _said(shown: Shown, room: int = _CELLS) -> list[_Line]:
    """Everything that is said, the same for blocks and text but for how much of a long cell there is room for."""
    if shown.view != "answer":
        return [*(_Line(line) for line in shown.lines if line), *([_Line(shown.code, code=True)] if shown.code else [])]
    parts = shown.reply.parts[:MOST_PARTS]
    with_rows = sum(1 for at in range(len(parts)) if shown.rows(at))
    said: list[_Line] = []
    for at, part in enumerate(parts):
        words = words_of(shown.language)
        if len(parts) > 1:
            said.append(_Line(words.say("part", number=at + 1, parts=len(shown.reply.parts)), small=True))
        if at == 0 and shown.carried:
            said.append(_Line("↳ " + " · ".join(shown.carried), small=True))
        said.append(_Line(part.headline or part.message, bold=True))
        said += [_Line(text) for text in (part.explanation, *note_lines(part), *(shown.lines if at == 0 else ())) if text]
        rows = shown.rows(at)
        if part.result and rows:
            said.append(_Line("", part=at, cells=cells_of(part.result, rows, words, room // with_rows)))
            said += [_Line(text, small=True) for text in _counts(shown, at)]
        said += [_Line(text, small=True) for text in _below(part, words)]
    return said


def _counts(shown: Shown, at: int) -> list[str]:
    """ "Rows 21-40 of 509" where not all stand here, and how many columns do where not all do."""
    result = shown.reply.parts[at].result
    assert result is not None
    first, last, total = shown.span(at)
    said = []
    if last - first + 1 < total:
        said.append(say(shown.language, "span", first=f"{first:,}", last=f"{last:,}", total=f"{total:,}"))
    if (columns := len(shown_columns(result))) < len(result.columns):
        said.append(say(shown.language, "teams_columns", shown=columns, total=len(result.columns)))
    return said


def _below(part: Answer, words: Words) -> list[str]:
    receipt = "; ".join(binding_line(binding.model_copy(update={"candidates": ()}), words) for binding in part.bindings)
    return [text for text in (receipt, unused_line(part), freshness_line(part) if part.kind == "answer" else "") if text]


def _fitted(line: _Line, room: int) -> str:
    """A line as mrkdwn of at most so many characters; escaping makes a text longer, so it is cut before and not within an entity."""
    most = min(len(line.text), _LINE if line.small or line.bold else _SECTION, room)
    while most > 0:
        text = mrkdwn(cut(line.text, most))
        if line.bold and text.strip() and "\n" not in text:
            text = f"*{text.strip()}*"
        elif line.code:
            text = f"```{text}```"
        if len(text) <= room:
            return text if text.strip() else ""
        most = most * room // (len(text) + 1) if len(text) < 4 * room else most // 4
    return ""


def _section(text: str) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def _context(text: str) -> Block:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": text, "verbatim": True}]}


def _plain(text: str, most: int = _LABEL) -> dict[str, Any]:
    return {"type": "plain_text", "text": cut(literal(" ".join(text.split())), most) or "…", "emoji": False}


def _buttons(shown: Shown) -> list[Block]:
    elements: list[Block] = []
    most = min(_LABEL, _PRESSING // max(1, len(shown.buttons[: 2 * _BUTTONS])))
    for at, button in enumerate(shown.buttons[: 2 * _BUTTONS]):
        element: Block = {
            "type": "button",
            "text": _plain(button.label, most),
            "value": button.value,
            "action_id": f"{button.action or 'press'}.{at}",
        }
        elements.append(element | {"style": button.style} if button.style else element)
    return [{"type": "actions", "elements": elements[at : at + _BUTTONS]} for at in range(0, len(elements), _BUTTONS)]


def _menus(shown: Shown) -> list[Block]:
    """As many menus as there is room for."""
    blocks: list[Block] = []
    room = _CHOOSING
    for at, menu in enumerate(shown.menus[:_MENUS]):
        room -= 2 * min(len(menu.label), 250) + sum(min(len(choice.label), _LABEL) for choice in menu.choices[:_CHOICES])
        if room < 0:
            break
        blocks += _menu(menu, at)
    return blocks


def _menu(menu: Menu, at: int) -> list[Block]:
    """Readings to pick are a button each; other candidates are a menu beside what it corrects."""
    name = f"{menu.action or 'choose'}.menu{at}"
    if menu.action == "pick" and len(menu.choices) <= _BUTTONS:
        picks = [
            {"type": "button", "text": _plain(choice.label), "value": choice.value, "action_id": f"{name}.{number}"}
            for number, choice in enumerate(menu.choices)
        ]
        return [*([_section(mrkdwn(cut(menu.label, 250)))] if menu.label.strip() else []), {"type": "actions", "elements": picks}]
    options = [{"text": _plain(choice.label), "value": choice.value} for choice in menu.choices[:_CHOICES]]
    if not options:
        return []
    select = {"type": "static_select", "action_id": name, "placeholder": _plain("…"), "options": options}
    return [_section(mrkdwn(cut(menu.label, 250)) or "…") | {"accessory": select}]
