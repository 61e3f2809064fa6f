"""A process that serves Slack over the small table of the tests: `python -m tests.slack.serving FOLDER SECONDS THREADS`; its port is its first line.

SECONDS is what the engine takes for a question; FOLDER holds the table and the state, which several such processes share.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import cache
from pathlib import Path

from aiohttp import web

import bot.chat.handler as handling
from bot.chat.handler import Handler
from bot.chat.outbox import keep_emptying
from bot.chat.state import State
from bot.slack.settings import slack_settings
from bot.slack.surface import register
from engine.types import EVERYTHING, ChatThread, Reply, Scope
from tests.chat.world import asked

DEADLINE = 12.0  # seconds; short, so that what a killed process leaves behind is soon another's
handling.LEASE = 8.0


async def serve(folder: Path, seconds: float, threads: int) -> None:
    """Serves until it is killed."""
    with asked(folder) as asking:
        once = cache(lambda text: asking.answer(text, ChatThread(), EVERYTHING))  # what takes time here is not the computation
        once("doctors in Acre")  # nor loading what computes, which beside other work outlasts the deadline: it listens when it is ready

        def slow(text: str, thread: ChatThread, scope: Scope) -> Reply:
            time.sleep(seconds)
            return once(text)

        handler = Handler(State(f"sqlite:///{folder / 'state.sqlite'}"), replace(asking, answer=slow), threads=threads, deadline=DEADLINE)
        settings = slack_settings()
        assert not isinstance(settings, str), settings
        app = web.Application()

        async def emptying(_: web.Application) -> AsyncIterator[None]:
            task = asyncio.create_task(keep_emptying(handler, "slack", deliver))
            yield
            task.cancel()

        deliver = register(app, handler, settings)
        app.cleanup_ctx.append(emptying)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        print(runner.addresses[0][1], flush=True)
        while os.getppid() != 1:  # whoever started it is gone
            await asyncio.sleep(0.5)


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])))
