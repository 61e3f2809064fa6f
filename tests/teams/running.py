"""The bot and Teams on loopback, with a real handler between them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from aiohttp import web

from bot.chat.asking import Asking
from bot.chat.handler import Handler
from bot.chat.outbox import empty_outbox
from bot.chat.state import State
from bot.chat.types import Deliver
from bot.teams.settings import TeamsSettings
from bot.teams.surface import register
from tests.chat.world import asked
from tests.teams.standin import APP_ID, SECRET, TENANT, Credentials, Teams, serve

Work = Callable[["Running"], Awaitable[None]]


class Running:
    """What a test holds: the stand-in, the handler, and the surface's deliver."""

    def __init__(self, teams: Teams, handler: Handler, deliver: Deliver) -> None:
        self.teams, self.handler, self.deliver = teams, handler, deliver

    async def empty_outbox(self) -> int:
        """Tries what is due once."""
        return await empty_outbox(self.handler, "teams", self.deliver)


def running(
    folder: Path,
    work: Work,
    *,
    change: Callable[[Asking], Asking] = lambda asking: asking,
    settings: TeamsSettings | None = None,
    secret: str = SECRET,
    deadline: float = 25.0,
) -> None:
    """Runs the work while both are served; the state lies in the folder, so that a second run goes on from the first."""

    async def run(asking: Asking) -> None:
        teams = Teams()
        outside, teams.url = await serve(teams.app())
        state = State(f"sqlite:///{folder / 'state.sqlite'}")
        handler = Handler(state, change(asking), secret="s", deadline=deadline)
        app = web.Application()
        given = settings or TeamsSettings(app_id=APP_ID, password=SECRET, tenant=TENANT)
        deliver = register(app, handler, replace(given, open_id=f"{teams.url}/openid"), Credentials(teams.url, secret) if given.app_id else None)
        inside, url = await serve(app)
        teams.bot = f"{url}/api/messages"
        try:
            await work(Running(teams, handler, deliver))
        finally:
            await inside.cleanup()
            await outside.cleanup()
            await asyncio.to_thread(handler.close)
            state.close()

    with asked(folder) as asking:
        asyncio.run(run(asking))
