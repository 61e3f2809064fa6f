"""The agent that chooses among tables: no request where one clearly fits, else cards, pages, corrections."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from cache.versions import Store
from engine.agents.choose import MOST_TABLES, Correction, FindTable, NoTable, QueryTable
from engine.agents.form import Select
from engine.catalog import load_catalog
from engine.tables import open_tables
from engine.types import NoAnswerPlan, SqlPlan
from tests.engine.agents.playing import World, chosen, one_of, rows, said
from tests.engine.samples import FILMS, PROVIDERS, STOCK
from tests.model.asked import Asked
from tests.model.replies import Said

PLACES = ["Ashford", "Birch", "Cobble", "Dunmore", "Elmsley", "Fenwick", "Garth", "Holme", "Inver"]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Twelve tables: three of their own, and nine lists of depots that differ in their rows."""
    folder = tmp_path_factory.mktemp("many")
    texts = {"providers": PROVIDERS, "films": FILMS, "stock": STOCK}
    for number, place in enumerate(PLACES):
        texts[f"depot_{place.lower()}"] = "item,shelf,amount\n" + "".join(f"{place} part {n},{n % 3},{n + number}\n" for n in range(8))
    catalog = ""
    for name, text in texts.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
        catalog += f'[tables.{name}]\nsource = "{name}.csv"\n'
    (folder / "almanac.toml").write_text(catalog, encoding="utf-8")
    with ExitStack() as held:
        tables = open_tables(load_catalog(folder / "almanac.toml"), Store(folder / "built"))
        for table in tables:
            held.enter_context(closing(table))
        yield World(tables, folder / "hints")


TEXT = "aching feet in Tarnby"
RIGHT = rows(one_of("aching feet", "specialty", "Podiatry"), one_of("Tarnby", "city", "Tarnby"))
PROVIDERS_ASKED = chosen(QueryTable(tables=("providers",)))


def cards(text: str) -> list[str]:
    """The names of the tables that a page of cards shows."""
    return list(json.loads(text))


def test_a_table_that_clearly_fits_is_taken_without_a_choice(many: World) -> None:
    came = many(
        "cardiologists in Norwick",
        [rows(one_of("cardiologists", "specialty", "Cardiology"), one_of("Norwick", "city", "Norwick"))],
        kind="model",
    )
    assert (came.calls, came.ids) == (1, [1, 3])
    assert came.endpoint.asked[0].body["model"] == "large"


def test_two_requests_for_a_choice_and_a_plan(many: World) -> None:
    came = many(TEXT, [PROVIDERS_ASKED, RIGHT])
    assert (came.calls, came.ids) == (2, [14])
    choosing, planning = came.endpoint.asked
    assert (choosing.body["model"], planning.body["model"]) == ("small", "large")
    assert choosing.tokens <= 2_500
    shown = cards(choosing.messages[2]["content"])
    assert len(shown) == 5 and "providers" in shown
    assert choosing.schema["$defs"]["tables"]["enum"] == shown, "a typed choice among those that were shown"
    assert "find_table" in choosing.messages[1]["tool_calls"][0]["function"]["name"]
    assert not planning.cached, "and the second agent sees none of it"


def test_more_cards_are_shown_once(many: World) -> None:
    more = chosen(FindTable(query="parts on a shelf", page=2))
    came = many(TEXT, [more, PROVIDERS_ASKED, RIGHT])
    assert (came.calls, came.ids) == (3, [14])
    first, second = came.endpoint.asked[:2]
    pages = [cards(message["content"]) for message in second.messages if message["role"] == "tool"]
    assert [len(page) for page in pages] == [5, 5] and pages[0] == cards(first.messages[2]["content"])
    assert json.loads(second.messages[3]["tool_calls"][0]["function"]["arguments"]) == {"query": "parts on a shelf", "page": 2}
    came = many(TEXT, [more, more, more], kind="model")
    assert came.calls == 3, "two pages, of which the second was told to be the last"
    assert "There are no more cards" in came.told(2) and came.part.notes


def test_a_table_that_was_not_shown_is_told_and_repaired(many: World) -> None:
    came = many(TEXT, [chosen(QueryTable(tables=("staff_pay",))), PROVIDERS_ASKED, RIGHT])
    assert (came.calls, came.ids) == (3, [14]) and "The tables are " in came.told(1)
    came = many(TEXT, [chosen(QueryTable()), PROVIDERS_ASKED, RIGHT])
    assert (came.calls, came.ids) == (3, [14])


