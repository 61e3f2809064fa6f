"""The modal in which somebody writes when a question is to be asked again, and where; nothing here speaks to Slack."""

from __future__ import annotations

import json
from typing import Any, Final

from bot.chat.sentences import say
from bot.chat.types import Shown
from bot.slack.escape import literal, mrkdwn
from bot.slack.table import cut
from bot.slack.thread import WHEN, WHERE

CALLBACK: Final = "almanac_schedule"
_TITLE: Final = 24  # characters of a title and of a button
_SECTION: Final = 3_000
_WRITTEN: Final = 100

View = dict[str, Any]


def form_view(shown: Shown) -> View:
    """The modal of a form: when, with what stands there already, and which channel."""
    language, place = shown.language, shown.place
    held = {
        "value": shown.buttons[0].value,
        "channel": place.channel,
        "thread": place.thread,
        "private": place.private,
        "language": language,
    }
    when: dict[str, Any] = {"type": "plain_text_input", "action_id": WHEN, "max_length": _WRITTEN}
    where: dict[str, Any] = {"type": "conversations_select", "action_id": WHERE, "initial_conversation": place.channel}
    where["filter"] = {"include": ["public", "private", "mpim", "im"], "exclude_bot_users": False}
    return {
        **_view(language),
        "callback_id": CALLBACK,
        "private_metadata": json.dumps(held),
        "submit": _plain(shown.buttons[0].label, _TITLE),
        "blocks": [
            *_sections(shown.lines),
            {
                "type": "input",
                "block_id": WHEN,
                "label": _plain(say(language, "schedule_label_when")),
                "element": when | ({"initial_value": shown.when} if shown.when else {}),
            },
            {"type": "input", "block_id": WHERE, "label": _plain(say(language, "schedule_label_where")), "element": where},
        ],
    }


def told_view(lines: tuple[str, ...], language: str) -> View:
    """The modal when there is nothing more to write in it."""
    return {**_view(language), "blocks": _sections(lines)}


def language_of_form(metadata: str) -> str:
    """The language of a form that was sent, English where it does not say."""
    try:
        return str(json.loads(metadata)["language"])
    except (ValueError, KeyError, TypeError):
        return "en"


def _view(language: str) -> View:
    return {"type": "modal", "title": _plain(say(language, "schedule_title"), _TITLE)}


def _sections(lines: tuple[str, ...]) -> list[dict[str, Any]]:
    texts = [mrkdwn(cut(line, _SECTION // 6)) for line in lines if line.strip()]
    return [{"type": "section", "text": {"type": "mrkdwn", "text": text[:_SECTION], "verbatim": True}} for text in texts]


def _plain(text: str, most: int = 150) -> dict[str, Any]:
    return {"type": "plain_text", "text": cut(literal(" ".join(text.split())), most) or "…", "emoji": False}
