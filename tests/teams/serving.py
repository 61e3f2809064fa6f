"""A process that serves Teams over the small table of the tests: `python -m tests.teams.serving FOLDER SECONDS URL`; its port is its first line.

SECONDS is what the engine takes for a question; FOLDER holds the table and the state, which several such processes share; URL is the stand-in's.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

from aiohttp import web

import bot.chat.handler as handling
from bot.chat.handler import Handler
from bot.chat.state import State
from bot.chat.types import Deliver
from bot.serve import Surface, application
from bot.teams.settings import TeamsSettings
from bot.teams.surface import register
from engine.types import EVERYTHING, ChatThread, Reply, Scope
from tests.chat.world import asked
from tests.teams.standin import APP_ID, SECRET, TENANT, Credentials

handling.LEASE = 10.0  # type: ignore[misc]  # seconds; short, so that what a killed process leaves behind is soon another's


async def serve(folder: Path, seconds: float, url: str) -> None:
    """Serves until it is killed."""

    def start(app: web.Application, handler: Handler, host: str) -> Deliver | str:
        return register(app, handler, TeamsSettings(APP_ID, SECRET, TENANT, f"{url}/openid"), Credentials(url))

    with asked(folder) as asking:
        once = cache(lambda text: asking.answer(text, ChatThread(), EVERYTHING))  # what takes time here is not the computation

        def slow(text: str, thread: ChatThread, scope: Scope) -> Reply:
            time.sleep(seconds)
            return once(text)

        state = State(f"sqlite:///{folder / 'state.sqlite'}")
        app, _ = application(state, replace(asking, answer=slow), "127.0.0.1", [Surface("Teams", start)])
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        print(runner.addresses[0][1], flush=True)
        while os.getppid() != 1:  # whoever started it is gone
            await asyncio.sleep(0.5)


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3]))
