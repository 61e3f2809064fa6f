"""A question becomes a reply: its form, its receipt, why nothing was found, and that whatever is written is text."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from engine import types
from engine.types import Answer, Reply, ResultTable, TablePlan
from tests.engine.conftest import Asked, Opened
from tests.engine.samples import PROVIDERS, numbers, rows_of

KEYS = {
    "kind",
    "question",
    "headline",
    "columns",
    "rows",
    "row_ids",
    "total",
    "bindings",
    "unused",
    "plan",
    "sql",
    "freshness",
    "confidence",
}
PLANNED = {"planner", "model"}  # of the whole reply: who planned it, and what that took


def as_json(reply: Reply) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(json.dumps(reply.to_json(), ensure_ascii=False, allow_nan=False))
    return read


# ---- the form of a reply


def test_an_answer_as_json(providers: Asked) -> None:
    said = as_json(providers.reply("cardiology providers in Norwick joined before 2015"))
    assert set(said) == KEYS | PLANNED
    assert (said["kind"], said["total"], said["row_ids"], said["unused"]) == ("answer", 1, [3], [])
    assert [set(column) for column in said["columns"]] == [{"name", "type", "role"}] * len(said["columns"])
    assert dict(zip([column["name"] for column in said["columns"]], said["rows"][0], strict=True)) == {
        "name": "Anna Weiss",
        "city": "Norwick",
        "phone": None,
        "code": "00977",
        "specialty": "Cardiology",
        "joined": "2011-01-20",
    }
    assert said["plan"]["kind"] == "table" and said["sql"].startswith("SELECT")
    assert set(said["freshness"]) == {"source", "changed_at", "loaded_at", "version", "stale_since"}
    assert 0 < said["confidence"]["value"] <= 1


def test_groups_have_no_row_numbers(providers: Asked) -> None:
    said = as_json(providers.reply("how many providers per district"))
    assert (said["row_ids"], said["total"], sorted(said["rows"])) == (None, 3, [["North", 6], ["South", 6], ["West", 8]])


def test_nothing_found_is_an_answer(providers: Asked) -> None:
    said = as_json(providers.reply("neurology providers in Tarnby"))
    assert set(said) == KEYS | PLANNED | {"explanation"}
    assert (said["kind"], said["total"], said["rows"], said["row_ids"]) == ("answer", 0, [], [])
    assert {column["name"] for column in said["columns"]} >= {"name", "city", "specialty"}


def test_no_answer_as_json(providers: Asked) -> None:
    said = as_json(providers.reply("providers with a swimming pool"))
    assert set(said) == KEYS | PLANNED | {"message"}
    assert (said["kind"], said["columns"], said["rows"], said["row_ids"], said["total"], said["sql"]) == (
        "no_answer",
        [],
        [],
        None,
        None,
        "",
    )
    assert said["unused"] == ["swimming", "pool"]


def test_several_parts_repeat_the_first(providers: Asked) -> None:
    one, two = providers("providers in Norwick"), providers("providers with a swimming pool")
    said = as_json(Reply(parts=(one, two)))
    assert set(said) == KEYS | PLANNED | {"parts"}
    assert {key: said[key] for key in KEYS} == said["parts"][0]
    assert said["parts"][1]["kind"] == "no_answer"


# ---- types cannot be changed


def test_types_are_frozen(providers: Asked) -> None:
    part = providers("providers in Norwick")
    for value, name in (
        (part, "headline"),
        (part.result, "total"),
        (part.plan, "table"),
        (part.bindings[0], "phrase"),
        (part.confidence, "value"),
    ):
        with pytest.raises(ValidationError):
            setattr(value, name, getattr(value, name))
    hash(part)


def test_every_type_is_frozen_and_knows_its_fields() -> None:
    classes = [one for one in vars(types).values() if isinstance(one, type) and issubclass(one, types.Frozen)]
    assert {Answer, Reply, ResultTable, TablePlan} <= set(classes)
    for one in classes:
        assert one.model_config["frozen"] and one.model_config["extra"] == "forbid", one.__name__
    with pytest.raises(ValidationError):
        TablePlan(table="x", wheer=())  # type: ignore[call-arg]


# ---- the receipt, the headline, the reason


def test_the_receipt_tells_which_words_became_which_condition(providers: Asked) -> None:
    part = providers("which cardiologists are in saint lo")
    said = {binding.column: (binding.phrase, binding.terms) for binding in part.bindings}
    assert said["specialty"] == ("cardiologists", ("Cardiology",))
    assert said["city"] == ("saint lo", ("Saint-Lô",))


def test_a_typo_is_told_in_the_receipt_and_lowers_confidence(providers: Asked) -> None:
    right, typed = providers("providers in Norwick"), providers("providers in Norwcik")
    assert typed.result is not None and right.result is not None
    assert (typed.result.row_ids, typed.bindings[0].terms) == (right.result.row_ids, ("Norwick",))
    assert (right.bindings[0].how, typed.bindings[0].how != "exact") == ("exact", True)
    assert typed.confidence.value < right.confidence.value and typed.confidence.reasons


@pytest.mark.parametrize(
    ("question", "total"),
    [("providers in Norwick", "3"), ("providers in Tarnby who speak Arabic", "1"), ("how many providers are there", "20")],
)
def test_the_headline_has_the_count(providers: Asked, question: str, total: str) -> None:
    assert total in providers(question).headline


def test_the_condition_that_emptied_the_result_is_named(providers: Asked, films: Asked) -> None:
    part = providers("neurology providers in Tarnby")
    assert "Neurology" in part.explanation
    assert str(len(numbers(PROVIDERS, lambda r: r["city"] == "Tarnby"))) in part.explanation
    assert "gross > 90000000" in films("films with gross over 90 million").explanation
    assert "∅" in providers("providers with no code").explanation
    assert "Neurology" in providers("how many neurology providers in Tarnby").explanation
    assert providers("providers in Norwick").explanation == ""


def test_a_word_for_rows_of_two_columns_is_asked_back(opened: Opened) -> None:
    text = "product,maker,owner\n" + "".join(
        f"Lamp {n},{'Ash' if n % 3 == 0 else 'Oak'},{'Ash' if n % 4 == 0 else 'Elm'}\n" for n in range(1, 13)
    )
    asked = opened(text, "lamps.csv")
    part = asked("lamps Ash")
    assert part.kind == "clarify" and part.result is None
    readings = as_json(asked.reply("lamps Ash"))["plan"]["readings"]
    assert sorted((reading["label"], reading["rows"]) for reading in readings) == [("maker = Ash", 4), ("owner = Ash", 3)]
    assert asked.ids("lamps of the maker Ash") == [3, 6, 9, 12]
    assert asked.ids("lamps of the owner Ash") == [4, 8, 12]


def test_a_city_within_its_district_is_the_city(opened: Opened) -> None:
    rows = [("Ashby", "Ashby"), ("Elmton", "Ashby"), ("Oakham", "Northam"), ("Firley", "Northam")]
    text = "name,city,district\n" + "".join(f"Shop {n},{rows[n % 4][0]},{rows[n % 4][1]}\n" for n in range(24))
    asked = opened(text, "shops.csv")
    expected = [number for number, row in enumerate(rows_of(text), 1) if row["city"] == "Ashby"]
    assert asked.ids("shops in Ashby") == expected
    assert len(asked.ids("shops in the district Ashby")) == 12


def test_the_owner_gives_words_for_terms(opened: Opened) -> None:
    said = """
    [tables.people]
    source = "providers.csv"
    row = ["doctor", "doctors"]
    keys = ["name", "phone"]
    [tables.people.columns.fee]
    synonyms = ["damage"]
    [tables.people.columns.specialty.terms]
    Podiatry = ["toe wizard"]
    """
    asked = opened(PROVIDERS, "providers.csv", said)
    assert asked.ids("toe wizards in Saint-Lô") == [7, 9]
    part = asked("the damage of doctor Carl Moss")
    assert part.result is not None and part.result.rows == (("Carl Moss", "$140.00", "020-555-0118"),)


# ---- whatever is written is text


@pytest.mark.parametrize(
    "question",
    [
        "",
        " ",
        "?!.",
        "…",
        "%",
        "\x00\x01\x02",
        "\n\t",
        "'",
        '"',
        "--",
        ";",
        "*",
        "()[]{}",
        "\u202e\u200b",
        "🙂",
        "\ud7ff",
        "a" * 20_000,
        "why " * 5_000,
    ],
)
def test_a_question_that_says_nothing(providers: Asked, question: str) -> None:
    part = providers(question)
    assert part.kind == "no_answer" or question == "%"
    assert part.message or part.result is not None
    assert len(part.message) < 1000
    as_json(providers.reply(question))


@pytest.mark.parametrize(
    "tail",
    [
        "; DROP TABLE rows; --",
        "' OR '1'='1",
        '" OR 1=1 --',
        " UNION SELECT name FROM sqlite_master",
        "*",
        " NEAR",
        "%",
        " [x",
        "\\",
        "{0}",
        "{what}",
        "${x}",
    ],
)
def test_a_question_is_text_and_nothing_more(providers: Asked, tail: str) -> None:
    part = providers("providers in Norwick" + tail)
    if part.kind == "answer":
        assert part.result is not None and part.result.row_ids == (1, 2, 3)
    else:
        assert part.kind == "no_answer" and part.message
    assert providers.figure("how many providers are there") == 20


ODD = [
    "Robert'); DROP TABLE rows;--",
    'The "Best" OR Nothing',
    "100% [pure] * NEAR",
    "-- comment",
    "a; b; c?",
    "{name} ${x} %s",
    "=1+1",
    "<b>bold</b>",
]


def test_values_are_text_and_nothing_more(opened: Opened) -> None:
    cells = [name.replace('"', '""') for name in ODD]
    text = "title,colour\n" + "".join(f'"{cell}",{"red" if n % 2 else "blue"}\n' for n, cell in enumerate(cells))
    asked = opened(text, "o'dd; DROP.csv")
    for number, name in enumerate(ODD, 1):
        part = asked(f"colour of {name}")
        if part.kind == "answer":
            assert part.result is not None and part.result.row_ids == (number,), name
    part = asked("blue")
    assert part.result is not None and [row[0] for row in part.result.rows] == ODD[::2]


def test_a_figure_of_the_question_stays_out_of_the_sql(providers: Asked) -> None:
    for question in ("providers in Norwick", "providers with a fee over 123", "phone of Dana Levin", "names ending with Weiss"):
        sql = providers(question).sql
        assert "?" in sql and not [word for word in ("Norwick", "norwick", "123", "Dana", "dana", "weiss") if word in sql]


def test_two_threads_ask_at_once(providers: Asked) -> None:
    questions = {
        f"providers in {city}": numbers(PROVIDERS, lambda r, c=city: r["city"] == c) for city in {row["city"] for row in rows_of(PROVIDERS)}
    }  # type: ignore[misc]
    asked = list(questions) * 6
    with ThreadPoolExecutor(max_workers=2) as pool:
        found = list(pool.map(providers.ids, asked))
    assert found == [questions[question] for question in asked]


def test_the_right_one_of_two_tables_is_asked(films: Asked, stock: Asked) -> None:
    both = Asked([*films.tables, *stock.tables])
    assert both.ids("films directed by Claire Roy") == films.ids("films directed by Claire Roy")
    assert both.ids("products in Depot 3") == [5, 6, 9]
    assert Asked([])("films by Claire Roy").kind == "no_answer"


# ---- whatever the table

FIRST = ["Mortimer", "Rosalind", "Bartholomew", "Gwendolyn", "Ignatius", "Philippa", "Zachariah", "Wilhelmina"]
LAST = ["Featherstone", "Abernathy", "Cholmondeley", "Hollingsworth", "Quackenbush", "Tattersall", "Winterbourne", "Babington"]
CITIES = ["Brackwater", "Duskendale", "Havenport", "Millbrook", "Thornbury"]
PEOPLE = st.lists(
    st.tuples(st.sampled_from(FIRST), st.sampled_from(LAST), st.sampled_from(CITIES), st.booleans()), min_size=12, max_size=30
)
FEW = settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def table_of(people: list[tuple[str, str, str, bool]]) -> str:
    lines = [f"{first} {last},{city},{'555-0' + str(100 + n) if phone else ''}" for n, (first, last, city, phone) in enumerate(people)]
    return "\n".join(["name,city,phone", *lines, "Aaron Placeholder,Duskendale,555-0001", ""])


@FEW
@given(PEOPLE)
def test_a_question_finds_what_a_plain_filter_finds(opened: Opened, people: list[tuple[str, str, str, bool]]) -> None:
    text = table_of(people)
    asked, rows = opened(text, "plumbers.csv"), rows_of(text)
    for city in sorted({row["city"] for row in rows}):
        here = numbers(text, lambda row, city=city: row["city"] == city)  # type: ignore[misc]
        assert asked.ids(f"which plumbers are in {city}") == here
        assert asked.figure(f"how many plumbers in {city}") == len(here)
        assert asked.ids(f"plumbers not in {city}") == [number for number in range(1, len(rows) + 1) if number not in here]
    for name in sorted({row["name"] for row in rows})[:4]:
        assert asked.ids(f"the phone of {name}") == numbers(text, lambda row, name=name: row["name"] == name)  # type: ignore[misc]
    if not all(row["phone"] for row in rows):
        assert asked.ids("plumbers with no phone") == numbers(text, lambda row: not row["phone"])


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_one_wrong_letter_in_a_long_name_still_finds_it(plumbers: Asked, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(FIRST) - 1))
    last = LAST[number]
    place = data.draw(st.integers(1, len(last) - 1))
    kind = data.draw(st.sampled_from(["drop", "double", "change"]))
    middle = {"drop": "", "double": last[place] * 2, "change": "e" if last[place] != "e" else "a"}[kind]
    typed = f"{FIRST[number]} {last[:place]}{middle}{last[place + 1 :]}"
    assert plumbers.ids(f"the phone of {typed}") == [number + 1]


@pytest.fixture(scope="module")
def plumbers(opened: Opened) -> Asked:
    """One plumber for each pair of names."""
    people = [(first, last, CITIES[n % 5], True) for n, (first, last) in enumerate(zip(FIRST, LAST, strict=True))]
    return opened(table_of(people), "plumbers.csv")
