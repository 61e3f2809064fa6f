"""The manifest that an app of Slack's is made from: what the bot listens to and the scopes that it needs, each for a reason."""

from __future__ import annotations

import json
from typing import Any, Final
from urllib.parse import urlsplit

from engine.errors import UsageError

PATH: Final = "/slack/events"
COMMAND: Final = "/lookup"
EVENTS: Final = {
    "app_mention": "someone asks in a channel, in a thread or in a group message",
    "message.im": "someone asks in a direct message",
}
SCOPES: Final = {
    "app_mentions:read": "to hear a mention",
    "im:history": "to hear direct messages, and to find a reply there whose posting was not confirmed",
    "channels:history": "to read the thread of a public channel that the bot is called into, and to find a reply there",
    "groups:history": "the same in private channels",
    "mpim:history": "the same in group messages",
    "chat:write": "to reply, to show that it is working, and to turn pages",
    "commands": f"to offer {COMMAND}",
    "files:write": "to hand over all rows as a file",
    "im:write": "to hand that file to the asker alone where only they saw the answer",
    "users:read": "to know the asker's language, time zone and name, and who in a channel is a guest",
    "users:read.email": "to know by their address which tables the asker may see",
    "usergroups:read": "to know by their user groups which tables the asker may see",
    "channels:read": "to know who sees what is said in a public channel, so that nobody there is shown what they may not see",
    "groups:read": "the same in private channels",
    "mpim:read": "the same in group messages",
}
_DESCRIPTION: Final = "Answers questions from your tables: every row that matches, and how it was found."


def manifest(url: str = "") -> str:
    """The manifest as YAML, each scope with its reason; url is where the bot is reached, empty for Socket Mode.

    Raises UsageError for an address that Slack would not take.
    """
    if url:
        url = checked_url(url) + PATH
    lines = [
        "# Made by `almanac manifest slack`; create the app from it at api.slack.com/apps, then set SLACK_BOT_TOKEN and "
        + ("SLACK_SIGNING_SECRET." if url else "SLACK_APP_TOKEN (with the scope connections:write)."),
        "display_information:",
        "  name: Almanac",
        f"  description: {_text(_DESCRIPTION)}",
        "features:",
        "  app_home:",
        "    home_tab_enabled: false",
        "    messages_tab_enabled: true",
        "    messages_tab_read_only_enabled: false",
        "  bot_user:",
        "    display_name: Almanac",
        "    always_online: true",
        "  slash_commands:",
        f"    - command: {COMMAND}",
        *([f"      url: {_text(url)}"] if url else []),
        "      description: Ask the tables, for your eyes only",
        f"      usage_hint: {_text('your question | tables | help')}",
        "      should_escape: true",
        "oauth_config:",
        "  scopes:",
        "    bot:",
        *(f"      - {scope}  # {reason}" for scope, reason in SCOPES.items()),
        "settings:",
        "  event_subscriptions:",
        *([f"    request_url: {_text(url)}"] if url else []),
        "    bot_events:",
        *(f"      - {event}  # {reason}" for event, reason in EVENTS.items()),
        "  interactivity:",
        "    is_enabled: true",
        *([f"    request_url: {_text(url)}"] if url else []),
        "  org_deploy_enabled: false",
        f"  socket_mode_enabled: {'false' if url else 'true'}",
        "  token_rotation_enabled: false",
    ]
    return "\n".join(lines) + "\n"


def checked_url(url: str) -> str:
    """The address without a slash at its end; raises UsageError where it is none of https."""
    url = url.strip().rstrip("/")
    try:
        parts = urlsplit(url)
        right = (
            parts.scheme == "https" and bool(parts.hostname) and not (parts.query or parts.fragment or parts.username) and url.isprintable()
        )
    except ValueError:
        right = False
    if not right or " " in url:
        raise UsageError("--url must be the https address at which Slack reaches the bot, such as https://almanac.example.com.")
    return url


def _text(text: Any) -> str:
    """A YAML string: JSON's are."""
    return json.dumps(text, ensure_ascii=False)
