"""What Slack needs to be told: the bot's token, what its requests are signed with, and whether it is reached over a socket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.settings import setting

WEB_API: Final = "https://slack.com/api/"


@dataclass(frozen=True, slots=True)
class SlackSettings:
    """The installation in one workspace; an app token means Socket Mode, in which no request comes over HTTP."""

    bot_token: str
    signing_secret: str = ""
    app_token: str = ""
    api: str = WEB_API


def slack_settings() -> SlackSettings | str:
    """The settings of the environment, or one sentence that says why Slack is not started."""
    token, secret, app_token = setting("SLACK_BOT_TOKEN"), setting("SLACK_SIGNING_SECRET"), setting("SLACK_APP_TOKEN")
    if not token:
        return "Slack is not started: SLACK_BOT_TOKEN is not set."
    if not token.startswith("xoxb-"):
        return "Slack is not started: SLACK_BOT_TOKEN must be the bot's token, which begins with xoxb-."
    if app_token and not app_token.startswith("xapp-"):
        return "Slack is not started: SLACK_APP_TOKEN must be an app-level token, which begins with xapp-."
    if not app_token and not secret:
        return "Slack is not started: set SLACK_SIGNING_SECRET for HTTP, or SLACK_APP_TOKEN for Socket Mode."
    return SlackSettings(token, secret, app_token, setting("SLACK_API_URL") or WEB_API)
