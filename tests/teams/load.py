"""Fifty questions a second: `python -m tests.teams.load --seconds 60`; prints the times of acknowledgement and how many replies each question had.

Two processes serve over one state, one of them is killed and replaced half way, some activities are sent twice and some to both.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import aiohttp
from aiohttp import web

from bot.teams.surface import PATH
from tests.chat.world import asked
from tests.teams.standin import BOT, Teams, serve

ROOT: Final = Path(__file__).resolve().parent.parent.parent
OWN: Final = f"<at>{BOT['name']}</at>"
_PARTS: Final = {"median": 0.5, "95 %": 0.95, "99 %": 0.99, "most": 1.0}


@dataclass
class Serving:
    """A process that serves, and where it listens."""

    address: str
    process: asyncio.subprocess.Process

    async def kill(self) -> None:
        """Ends it in the middle of whatever it does."""
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()


async def start(teams: Teams, folder: Path, engine: float) -> Serving:
    """Starts one over the table of a folder, and waits until it listens."""
    command = [sys.executable, "-m", "tests.teams.serving", str(folder), str(engine), teams.url]
    unlimited = dict.fromkeys(("ALMANAC_QUESTIONS_A_MINUTE", "ALMANAC_WORKSPACE_QUESTIONS_A_MINUTE"), "0")
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, env=os.environ | unlimited, stdout=asyncio.subprocess.PIPE)
    assert process.stdout
    line = await asyncio.wait_for(process.stdout.readline(), 60)
    return Serving(f"http://127.0.0.1:{int(line)}{PATH}", process)


async def run(rate: float, seconds: float, engine: float, platform: float, processes: int, restart: bool, folder: Path) -> bool:
    """Sends questions at that rate for so long; whether each had one reply."""
    chance = random.Random(1)
    teams = Teams()
    app = teams.app()
    app.middlewares.append(_after(platform))
    outside, teams.url = await serve(app)
    token = teams.token()
    serving = [await start(teams, folder, engine) for _ in range(processes)]
    asked_in: list[str] = []
    sending: list[asyncio.Task[int]] = []
    replacing: asyncio.Task[None] | None = None
    began = time.monotonic()
    while (now := time.monotonic() - began) < seconds:
        if restart and replacing is None and now > seconds / 2:
            await serving[0].kill()
            replacing = asyncio.create_task(_replace(teams, folder, engine, serving))
        conversation = f"19:doctors{len(asked_in) % 20}@thread.tacv2;messageid={len(asked_in)}"
        mention = {"type": "mention", "mentioned": BOT, "text": OWN}
        person = f"P{len(asked_in) % 50}"
        sent = teams.activity(f"{OWN} doctors in Acre", conversation=conversation, person=person, entities=[mention])
        asked_in.append(conversation)
        sending.append(asyncio.create_task(_deliver(teams, sent, token, serving, chance)))
        await asyncio.sleep(max(0.0, began + len(asked_in) / rate - time.monotonic()))
    lost = sum(await asyncio.gather(*sending))
    if replacing is not None:
        await replacing
    try:
        await teams.until(len(asked_in), 120)
    except TimeoutError:
        print("some have no reply")
    done = time.monotonic() - began
    await asyncio.sleep(5)  # in which a second reply would come
    for process in serving:
        await process.kill()
    await outside.cleanup()
    took = sorted(teams.seconds)
    replies = Counter(posted.conversation for posted in teams.messages)
    counts = dict(Counter(replies[conversation] for conversation in asked_in))
    print(f"{len(asked_in)} questions at {len(asked_in) / seconds:.1f} a second; the last reply {done:.1f} s after the first question")
    print(f"{len(took)} activities acknowledged, {lost} not (by a killed process), so that they were sent again")
    print("acknowledged, ms: " + ", ".join(f"{name} {1000 * took[int(at * (len(took) - 1))]:.1f}" for name, at in _PARTS.items()))
    print(f"questions by how many replies they had: {counts}; refused by Teams: {len(teams.refused)}")
    return counts == {1: len(asked_in)}


async def _deliver(teams: Teams, activity: dict[str, Any], token: str, serving: list[Serving], chance: random.Random) -> int:
    """To one process, as a balancer does it, until it is acknowledged; one in ten twice, as Teams does it when it did not hear that.

    Gives how often it was not.
    """
    left, lost = 2 if chance.random() < 0.1 else 1, 0
    while left:
        teams.bot = chance.choice(serving).address
        try:
            status, _ = await teams.send(activity, token)
        except (aiohttp.ClientError, TimeoutError):
            status = 0
        if status == 200:
            left -= 1
        else:
            lost += 1
            await asyncio.sleep(0.5)
    return lost


async def _replace(teams: Teams, folder: Path, engine: float, serving: list[Serving]) -> None:
    serving[0] = await start(teams, folder, engine)


def _after(seconds: float) -> Any:
    """What lets every call of the platform take so long."""

    @web.middleware
    async def wait(request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> web.StreamResponse:
        await asyncio.sleep(seconds)
        return await handler(request)

    return wait


def main() -> None:
    """Reads the arguments and runs it; exits with 1 where a question had no reply or several."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, default=50)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--engine", type=float, default=0.2, help="seconds that the engine takes for a question")
    parser.add_argument("--platform", type=float, default=0.1, help="seconds that Teams takes for a call")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--no-restart", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        with asked(Path(folder)):  # builds the table once, so that the processes find it
            pass
        restart = not given.no_restart
        ok = asyncio.run(run(given.rate, given.seconds, given.engine, given.platform, given.processes, restart, Path(folder)))
    raise SystemExit(0 if ok else 1)


if __name__ == "__main__":
    main()
