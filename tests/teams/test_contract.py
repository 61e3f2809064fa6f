"""What every chat must do, in Teams."""

from __future__ import annotations

from bot.chat.handler import Handler
from tests.chat.contract import Contract, Driver
from tests.teams.driver import TeamsDriver


class TestTeams(Contract):
    """The contract over Teams' wire."""

    @staticmethod
    def make(handler: Handler) -> Driver:
        return TeamsDriver(handler)
