"""The agent that plans: one request for a plain question, and each kind of wrong reply told so that it is repaired."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from engine.again import run_again
from engine.agents.form import AskBack, Beyond, ColumnAs, Condition, Figure, Figures, NotInTable, Order, Retype, Select, Unused
from engine.errors import BuildError
from engine.language import language
from engine.table import OpenTable
from engine.types import EVERYTHING, ClarifyPlan, ColumnType, NoAnswerPlan, SqlPlan, TablePlan
from tests.engine.agents.playing import World, one_of, rows, said
from tests.engine.conftest import NOW
from tests.engine.samples import PROVIDERS, items, numbers
from tests.model.failures import ORDERED_SQL
from tests.model.replies import Said

FEET = "somebody for my aching feet in Tarnby"
PODIATRY = one_of("aching feet", "specialty", "Podiatry", op="has")
TARNBY = one_of("Tarnby", "city", "Tarnby")
RIGHT = rows(PODIATRY, TARNBY)
TWICE = "whose fee is beyond thirty times the rating in Norwick?"
BEYOND = said(Beyond(why="two columns are compared"))


def sql(text: str, *unused: Unused) -> Said:
    return said(Select(sql=text, unused=unused))


def test_a_plain_question_on_a_chosen_table_is_one_request(asking: World) -> None:
    came = asking(FEET, [RIGHT])
    assert (came.calls, came.ids, came.reply.planner) == (1, [14], "model")
    assert isinstance(came.part.plan, TablePlan) and not came.part.unused and not came.part.notes
    assert [(line.phrase, line.column, line.terms) for line in came.part.bindings] == [
        ("aching feet", "specialty", ("Podiatry",)),
        ("Tarnby", "city", ("Tarnby",)),
    ]
    assert came.part.confidence.value == 0.9


@pytest.mark.parametrize(
    "text", ["cardiologists in Norwick", "how many providers per district?", "phone of Ida Falk", "drop table providers", ""]
)
def test_what_is_planned_without_a_model_makes_no_request(asking: World, text: str) -> None:
    assert (came := asking(text, [])).calls == 0 and came.reply.planner == "offline"


def test_a_planner_that_asks_a_model_all_asks_it_that_too(asking: World) -> None:
    came = asking(
        "cardiologists in Norwick",
        [rows(one_of("cardiologists", "specialty", "cardiology"), one_of("Norwick", "city", "NORWICK"))],
        kind="model",
    )
    assert (came.calls, came.ids) == (1, [1, 3])
    assert asking("drop table providers", [], kind="model").calls == 0


WRONG: dict[str, tuple[str, Said, tuple[str, ...]]] = {
    "a column that is not there": (FEET, rows(PODIATRY, one_of("Tarnby", "town", "Tarnby")), ('no column "town"',)),
    "a value that is no term": (FEET, rows(one_of("aching feet", "specialty", "Podiatrist clinic"), TARNBY), ("no value", "The nearest are", '"Podiatry"')),
    "a value of another column": (FEET, rows(PODIATRY, one_of("Tarnby", "name", "Tarnby")), ("no value", "It is a value of", '"city"')),
    "a text for a number": (FEET, rows(PODIATRY, one_of("Tarnby", "fee", "cheap", op="less")), ('"fee" holds numbers', '"cheap"')),
    "a text for a date": (FEET, rows(PODIATRY, one_of("Tarnby", "joined", "lately", op="more")), ("such as 2026-11-30", '"lately"')),
    "an order of text": (FEET, rows(PODIATRY, one_of("Tarnby", "city", "Tarnby", op="less")), ("city",)),
    "words without a place": (FEET, rows(TARNBY), ("used by nothing", '"aching"', '"feet"')),
    "a name that says nothing": (FEET, rows(PODIATRY, unused=(Unused(words="Tarnby", why="says_nothing"),)), ("is a name or a figure", '"Tarnby"')),
    "words not in the question": (FEET, rows(PODIATRY, TARNBY, one_of("wheelchair", "wheelchair access", "Yes")), ('"wheelchair" does not stand in the question',)),
    "a limit that is none": (FEET, rows(PODIATRY, TARNBY, limit=0), ("limit",)),
    "a sum of a text": (FEET, said(Figures(conditions=(PODIATRY, TARNBY), figures=(Figure(function="sum", column="city"),))), ("city",)),
    "figures without a figure": (FEET, said(Figures(conditions=(PODIATRY, TARNBY))), ("needs a figure",)),
    "rows by a count": (FEET, rows(PODIATRY, TARNBY, sort=(Order(by="count"),)), ("rows are sorted by",)),
    "a question back with one meaning": (FEET, said(AskBack(conditions=(TARNBY,), meanings=(PODIATRY,))), ("two to five meanings",)),
    "no row": (FEET, rows(PODIATRY, TARNBY, one_of("my", "wheelchair access", "Yes")), ("No row meets all of these conditions",)),
    "another shape": (FEET, Said({"kind": "rows"}), ("action",)),
    "no JSON": (FEET, Said("Hugo Lindqvist, I should think."), ("",)),
}  # fmt: skip
NO_PLAN = {"another shape", "no JSON"}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_and_repaired(asking: World, name: str) -> None:
    text, wrong, told = WRONG[name]
    came = asking(text, [wrong, RIGHT])
    assert (came.calls, came.ids, came.reply.planner) == (2, [14], "model")
    assert all(part in came.told(1) for part in told), came.told(1)
    first, second = came.endpoint.asked
    assert second.messages[: len(first.messages)] == first.messages and second.cached > 0.6 * second.tokens
    assert (came.part.confidence.value < 0.9) is (name not in NO_PLAN), "a plan that had to be repaired is less sure"


SELECT = "SELECT name FROM providers WHERE fee > 30 * rating AND city = 'Norwick'"
WRONG_SQL: dict[str, tuple[str, tuple[str, ...]]] = {
    "DROP TABLE": ("DROP TABLE providers", ("SELECT",)),
    "two statements": ("SELECT name FROM providers; DELETE FROM providers", ("one",)),
    "another's table": ("SELECT * FROM staff_pay", ("staff_pay",)),
    "SQLite's own": ("SELECT sql FROM sqlite_master", ("sqlite_master",)),
    "a pragma": ("PRAGMA writable_schema = 1", ("SELECT",)),
    "a column that is not there": ("SELECT name FROM providers WHERE salary > 5", ("salary",)),
    "a value that is no term": ("SELECT name FROM providers WHERE city = 'Norwich' AND fee > 30 * rating", ("no value", '"Norwick"')),
    "not its syntax": ("SELECT name FROM", ("",)),
}


@pytest.mark.parametrize("name", WRONG_SQL)
def test_sql_that_is_wrong_is_told_and_repaired(asking: World, name: str) -> None:
    wrong, told = WRONG_SQL[name]
    came = asking(TWICE, [BEYOND, sql(wrong), sql(SELECT)])
    assert came.calls == 3 and came.part.kind == "answer"
    assert all(part in came.told(2) for part in told), came.told(2)
    assert isinstance(came.part.plan, SqlPlan) and came.part.result is not None
    assert [row[0] for row in came.part.result.rows] == ["Anna Weiss"]
    assert [(line.phrase, line.column, line.terms) for line in came.part.bindings] == [("Norwick", "city", ("Norwick",))]


@pytest.mark.parametrize("ordered", ORDERED_SQL.values(), ids=ORDERED_SQL)
def test_sql_that_somebody_ordered_never_runs(asking: World, ordered: Said) -> None:
    text = json.loads(ordered.text or "")["sql"]
    came = asking(TWICE, [BEYOND, *[sql(text)] * 3], kind="model")
    assert came.part.kind == "failure" and came.part.result is None and came.calls == 4
    still = asking("how many providers are there?", []).part.result
    assert still is not None and still.rows == ((20,),)


def test_what_sqlite_says_comes_back_whole(asking: World) -> None:
    wrong = "SELECT name FROM providers WHERE city = 'Norwick' AND fee > (SELECT fee, rating FROM providers)"
    came = asking(TWICE, [BEYOND, sql(wrong), sql(SELECT)])
    assert "row value misused" in came.told(2) and came.part.kind == "answer"


def test_the_conversation_goes_on_from_what_is_beyond_a_plan(asking: World) -> None:
    came = asking(TWICE, [BEYOND, sql(SELECT)])
    first, second = came.endpoint.asked
    assert second.messages[: len(first.messages)] == first.messages
    *_, call, result = second.messages
    assert call["tool_calls"][0]["function"]["name"] == "query_sql_table" and result["tool_call_id"] == call["tool_calls"][0]["id"]
    assert came.part.freshness is not None and came.part.freshness.source.endswith("providers.csv")


def test_sql_is_run_again_for_a_page_and_a_file(asking: World) -> None:
    first = asking(TWICE, [BEYOND, sql(SELECT)]).part
    assert isinstance(first.plan, SqlPlan)
    again = run_again(first.plan, first.question, first.bindings, asking.tables, EVERYTHING, NOW, confidence=first.confidence)
    assert again.parts[0].result == first.result and again.parts[0].bindings == first.bindings
    assert again.parts[0].freshness == first.freshness and again.parts[0].confidence == first.confidence


def test_after_three_tries_the_best_plan_stands_less_sure(asking: World) -> None:
    text = "gentle podiatrists in Tarnby please"
    poor = rows(one_of("podiatrists", "specialty", "Podiatry"), TARNBY)
    came = asking(text, [poor] * 3, kind="model")
    assert (came.calls, came.ids) == (3, [14])
    assert came.part.unused == ("gentle",)
    assert came.part.confidence.value < 0.5 and any("gentle" in reason for reason in came.part.confidence.reasons)


FAILED = {
    "somebody for my aching feet in Tarnby": "en",
    "quién cura los juanetes malos en Tarnby": "es",
    "кто лечит больные мозоли в Tarnby": "ru",
    "מי מטפל ביבלות כואבות ב-Tarnby": "he",
}


@pytest.mark.parametrize("text", FAILED)
def test_where_nothing_fits_a_failure_says_so_and_is_no_question_back(asking: World, text: str) -> None:
    came = asking(text, [rows(one_of("Tarnby", "town", "x"))] * 3, kind="model")
    assert (came.calls, came.part.kind, came.part.language) == (3, "failure", FAILED[text])
    assert came.part.message == language(FAILED[text]).sentences["plan_failed"] == came.part.headline
    assert isinstance(came.part.plan, NoAnswerPlan) and came.part.plan.reason == "plan_failed"
    assert any("town" in reason for reason in came.part.confidence.reasons), "what was tried is told to who looks"


def test_words_that_fit_two_columns_are_asked_back(asking: World) -> None:
    action = AskBack(meanings=(one_of("tasteful", "languages", "English"), one_of("tasteful", "specialty", "Neurology")))
    came = asking("who is a tasteful person?", [said(action)], kind="model")
    assert isinstance(came.part.plan, ClarifyPlan) and came.calls == 1
    assert [reading.rows for reading in came.part.plan.readings] == [
        len(numbers(PROVIDERS, lambda row: "English" in items(row["languages"]))),
        len(numbers(PROVIDERS, lambda row: "Neurology" in items(row["specialty"]))),
    ]


def test_a_word_that_stands_in_one_column_is_not_asked_back(asking: World) -> None:
    action = AskBack(meanings=(one_of("English", "languages", "English"), one_of("English", "specialty", "Neurology")))
    right = rows(one_of("English", "languages", "English"))
    came = asking("who is an English person?", [said(action), right], kind="model")
    assert came.calls == 2 and came.part.kind == "answer" and "word for word" in came.told(1)


def test_what_asks_for_a_column_is_no_condition(asking: World) -> None:
    action = rows(one_of("Tarnby", "city", "Tarnby"), Condition(words="phone", column="phone", op="is", values=()))
    came = asking("which phone is there in Tarnby?", [action], kind="model")
    assert came.calls == 1 and came.part.plan is not None and came.part.plan.select == ("phone",)  # type: ignore[union-attr]


def test_a_value_of_one_other_column_is_taken_for_that_when_it_is_said_again(asking: World) -> None:
    action = rows(one_of("Tarnby", "name", "Tarnby"))
    came = asking("who is there in Tarnby?", [action, action], kind="model")
    assert came.calls == 2 and came.part.confidence.value < 0.9
    assert [(line.column, line.terms) for line in came.part.bindings] == [("city", ("Tarnby",))]


def test_what_the_table_does_not_tell_is_said(asking: World) -> None:
    came = asking("the salary of Dana Levin", [said(NotInTable(words=("salary",)))], kind="model")
    assert (came.part.kind, came.part.unused) == ("no_answer", ("salary",)) and "salary" in came.part.message
    unused = rows(one_of("Dana Levin", "name", "Dana Levin"), unused=(Unused(words="salary", why="not_in_table"),))
    assert asking("the salary of Dana Levin", [unused], kind="model").part.kind == "no_answer"


def test_a_term_that_stands_in_the_question_is_not_made_another(asking: World) -> None:
    wrong = rows(one_of("Norwick", "city", "Easton"), one_of("aching feet", "specialty", "Podiatry"))
    right = rows(one_of("Norwick", "city", "Norwick"), one_of("aching feet", "specialty", "Podiatry"))
    came = asking("who sees to aching feet in Norwick", [wrong, right, right], kind="model")
    assert '"Norwick" is the value "Norwick" of "city"' in came.told(1)
    assert came.ids == [] and came.calls == 3, "no row, which is told once and may be said again"


def test_a_table_that_keeps_its_types_is_asked_as_it_is(asking: World) -> None:
    def refused(table: OpenTable, types: Mapping[str, ColumnType]) -> OpenTable:
        raise BuildError("The disk is full.")

    wanted = said(Retype(columns=(ColumnAs(name="notes", type="code"),)))
    came = asking(FEET, [wanted, wanted, RIGHT], retype=refused)
    assert came.ids == [14] and "The types of the table are settled" in came.told(2)
    came = asking(FEET, [wanted, RIGHT])
    assert came.ids == [14] and "The types of the table are settled" in came.told(1)
