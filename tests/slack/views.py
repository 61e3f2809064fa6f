"""The modals of a stand-in's Slack: what views.open and views.update take, and what follows when a person sends one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.slack import blocks_check as check

TRIGGER_SECONDS = 3.0
_FIELDS = {
    "type",
    "title",
    "blocks",
    "close",
    "submit",
    "private_metadata",
    "callback_id",
    "clear_on_close",
    "notify_on_close",
    "external_id",
}
_ELEMENTS = {
    "plain_text_input": {"type", "action_id", "initial_value", "multiline", "min_length", "max_length", "placeholder", "focus_on_load"},
    "conversations_select": {"type", "action_id", "initial_conversation", "default_to_current_conversation", "filter", "placeholder"},
}


@dataclass
class Modal:
    """A modal as a person has it before them."""

    id: str
    user: str
    view: dict[str, Any]
    hash: str
    errors: dict[str, str] = field(default_factory=dict)
    open: bool = True

    @property
    def texts(self) -> str:
        """Everything that is read in it."""
        return "\n".join(check.texts_of(self.view["blocks"]))


class Views:
    """The triggers that were given out, each good once and for three seconds, and the modals that they opened."""

    def __init__(self) -> None:
        self.triggers: dict[str, tuple[str, float]] = {}  # who has it, and since when
        self.used: set[str] = set()
        self.modals: list[Modal] = []

    def trigger(self, number: int, user: str) -> str:
        """A new one for what a person has just done."""
        made = f"{number}.1.a"
        self.triggers[made] = (user, time.monotonic())
        return made

    def opened(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """What views.open answers."""
        trigger = arguments.get("trigger_id", "")
        if trigger not in self.triggers:
            return {"ok": False, "error": "invalid_trigger_id"}
        if trigger in self.used:
            return {"ok": False, "error": "exchanged_trigger_id"}
        user, since = self.triggers[trigger]
        if time.monotonic() - since > TRIGGER_SECONDS:
            return {"ok": False, "error": "expired_trigger_id"}
        if wrong := wrong_with_view(arguments.get("view")):
            return {"ok": False, "error": "invalid_arguments", "why": wrong}
        self.used.add(trigger)
        number = len(self.modals) + 1
        self.modals.append(Modal(f"V{number}", user, arguments["view"], f"h{number}.1"))
        return {"ok": True, "view": {"id": f"V{number}", "hash": f"h{number}.1"}}

    def updated(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """What views.update answers."""
        found = next((modal for modal in self.modals if modal.id == arguments.get("view_id") and modal.open), None)
        if found is None:
            return {"ok": False, "error": "not_found"}
        if "hash" in arguments and arguments["hash"] != found.hash:
            return {"ok": False, "error": "hash_conflict"}
        if wrong := wrong_with_view(arguments.get("view")):
            return {"ok": False, "error": "invalid_arguments", "why": wrong}
        _put(found, arguments["view"])
        return {"ok": True, "view": {"id": found.id, "hash": found.hash}}


def submission(modal: Modal, written: dict[str, str], team: str, app: str) -> dict[str, Any]:
    """What Slack sends when a person sends a modal; a field that they leave alone has what stands in it."""
    values: dict[str, Any] = {}
    for block in modal.view["blocks"]:
        if block["type"] != "input":
            continue
        element, name = block["element"], block["block_id"]
        if element["type"] == "plain_text_input":
            value: dict[str, Any] = {"type": element["type"], "value": written.get(name, element.get("initial_value"))}
        else:
            value = {"type": element["type"], "selected_conversation": written.get(name, element.get("initial_conversation"))}
        assert any(value[key] for key in value if key != "type"), f"Slack lets nobody send an empty {name}"
        values[name] = {element["action_id"]: value}
    view = modal.view | {
        "id": modal.id,
        "hash": modal.hash,
        "team_id": team,
        "app_id": app,
        "state": {"values": values},
        "root_view_id": modal.id,
    }
    user = {"id": modal.user, "username": modal.user, "name": modal.user, "team_id": team}
    return {"type": "view_submission", "team": {"id": team, "domain": "t"}, "user": user, "api_app_id": app, "token": "x", "view": view,
            "response_urls": [], "is_enterprise_install": False, "enterprise": None}  # fmt: skip


def answered(modal: Modal, body: Any) -> str:
    """Does what the answer to a submission says; why Slack refuses it, empty where it does not."""
    if not body:
        modal.open = False
        return ""
    action = body.get("response_action")
    if action == "errors":
        names = {block["block_id"] for block in modal.view["blocks"] if block["type"] == "input"}
        if not body.get("errors") or set(body["errors"]) - names or any(not text for text in body["errors"].values()):
            return f"errors {body.get('errors')}"
        modal.errors = body["errors"]
        return ""
    if action == "update":
        if wrong := wrong_with_view(body.get("view")):
            return wrong
        _put(modal, body["view"])
        return ""
    if action == "clear":
        modal.open = False
        return ""
    return f"response_action {action}"


def wrong_with_view(view: Any) -> str:
    """Why Slack refuses a view; empty when it takes it."""
    try:
        return next(_wrongs(view), "")
    except (KeyError, TypeError, AttributeError) as error:
        return f"malformed: {error!r}"


def _put(modal: Modal, view: dict[str, Any]) -> None:
    modal.view, modal.errors = view, {}
    modal.hash += "1"


def _wrongs(view: dict[str, Any]) -> Iterator[str]:
    if view["type"] != "modal" or (more := set(view) - _FIELDS):
        yield f"view fields {sorted(more) if view['type'] == 'modal' else view['type']}"
    for name in ("title", "submit", "close"):
        if (name in view or name == "title") and (view[name]["type"] != "plain_text" or not 1 <= len(view[name]["text"]) <= 24):
            yield f"{name} of {len(view[name]['text'])} characters"
    if len(view.get("private_metadata", "")) > 3000 or len(view.get("callback_id", "")) > 255:
        yield "private_metadata or callback_id"
    blocks = view["blocks"]
    if not 1 <= len(blocks) <= 100:
        yield f"{len(blocks)} blocks"
    inputs = [block for block in blocks if block["type"] == "input"]
    if inputs and "submit" not in view:
        yield "an input without submit"
    ids = [block["block_id"] for block in inputs]
    if len(ids) != len(set(ids)):
        yield "block_id twice"
    for block in inputs:
        if set(block) - {"type", "block_id", "label", "element", "hint", "optional", "dispatch_action"}:
            yield "input fields"
        if block["label"]["type"] != "plain_text" or not 1 <= len(block["label"]["text"]) <= 2000:
            yield "label"
        element = block["element"]
        if element["type"] not in _ELEMENTS or set(element) - _ELEMENTS[element["type"]] or not element["action_id"]:
            yield f"element {element}"
        if element["type"] == "plain_text_input":
            if not 1 <= element.get("max_length", 3000) <= 3000 or len(element.get("initial_value", "x")) > element.get("max_length", 3000):
                yield "max_length"
            if element.get("initial_value") == "":
                yield "an empty initial_value"
        elif set(element.get("filter", {}).get("include", ["im"])) - {"im", "mpim", "private", "public"}:
            yield "filter"
        elif "initial_conversation" in element and element["initial_conversation"][:1] not in tuple("CDG"):
            yield "initial_conversation"
    if wrong := check.wrong_with([block for block in blocks if block["type"] != "input"]):
        yield wrong
