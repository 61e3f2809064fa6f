"""What an endpoint does that is no reply: it sends elsewhere, drips, sends far too much, or once gives what is no use."""

from __future__ import annotations

import pytest

from cache.hints import Hints
from tests.engine.agents.playing import World
from tests.engine.agents.test_query import FEET, RIGHT
from tests.model.replies import Dripping, Raw, Said
from tests.model.standin import serving


def test_a_redirect_is_not_followed(asking: World) -> None:
    with serving([RIGHT]) as elsewhere:
        came = asking(FEET, Raw(307, "", {"Location": f"{elsewhere.address}/chat/completions"}))
        assert elsewhere.calls == 0 and came.reply.planner == "offline" and came.part.notes
        assert asking.at(elsewhere, FEET).planner == "model"


def test_a_body_that_drips_takes_no_longer_than_a_reply_may(asking: World) -> None:
    assert isinstance(RIGHT, Said)
    came = asking(FEET, Dripping(RIGHT), seconds=0.5)
    assert came.reply.planner == "offline" and came.part.notes
    assert asking(FEET, Dripping(RIGHT, 0.2)).reply.planner == "model"


def test_a_body_without_end_is_not_read(asking: World) -> None:
    came = asking(FEET, Raw(200, " " * 3_000_000 + "{}"))
    assert came.reply.planner == "offline" and came.part.notes


def test_a_reply_that_was_no_use_is_not_kept(asking: World) -> None:
    replies = Hints(asking.root, "replies")
    with serving([*[Said("no")] * 3, Said("no"), RIGHT]) as endpoint:
        said = [asking.at(endpoint, FEET, replies=replies).planner for _ in range(3)]
        assert said == ["offline", "model", "model"] and endpoint.calls == 5, "and what came to something is"


@pytest.mark.parametrize("usage", [{}, None, "many", {"prompt_tokens": -5, "completion_tokens": "x"}, {"prompt_tokens_details": [1]}])
def test_a_reply_is_taken_whatever_it_is_said_to_have_cost(asking: World, usage: object) -> None:
    assert isinstance(RIGHT, Said)
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": RIGHT.text}}
    body = {"id": "x", "object": "chat.completion", "created": 0, "model": "large", "choices": [choice], "usage": usage}
    came = asking(FEET, Raw(200, body))
    assert came.ids == [14] and came.reply.spent.calls == 1 and came.reply.spent.tokens == 0
