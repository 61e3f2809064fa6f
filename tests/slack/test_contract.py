"""What every chat must do, in Slack."""

from __future__ import annotations

from bot.chat.handler import Handler
from tests.chat.contract import Contract, Driver
from tests.slack.driver import SlackDriver


class TestSlack(Contract):
    """The contract over Slack's wire."""

    @staticmethod
    def make(handler: Handler) -> Driver:
        return SlackDriver(handler)