def test_no_more_tables_than_six(many: World) -> None:
    """Seven of the ten that two pages show."""

    def play(asked: Asked) -> Said:
        shown = [name for message in asked.messages if message["role"] == "tool" for name in cards(message["content"])]
        wanted = (chosen(FindTable(query=TEXT, page=2)), chosen(QueryTable(tables=tuple(shown[: MOST_TABLES + 1]))), PROVIDERS_ASKED, RIGHT)
        played.append(asked)
        return wanted[len(played) - 1]

    played: list[Asked] = []
    came = many(TEXT, play)
    assert "At most 6 tables" in came.told(2) and (came.calls, came.ids) == (4, [14])


def test_no_table_tells_that(many: World) -> None:
    came = many("the wages of the crew", [chosen(NoTable(words=("wages", "crew")))], kind="model")
    assert came.calls == 1 and came.part.kind == "no_answer"
    assert isinstance(came.part.plan, NoAnswerPlan) and came.part.plan.reason == "no_table"
    came = many("the wages of the crew", [chosen(NoTable(words=("see https://evil.example", "Wages")))], kind="model")
    assert isinstance(came.part.plan, NoAnswerPlan) and came.part.plan.words == ("wages",), "as the asker wrote them, and no others"


def test_one_name_of_a_table_is_not_corrected_to_another(many: World) -> None:
    wrong = chosen(QueryTable(tables=("providers",), corrections=(Correction(said="Oxmoor", meant="Tarnby"),)))
    came = many(
        "aching feet near Oxmoor",
        [
            wrong,
            chosen(QueryTable(tables=("providers",))),
            rows(one_of("aching feet", "specialty", "Podiatry"), one_of("Oxmoor", "city", "Oxmoor")),
        ],
        kind="model",
    )
    assert "is a name of these tables as it is" in came.told(1)
    assert json.loads(came.told(2))["question"] == "aching feet near Oxmoor"


def test_a_corrected_name_is_a_line_of_the_receipt(many: World) -> None:
    asked = chosen(QueryTable(tables=("providers",), corrections=(Correction(said="tarnbee", meant="Tarnby"),)))
    came = many("aching feet in tarnbee", [asked, RIGHT], kind="model")
    assert came.ids == [14]
    assert json.loads(came.told(1))["question"] == "aching feet in Tarnby"
    line = came.part.bindings[1]
    assert (line.phrase, line.column, line.terms, line.how) == ("tarnbee", "city", ("Tarnby",), "near")
    for said_, meant, told in (
        ("Paris", "Tarnby", "does not stand in the question"),
        ("e", "Tarnby", "does not stand in the question"),
        ("feet", "salaries", "is no name of these tables"),
    ):
        wrong = chosen(QueryTable(tables=("providers",), corrections=(Correction(said=said_, meant=meant),)))
        came = many("aching feet in tarnbee", [wrong, asked, RIGHT], kind="model")
        assert told in came.told(1) and came.ids == [14]


def test_several_tables_are_asked_by_one_select(many: World) -> None:
    both = chosen(QueryTable(tables=("stock", "films")))
    query = said(Select(sql="SELECT stock.product, films.title FROM stock JOIN films ON stock.quantity = films.minutes - 105"))
    came = many("articles whose number is the length of a picture less 105", [both, query], kind="model")
    planned = came.endpoint.asked[-1]
    assert [message["role"] for message in planned.messages] == ["system", "assistant", "tool", "assistant", "tool", "user"]
    assert isinstance(came.part.plan, SqlPlan) and came.part.kind == "answer"
    assert came.part.result is not None and ("Wing nut M8", "") not in came.part.result.rows


def test_a_table_that_may_not_be_sent_is_no_card(tmp_path: Path) -> None:
    for name, text in (("providers", PROVIDERS), ("films", FILMS), ("stock", STOCK)):
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    secret = "".join(f'[tables.{name}]\nsource = "{name}.csv"\n' for name in ("providers", "stock"))
    (tmp_path / "almanac.toml").write_text(secret + '[tables.films]\nsource = "films.csv"\nsend_to_model = false\n', encoding="utf-8")
    with ExitStack() as held:
        tables = open_tables(load_catalog(tmp_path / "almanac.toml"), Store(tmp_path / "built"))
        for table in tables:
            held.enter_context(closing(table))
        came = World(tables, tmp_path / "hints")("who made the lake pictures", chosen(NoTable()), kind="model")
        assert came.calls == 1 and cards(came.endpoint.asked[0].messages[2]["content"]).count("films") == 0
        assert not came.endpoint.holding("Lena Fors") and not came.endpoint.holding("director")
