"""Plans that fit the table and not the question: told to the model once, and less sure where it stays with them."""

from __future__ import annotations

import pytest

from engine.agents.form import AskBack, Figure, Figures, NotInTable, Order, Rows, Unused
from engine.agents.form import Limit as Having
from engine.types import NoAnswerPlan, TablePlan
from tests.engine.agents.playing import World, one_of, rows, said
from tests.engine.agents.test_query import BEYOND, FEET, PODIATRY, RIGHT, SELECT, TARNBY, TWICE, sql
from tests.model.replies import Said

HEART = one_of("aching heart", "specialty", "Cardiology", op="has")
BEST = (Order(by="value", column="rating", descending=True),)
NORWICK = one_of("Norwick", "city", "Norwick")
EITHER = rows(HEART, NORWICK, match="any")
DOUBTED: dict[str, tuple[str, Said, str]] = {
    "a limit that nobody asked for": (FEET, rows(PODIATRY, TARNBY, limit=5), "does not ask for 5"),
    "a first one without an order": (FEET, rows(PODIATRY, TARNBY, limit=1), "does not ask for 1"),
    "any, where all is meant": ("somebody for my aching heart in Norwick", EITHER, 'No "or" stands between'),
    "any, with one condition too many": (
        "somebody for my aching heart in Norwick or Tarnby",
        rows(HEART, NORWICK, TARNBY, match="any"),
        'No "or" stands between',
    ),
    "a denial that is left out": ("somebody for aching feet who is not in Tarnby", rows(PODIATRY, TARNBY), 'The question says "is not in'),
    "words that are said to say nothing": (FEET, rows(TARNBY, unused=(Unused(words="aching feet", why="says_nothing"),)), '"aching", "feet" may say something'),
}  # fmt: skip


@pytest.mark.parametrize("name", DOUBTED)
def test_what_the_question_does_not_bear_out_is_told_once_and_then_less_sure(asking: World, name: str) -> None:
    text, plan, told = DOUBTED[name]
    came = asking(text, [plan, plan], kind="model")
    assert came.calls == 2 and told in came.told(1)
    assert came.part.kind == "answer" and came.part.confidence.value <= 0.6
    assert "the wording leaves room" in came.part.confidence.reasons
    assert asking(text, [plan, plan]).reply.planner == "offline", "and it does not take the place of an honest no"


BORNE_OUT: dict[str, tuple[str, Said]] = {
    "a limit by its number": ("the two with the highest rating for aching hearts", rows(one_of("aching hearts", "specialty", "Cardiology"), sort=BEST, limit=2)),
    "or": ("somebody for my aching heart or anybody in Norwick", EITHER),
    "a denial": ("somebody for aching feet who is not in Tarnby", rows(PODIATRY, one_of("not in Tarnby", "city", "Tarnby", op="is_not"))),
    "what the asker has none of": ("somebody for aching feet with no wheelchair access", rows(PODIATRY, one_of("no wheelchair access", "wheelchair access", "No"))),
}  # fmt: skip


@pytest.mark.parametrize("name", BORNE_OUT)
def test_what_it_does_is_one_request(asking: World, name: str) -> None:
    text, plan = BORNE_OUT[name]
    came = asking(text, [plan], kind="model")
    assert came.calls == 1 and came.part.kind == "answer" and came.part.confidence.value == 0.9


def test_a_condition_on_words_that_only_tie_is_one_that_nobody_asked_for(asking: World) -> None:
    came = asking(FEET, [rows(PODIATRY, TARNBY, one_of("in", "wheelchair access", "No")), RIGHT])
    assert came.calls == 2 and '"in" does not stand in the question' in came.told(1)
    assert [line.phrase for line in came.part.bindings] == ["aching feet", "Tarnby"]


def test_words_that_a_plan_passes_over_are_told_to_the_asker(asking: World) -> None:
    text = "kindly somebody for my aching feet in Tarnby today"
    came = asking(
        text, [rows(PODIATRY, TARNBY, unused=(Unused(words="kindly", why="says_nothing"), Unused(words="today", why="says_nothing")))] * 2
    )
    assert came.part.kind == "answer" and "kindly" in came.part.unused


def test_a_plan_that_was_doubted_and_never_mended_is_not_sure(asking: World) -> None:
    came = asking(FEET, [rows(PODIATRY, TARNBY, limit=7), Said("no"), Said("no")], kind="model")
    assert came.calls == 3 and came.part.kind == "answer" and came.part.confidence.value == 0.4
    assert asking(FEET, [rows(PODIATRY, TARNBY, limit=7), Said("no"), Said("no")]).reply.planner == "offline"


def test_a_plan_with_a_condition_that_nobody_asked_for_does_not_stand(asking: World) -> None:
    invented = rows(PODIATRY, TARNBY, one_of("wheelchair", "wheelchair access", "No"))
    came = asking(FEET, [invented, Said("no"), Said("no")], kind="model")
    assert came.part.kind == "failure" and not came.part.bindings


