"""What is uploaded to the platforms agrees with what the code listens to and with what it calls."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from bot.slack.manifest import COMMAND, EVENTS, PATH, SCOPES, manifest
from engine.errors import UsageError

ROOT = Path(__file__).resolve().parent.parent
SLACK = ROOT / "bot" / "slack"
# what each method of Slack's Web API needs of a bot's token
NEEDED = {
    "auth.test": set(),
    "chat.postMessage": {"chat:write"},
    "chat.postEphemeral": {"chat:write"},
    "chat.update": {"chat:write"},
    "chat.delete": {"chat:write"},
    "users.info": {"users:read", "users:read.email"},
    "users.list": {"users:read", "users:read.email"},
    "usergroups.list": {"usergroups:read"},
    "conversations.members": {"channels:read", "groups:read", "mpim:read"},
    "conversations.open": {"im:write"},
    "conversations.replies": {"channels:history", "groups:history", "im:history", "mpim:history"},
    "conversations.history": {"channels:history", "groups:history", "im:history", "mpim:history"},
    "files.getUploadURLExternal": {"files:write"},
    "files.completeUploadExternal": {"files:write"},
    "views.open": set(),
    "views.update": set(),
}
HEARD = {"app_mention": {"app_mentions:read"}, "message.im": {"im:history"}}


def slack_source() -> str:
    """The code of the surface, all of it but the manifest."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(SLACK.glob("*.py")) if path.name != "manifest.py")


def test_the_file_is_what_the_code_makes() -> None:
    assert (ROOT / "manifest" / "slack.yaml").read_text(encoding="utf-8") == manifest()


@pytest.mark.parametrize("url", ["", "https://almanac.example.com", "https://almanac.example.com/base/"])
def test_slack_is_told_what_the_code_listens_to(url: str) -> None:
    made = yaml.safe_load(manifest(url))
    assert made["oauth_config"]["scopes"]["bot"] == list(SCOPES)
    assert made["settings"]["event_subscriptions"]["bot_events"] == list(EVENTS)
    assert [command["command"] for command in made["features"]["slash_commands"]] == [COMMAND]
    assert made["settings"]["socket_mode_enabled"] is not bool(url)
    where = {
        made["settings"]["event_subscriptions"].get("request_url"),
        made["settings"]["interactivity"].get("request_url"),
        made["features"]["slash_commands"][0].get("url"),
    }
    assert where == {url.rstrip("/") + PATH if url else None}
    # Slack's own limits
    assert len(made["display_information"]["name"]) <= 35 and len(made["display_information"]["description"]) <= 140
    assert set(made) == {"display_information", "features", "oauth_config", "settings"}


def test_the_scopes_are_those_of_the_calls_and_no_more() -> None:
    called = set(
        re.findall(
            r'"((?:auth|chat|users|conversations|files|reactions|views|bookmarks|pins|team|usergroups)\.[a-zA-Z.]+)"', slack_source()
        )
    )
    called.discard("users.info.locale")
    assert called == set(NEEDED), "each method that is called stands here with the scopes that it needs"
    needed = set().union(*(NEEDED[method] for method in called), *(HEARD[event] for event in EVENTS), {"commands"})
    assert needed == set(SCOPES)
    assert all(len(reason.split()) > 2 for reason in SCOPES.values())


@pytest.mark.parametrize(
    "url",
    ["http://a.example", "a.example", "https://", "https://a b.example", "https://a.example/?q=1", "ftp://a", "https://[", "https://a\n.b"],
)
def test_an_address_that_slack_would_not_take_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="https"):
        manifest(url)
