"""Two processes over one state: each question has one reply, whoever hears it, however often, and whoever dies of it."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

from bot.chat.sentences import say
from tests.slack.processes import build, reply_counts, start
from tests.slack.standin import Fault, Slack

QUESTIONS = 24


def test_each_question_has_one_reply_when_a_process_dies(tmp_path: Path) -> None:
    async def scenario() -> None:
        chance = random.Random(4)
        async with Slack() as slack:
            first = await start(slack, tmp_path, seconds=0.3)
            second = await start(slack, tmp_path, seconds=0.3)
            third = None
            try:
                asked = []
                for number in range(QUESTIONS):
                    said = slack.write("<@U0BOT> doctors in Acre", channel=f"C{number % 5}")
                    asked.append(said.ts)
                    event = slack.event("app_mention", said)
                    if number % 6 == 0:
                        slack.faults["chat.postMessage"].append(Fault(lost=chance.choice(("before", "after"))))
                    for process in chance.sample([first, second], k=chance.choice((1, 2, 2))):
                        slack.app = process.address
                        await slack.deliver(event)
                    if number == QUESTIONS // 2:
                        await first.kill()
                        first = third = await start(slack, tmp_path, seconds=0.3)
                await slack.until(lambda: 0 not in reply_counts(slack, asked) and _none_is_working(slack), 90)
                await asyncio.sleep(1)
                assert reply_counts(slack, asked) == {1: QUESTIONS}
                assert all("Dr Acre 01" in message.text for message in slack.from_bot())
            finally:
                for process in (first, second, third):
                    if process:
                        await process.kill()

    build(tmp_path)
    asyncio.run(asyncio.wait_for(scenario(), 180))


def _none_is_working(slack: Slack) -> bool:
    return all(message.text != say("en", "working") for message in slack.from_bot())
