"""The surface served over a small table, for tests that say what happens at Slack's wire."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from bot.chat.asking import Asking
from bot.chat.handler import Handler
from bot.chat.state import State
from tests.chat.world import asked
from tests.slack.driver import Served
from tests.slack.standin import Slack

Scenario = Callable[[Served], Awaitable[None]]


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
    """The engine over a small table."""
    with asked(tmp_path_factory.mktemp("world")) as made:
        yield made


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    """A state database in a file."""
    made = State(f"sqlite:///{tmp_path / 'state.sqlite'}")
    yield made
    made.close()


def play(state: State, asking: Asking, scenario: Scenario, *, socket: bool = False, slack: Slack | None = None) -> None:
    """Runs a scenario on the surface as it is served."""

    async def all_of_it() -> None:
        handler = Handler(state, asking, secret="of the tests")
        try:
            async with Served(handler, socket=socket, slack=slack) as served:
                await scenario(served)
        finally:
            handler.close()

    asyncio.run(asyncio.wait_for(all_of_it(), 60))
