"""What is held for a while: one call for all who wait, nothing held of what failed, the oldest let go first."""

from __future__ import annotations

import asyncio

import pytest

from bot.chat.known import Known
from tests.chat.test_state import Clock


def test_all_who_wait_get_the_answer_of_one_call_and_who_gives_up_takes_it_from_nobody() -> None:
    async def scenario() -> None:
        asked: list[str] = []
        let = asyncio.Event()

        async def ask() -> str:
            asked.append("asked")
            await let.wait()
            return "told"

        known: Known[str] = Known(60, Clock())
        waiting = [asyncio.create_task(known.get("a", ask)) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.sleep(0)
        let.set()
        assert await asyncio.gather(*waiting[1:], known.get("a", ask)) == ["told"] * 3
        assert waiting[0].cancelled() and asked == ["asked"]

    asyncio.run(asyncio.wait_for(scenario(), 10))


def test_a_failure_is_told_to_all_and_held_for_nobody() -> None:
    async def scenario() -> None:
        answers = iter([ValueError("no"), "told"])

        async def ask() -> str:
            await asyncio.sleep(0)
            answer = next(answers)
            if isinstance(answer, Exception):
                raise answer
            return answer

        known: Known[str] = Known(60, Clock())
        failed = await asyncio.gather(known.get("a", ask), known.get("a", ask), return_exceptions=True)
        assert [type(each) for each in failed] == [ValueError, ValueError]
        assert await known.get("a", ask) == await known.get("a", ask) == "told"

    asyncio.run(asyncio.wait_for(scenario(), 10))


@pytest.mark.parametrize(("later", "told"), [(59, 1), (60, 2)])
def test_an_answer_is_held_so_long_and_no_longer(later: float, told: int) -> None:
    async def scenario() -> None:
        clock = Clock()
        known: Known[int] = Known(60, clock)
        numbers = iter(range(1, 9))

        async def ask() -> int:
            return next(numbers)

        await known.get("a", ask)
        clock.now += later
        assert await known.get("a", ask) == told

    asyncio.run(asyncio.wait_for(scenario(), 10))


def test_the_oldest_is_let_go_where_there_are_too_many() -> None:
    async def scenario() -> None:
        asked: list[str] = []
        known: Known[None] = Known(60, Clock(), most=2)

        async def get(key: str) -> None:
            async def ask() -> None:
                asked.append(key)

            await known.get(key, ask)

        for key in ("a", "b", "c", "c", "b", "a"):
            await get(key)
        assert asked == ["a", "b", "c", "a"]

    asyncio.run(asyncio.wait_for(scenario(), 10))
