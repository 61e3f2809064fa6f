"""A message of a thread made whole by a model: only where it cannot be told without one, and with words of the thread alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.engine.agents.playing import World, one_of, rows
from tests.engine.agents.test_query import PODIATRY
from tests.model.replies import Said

BEFORE = "podiatrists in Tarnby"
TEXT = "anybody of that kind by the castle of Oxmoor too?"
OXMOOR = rows(one_of("podiatrists", "specialty", "Podiatry"), one_of("Oxmoor", "city", "Oxmoor"))


def whole(question: str, *carried: str, follows_on: bool = True) -> Said:
    return Said({"follows_on": follows_on, "question": question, "carried": list(carried)})


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("providers in Norwick", "and in Easton?"),
        ("providers in Norwick", "only those who speak Hebrew"),
        ("how many podiatrists", "cardiologists in Norwick"),
    ],
)
def test_what_is_settled_without_a_model_makes_no_request(asking: World, before: str, text: str) -> None:
    assert asking(text, [], before).calls == 0


def test_one_request_by_the_small_model_and_what_was_carried_is_told(asking: World) -> None:
    came = asking(TEXT, [whole("podiatrists in Oxmoor", "podiatrists")], "hello", BEFORE)
    assert (came.calls, came.ids) == (1, [19]), "the whole question is covered without a model"
    assert came.endpoint.asked[0].body["model"] == "small"
    assert json.loads(came.told(0)) == {"earlier": ["hello", BEFORE], "message": TEXT}
    assert came.part.question == "podiatrists in Oxmoor"


def test_the_whole_question_is_what_the_planner_sees(asking: World) -> None:
    came = asking(TEXT, [whole("podiatrists by the castle of Oxmoor", "podiatrists"), OXMOOR, OXMOOR, OXMOOR], BEFORE, kind="model")
    assert json.loads(came.told(1))["question"] == "podiatrists by the castle of Oxmoor"
    assert BEFORE not in came.endpoint.prompts()[1], "the agent that plans sees no thread"


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (whole("dentists in Oxmoor", "dentists"), "does not stand in the earlier messages"),
        (whole("podiatrists in Paris", "podiatrists"), "add nothing"),
        (whole("podiatrists in Oxmoor"), "says what it takes along"),
        (whole("", "podiatrists"), "says what it takes along"),
        (whole(TEXT, "podiatrists", follows_on=False), "takes nothing along"),
    ],
)
def test_what_it_adds_is_told_and_repaired(asking: World, wrong: Said, told: str) -> None:
    came = asking(TEXT, [wrong, whole("podiatrists in Oxmoor", "podiatrists")], BEFORE)
    assert told in came.told(1) and (came.calls, came.ids) == (2, [19])


def test_a_denial_is_neither_added_nor_left_out(asking: World) -> None:
    added = whole("podiatrists not in Oxmoor", "podiatrists")
    came = asking(TEXT, [added, whole("podiatrists in Oxmoor", "podiatrists")], BEFORE)
    assert "say not; add nothing" in came.told(1) and came.ids == [19]
    text = "what of those who are not by the castle of Oxmoor"
    came = asking(text, [whole("podiatrists by the castle of Oxmoor", "podiatrists")] * 2, BEFORE)
    assert came.calls == 2 and "The message says not" in came.told(1) and came.part.notes


def test_a_question_that_stands_alone_takes_nothing_along(asking: World) -> None:
    text = "somebody for my aching feet in Oxmoor"
    came = asking(text, [whole("rubbish", follows_on=False), rows(PODIATRY, one_of("Oxmoor", "city", "Oxmoor"))], BEFORE)
    assert came.part.question == text and came.ids == [19]
    assert "Tarnby" not in json.loads(came.told(1))["question"]


def test_what_cannot_be_made_whole_is_planned_without(asking: World) -> None:
    wrong: Any = whole("dentists in Paris", "dentists")
    came = asking(TEXT, wrong, BEFORE)
    assert came.calls == 2 and came.part.notes and came.part.kind == "no_answer"


def test_only_the_askers_own_messages_are_sent(asking: World) -> None:
    came = asking(TEXT, [whole("podiatrists in Oxmoor", "podiatrists")], *[f"podiatrists number {number}" for number in range(12)])
    assert len(json.loads(came.told(0))["earlier"]) == 8
