"""Whatever fails at the endpoint: the offline planner takes over and says so, or the one sentence is raised where nothing may take over."""

from __future__ import annotations

import pytest

from engine.errors import ModelError
from engine.language import language
from engine.remember import Memory
from engine.types import NoAnswerPlan
from tests.engine.agents.playing import World, rows
from tests.engine.agents.test_query import FEET, RIGHT, TARNBY
from tests.model.failures import FAILURES, Failure
from tests.model.replies import HTML, Said, too_many
from tests.model.standin import KEY

COVERED = "cardiologists in Norwick"
NOTE = language("en").sentences["without_model"]


def of(failure: Failure) -> str:
    return failure.name


def patience(failure: Failure) -> float:
    return 0.3 if failure.name == "silence" else 30.0


@pytest.mark.parametrize("failure", FAILURES, ids=of)
def test_what_is_covered_without_a_model_is_answered_all_the_same(asking: World, failure: Failure) -> None:
    came = asking(COVERED, failure.reply, kind="model", seconds=patience(failure))
    assert (came.ids, came.reply.planner, came.part.notes) == ([1, 3], "offline", (NOTE,))
    assert 1 <= came.calls <= 3


@pytest.mark.parametrize("failure", FAILURES, ids=of)
def test_what_is_not_covered_says_so_and_why(asking: World, failure: Failure) -> None:
    came = asking(FEET, failure.reply, seconds=patience(failure))
    assert (came.part.kind, came.part.notes) == ("no_answer", (NOTE,))
    assert isinstance(came.part.plan, NoAnswerPlan) and came.part.plan.reason == "words_without_a_place"
    shown = str(came.reply.to_json())
    assert not any(part in shown for part in (KEY, "sk-secret", HTML[:6], "Traceback", "Ada, Grace"))


@pytest.mark.parametrize("failure", FAILURES, ids=of)
def test_alone_it_is_one_sentence(asking: World, failure: Failure) -> None:
    with pytest.raises(ModelError, match=r"^The model[^\n]*\.$"):
        asking(FEET, failure.reply, kind="model", alone=True, seconds=patience(failure))


def test_who_is_turned_away_waits_and_asks_again(asking: World) -> None:
    came = asking(FEET, [too_many("0.01"), RIGHT])
    assert (came.calls, came.ids, came.part.notes) == (2, [14], ())
    assert came.reply.spent.calls == 2


def test_an_endpoint_that_is_away_in_the_middle_of_a_repair(asking: World) -> None:
    came = asking(FEET, [rows(TARNBY), *[too_many(None)] * 3])
    assert came.calls == 4 and came.part.kind == "no_answer" and came.part.result is None
    assert asking(COVERED, [rows(), *[too_many(None)] * 3], kind="model").part.kind == "failure"


def test_the_note_is_in_the_language_of_the_question(asking: World) -> None:
    came = asking("quién cura los juanetes malos en Tarnby", Said(None))
    assert came.part.notes == (language("es").sentences["without_model"],)


def test_an_answer_that_was_planned_without_is_not_kept(asking: World) -> None:
    memory = Memory(asking.root)
    assert asking(COVERED, Said(None), kind="model", memory=memory).part.notes
    later = asking(COVERED, rows(), kind="model", memory=memory)
    assert later.calls >= 1, "another time the model may be there"
