"""What a model planned is kept: the plan by its question, the reply by its request."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest

from cache.hints import Hints
from engine.agents.parts import ALL
from engine.model import ModelEndpoint
from engine.remember import Memory
from tests.engine.agents.playing import World
from tests.engine.agents.test_query import BEYOND, FEET, RIGHT, SELECT, TWICE, sql
from tests.model.replies import Said
from tests.model.standin import KEY, serving


def test_a_plan_of_a_model_is_found_again_without_a_request(asking: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "engine")
    memory = Memory(asking.root)
    first = asking(FEET, [RIGHT], memory=memory)
    again = asking(FEET, [], memory=memory)
    later = asking(FEET, [], memory=Memory(asking.root))
    assert first.calls == 1 and again.calls == later.calls == 0
    assert again.part == later.part == first.part
    assert again.reply.planner == "model" and again.reply.spent.calls == 0
    assert [record.recalled for record in caplog.records if record.message == "planned"] == [False, True, True]  # type: ignore[attr-defined]


def test_another_model_or_another_way_plans_anew(asking: World) -> None:
    memory = Memory(asking.root)
    with serving(RIGHT) as endpoint:
        asking.at(endpoint, FEET, memory=memory)
        asking.at(endpoint, FEET, memory=memory)
        assert endpoint.calls == 1
        asking.at(endpoint, FEET, memory=memory, kind="model")
        asking.at(endpoint, FEET, memory=memory, parts=replace(ALL, rows=False))
        asking.at(endpoint, FEET, memory=memory, endpoint=ModelEndpoint("larger", endpoint.address, KEY))
        assert endpoint.calls == 4


def test_what_failed_is_asked_anew(asking: World) -> None:
    memory = Memory(asking.root)
    assert asking(FEET, Said(None), memory=memory).part.notes
    assert asking(FEET, [RIGHT], memory=memory).ids == [14]


def test_a_written_query_is_planned_anew_of_the_replies_that_were_kept(asking: World) -> None:
    memory, replies = Memory(asking.root), Hints(asking.root, "replies")
    with serving([BEYOND, sql(SELECT)]) as endpoint:
        first, again = (asking.at(endpoint, TWICE, memory=memory, replies=replies) for _ in range(2))
    assert first.kind == "answer" and first.parts == again.parts and endpoint.calls == 2
    assert (first.spent.calls, again.spent.calls) == (2, 0), "a model that was not asked costs nothing"


def test_every_reply_is_asked_for_where_none_is_kept(asking: World) -> None:
    with serving([BEYOND, sql(SELECT)] * 2) as endpoint:
        for _ in range(2):
            asking.at(endpoint, TWICE)
    assert endpoint.calls == 4
