"""Processes that serve Slack, started and killed."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from bot.slack.manifest import PATH, SCOPES
from tests.chat.world import asked
from tests.slack.standin import BOT_TOKEN, SECRET, Slack

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass
class Process:
    """One of them: where it listens, and the operating system's own."""

    address: str
    process: asyncio.subprocess.Process

    async def kill(self) -> None:
        """Ends it in the middle of whatever it does."""
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()


async def start(slack: Slack, folder: Path, *, seconds: float, threads: int = 4) -> Process:
    """Starts one over the table of a folder, and waits until it listens."""
    slack.tokens[BOT_TOKEN] = set(SCOPES)
    own = {
        "SLACK_BOT_TOKEN": BOT_TOKEN,
        "SLACK_SIGNING_SECRET": SECRET,
        "SLACK_API_URL": slack.address,
        "ALMANAC_DATA": str(folder / "data"),
        "ALMANAC_QUESTIONS_A_MINUTE": "0",  # here people ask more than people do
        "ALMANAC_WORKSPACE_QUESTIONS_A_MINUTE": "0",
    }
    command = [sys.executable, "-m", "tests.slack.serving", str(folder), str(seconds), str(threads)]
    without = {name: value for name, value in os.environ.items() if not name.startswith("SLACK_")}
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, env=without | own, stdout=asyncio.subprocess.PIPE)
    assert process.stdout
    line = await asyncio.wait_for(process.stdout.readline(), 60)
    return Process(f"http://127.0.0.1:{int(line)}{PATH}", process)


def build(folder: Path) -> None:
    """Builds the table once, so that the processes find it."""
    with asked(folder):
        pass


def reply_counts(slack: Slack, asked_in: list[str]) -> dict[int, int]:
    """How many questions (by the ts that they were asked with) have how many replies."""
    replies: dict[str, int] = {}
    for message in slack.from_bot():
        replies[message.thread] = replies.get(message.thread, 0) + 1
    counts: dict[int, int] = {}
    for ts in asked_in:
        counts[replies.get(ts, 0)] = counts.get(replies.get(ts, 0), 0) + 1
    return counts
