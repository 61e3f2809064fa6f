"""Fifty questions a second: `python -m tests.slack.load --seconds 60`; prints the times of acknowledgement and how many replies each question had.

Two processes serve over one state, one of them is killed and replaced half way, some deliveries are sent twice and some to both.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from pathlib import Path

from bot.chat.sentences import say
from tests.slack.processes import Process, build, reply_counts, start
from tests.slack.standin import Slack


async def run(rate: float, seconds: float, engine: float, threads: int, processes: int, restart: bool, folder: Path) -> bool:
    """Sends questions at that rate for so long; whether each had one reply."""
    chance = random.Random(1)
    async with Slack() as slack:
        serving = [await start(slack, folder, seconds=engine, threads=threads) for _ in range(processes)]
        for process in serving:  # the first request pays for imports and for learning whose token it is
            slack.app = process.address
            await slack.ask("doctors in Acre")
        await slack.until(lambda: len(slack.from_bot()) == processes, 30)
        slack.sent.clear()
        asked: list[str] = []
        sending: list[asyncio.Task[None]] = []
        killed = False
        began = time.monotonic()
        while (now := time.monotonic() - began) < seconds:
            if restart and not killed and now > seconds / 2:
                killed = True
                await serving[0].kill()
                sending.append(asyncio.create_task(_replace(slack, folder, engine, threads, serving)))
            said = slack.write("<@U0BOT> doctors in Acre", user=f"U{len(asked) % 50}", channel=f"C{len(asked) % 20}")
            asked.append(said.ts)
            sending.append(asyncio.create_task(_deliver(slack, slack.event("app_mention", said), serving, chance)))
            await asyncio.sleep(max(0.0, began + len(asked) / rate - time.monotonic()))
        await asyncio.gather(*sending)
        try:
            await slack.until(lambda: 0 not in reply_counts(slack, asked) and not _working(slack), 120)
        except TimeoutError:
            print("some have no reply")
        done = time.monotonic() - began
        took = sorted(seconds for status, seconds in slack.sent if status == 200)
        print(f"{len(asked)} questions at {len(asked) / seconds:.1f} a second; the last reply {done:.1f} s after the first question")
        print(f"{len(slack.sent)} deliveries, {len(slack.sent) - len(took)} of them not acknowledged (to a killed process)")
        print("acknowledged, ms: " + ", ".join(f"{name} {1000 * took[int(at * (len(took) - 1))]:.1f}" for name, at in _PARTS.items()))
        counts = reply_counts(slack, asked)
        print(f"questions by how many replies they had: {counts}; refused by Slack: {len(slack.refused)}")
        for process in serving:
            await process.kill()
        return counts == {1: len(asked)}


_PARTS = {"median": 0.5, "95 %": 0.95, "99 %": 0.99, "most": 1.0}


async def _deliver(slack: Slack, event: dict[str, object], serving: list[Process], chance: random.Random) -> None:
    """To one process, as a balancer does it, until it is acknowledged; one in ten twice, as Slack does it when it did not hear that."""
    left = 2 if chance.random() < 0.1 else 1
    while left:
        slack.app = chance.choice(serving).address
        if await slack.deliver(event, tries=1) == 200:
            left -= 1
        else:
            await asyncio.sleep(0.5)


async def _replace(slack: Slack, folder: Path, engine: float, threads: int, serving: list[Process]) -> None:
    serving[0] = await start(slack, folder, seconds=engine, threads=threads)


def _working(slack: Slack) -> bool:
    return any(message.text == say("en", "working") for message in slack.from_bot())


def main() -> None:
    """Reads the arguments and runs it; exits with 1 where a question had no reply or several."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--engine", type=float, default=0.2, help="seconds that the engine takes for a question")
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--no-restart", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder))
        restart = not given.no_restart
        ok = asyncio.run(run(given.rate, given.seconds, given.engine, given.threads, given.processes, restart, Path(folder)))
    raise SystemExit(0 if ok else 1)


if __name__ == "__main__":
    main()