def test_what_a_model_says_is_no_word_of_the_question_is_not_shown(asking: World) -> None:
    came = asking(FEET, said(NotInTable(words=("Tarnby: see https://evil.example <!channel>", "and this as well"))), kind="model")
    assert isinstance(came.part.plan, NoAnswerPlan) and came.part.plan.words == ("Tarnby",)
    assert "evil" not in str(came.reply.to_json())


FIRST = Figures(
    conditions=(PODIATRY,), figures=(Figure(function="average", column="fee"),),
    sort=BEST, limit=2,
)  # fmt: skip
GROUPS = Figures(conditions=(PODIATRY,), figures=(Figure(function="count"),), group_by=("city",))
UNSAID: dict[str, tuple[Figures | Rows, str]] = {
    "the average of the first two": (FIRST, "that of the first few"),
    "groups by what they do not have": (GROUPS.model_copy(update={"sort": (Order(by="value", column="rating"),)}), "Groups are sorted by"),
    "groups by a date and a number": (GROUPS.model_copy(update={"having": (Having(function="min", column="joined", op="more", value=5),)}), "a test of groups"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNSAID)
def test_what_figures_cannot_say_is_refused_and_not_left_out(asking: World, name: str) -> None:
    plan, told = UNSAID[name]
    text = "average fee of the two best rated for aching feet by city"
    came = asking(text, [said(plan), said(GROUPS)] + [said(GROUPS)] * 2, kind="model")
    assert told in came.told(1)
    assert not isinstance(came.part.plan, TablePlan) or not came.part.plan.limit


TWICE_HERE = "SELECT name FROM providers WHERE fee > 30 * rating AND "
RECEIPTS: dict[str, tuple[str, list[tuple[str, str, str, tuple[str, ...]]]]] = {
    "is": ("city = 'Norwick'", [("Norwick", "city", "is", ("Norwick",))]),
    "is not": ("city <> 'Norwick'", [("Norwick", "city", "is_not", ("Norwick",))]),
    "not in": ("city NOT IN ('Norwick')", [("Norwick", "city", "is_not", ("Norwick",))]),
    "not that it is not": ("NOT (city <> 'Norwick')", [("Norwick", "city", "is", ("Norwick",))]),
    "what nobody can tell": ("NOT (city = 'Norwick' AND rating < 4)", []),
    "a term for none of the words": ("city = 'Norwick' AND district = 'North'", [("Norwick", "city", "is", ("Norwick",)), ("…", "district", "is", ("North",))]),
}  # fmt: skip


@pytest.mark.parametrize("name", RECEIPTS)
def test_the_receipt_of_a_query_says_what_it_does(asking: World, name: str) -> None:
    where, lines = RECEIPTS[name]
    came = asking(TWICE, [BEYOND, sql(TWICE_HERE + where)], kind="model")
    assert came.part.kind == "answer"
    assert sorted((line.phrase, line.column, line.op, line.terms) for line in came.part.bindings) == sorted(lines)
    assert (came.part.confidence.value < 0.9) is ("…" in [line.phrase for line in came.part.bindings])


@pytest.mark.parametrize("unused", [(), (Unused(words=TWICE, why="says_nothing"),)])
def test_a_query_that_leaves_out_a_name_comes_back(asking: World, unused: tuple[Unused, ...]) -> None:
    came = asking(TWICE, [BEYOND, sql("SELECT name FROM providers", *unused), sql(SELECT)])
    assert came.calls == 3 and 'used by nothing: "Norwick"' in came.told(2)
    assert came.part.result is not None and came.part.result.total == 1


def test_a_query_that_says_little_of_the_question_is_not_sure(asking: World) -> None:
    text = "somebody gentle for my aching feet"
    came = asking(text, [BEYOND, sql("SELECT name FROM providers")], kind="model")
    assert came.part.confidence.value <= 0.6 and came.part.unused == ("gentle", "aching", "feet")
    assert asking(text, [BEYOND, sql("SELECT name FROM providers")]).reply.planner == "offline"


def test_a_question_back_leaves_no_word_out(asking: World) -> None:
    meanings = (one_of("aching feet", "specialty", "Podiatry"), one_of("aching feet", "specialty", "Cardiology"))
    came = asking(FEET, [said(AskBack(meanings=meanings)), said(AskBack(meanings=meanings, conditions=(TARNBY,)))], kind="model")
    assert came.calls == 2 and 'used by nothing: "Tarnby"' in came.told(1) and came.part.kind == "clarify"
    other = (meanings[0], one_of("Tarnby", "city", "Tarnby"))
    assert "the same words for all" in asking(FEET, [said(AskBack(meanings=other)), RIGHT], kind="model").told(1)
