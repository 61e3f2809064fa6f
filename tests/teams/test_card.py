"""Cards: what they say, what they never do, and that they fit."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from bot.chat.types import Asker, Button, Choice, Menu, Place, Shown
from bot.teams.card import CARD_BYTES, summary, to_card
from engine.types import Reply
from tests.bot.replies import answered, clarifying, table
from tests.teams.card_check import card_problems, elements, texts

PLACE = Place(platform="teams", channel="c")


def shown(reply: Reply, **more: Any) -> Shown:
    return Shown(reply_id="r", reply=reply, place=PLACE, asker=Asker(id="u"), **{"view": "answer"} | more)


def cells(card: dict[str, Any]) -> list[list[str]]:
    """The texts of the card's first table, row by row."""
    found = next(element for element in elements(card) if element["type"] == "Table")
    return [["".join(texts(cell)) for cell in row["cells"]] for row in found["rows"]]


def test_an_answer_says_its_rows_receipt_and_freshness() -> None:
    card = to_card(shown(answered(table(("Ash", "Oldham"), ("Elm", None)), unused=("please",))))
    assert card_problems(card) == []
    assert cells(card) == [["name", "town"], ["Ash", "Oldham"], ["Elm", "\u00a0"]]
    said = texts(card)
    assert said[0] == "2 pharmacies"
    assert "chemists → type = Pharmacy" in said
    assert any("please" in text for text in said)
    assert any("pharmacies.csv" in text for text in said)
    assert not any(text.startswith("Rows") for text in said), "all rows stand here"
    assert "rtl" not in card


def test_a_page_tells_which_rows_of_how_many() -> None:
    rows = [(f"row {at}", "x") for at in range(1, 36)]
    card = to_card(shown(answered(table(*rows, total=509, cut=True)), page=2))
    assert [row[0] for row in cells(card)[1:]] == [f"row {at}" for at in range(11, 21)]
    assert "Rows 11-20 of 509" in texts(card)


def test_hebrew_reads_right_to_left_and_each_cell_in_its_own_direction() -> None:
    card = to_card(shown(answered(table(("רופא", "Acre")), language="he", headline="רופא אחד"), language="he"))
    assert card["rtl"] is True
    grid = next(element for element in elements(card) if element["type"] == "Table")
    assert cells(card)[1] == ["רופא", "\u2066Acre\u2069"], "the card's direction, with the signs of the other kept in order"
    assert [cell.get("rtl") for cell in grid["rows"][1]["cells"]] == [None, None]
    english = to_card(shown(answered(table(("רופא", "Acre")))))
    grid = next(element for element in elements(english) if element["type"] == "Table")
    assert [cell.get("rtl") for cell in grid["rows"][1]["cells"]] == [True, None]


@pytest.mark.parametrize(
    "text",
    [
        "**bold** _it_ `code`",
        "[here](https://evil.example)",
        "<at>everyone</at>",
        "# head\n- item",
        "![i](https://evil.example/i.png)",
        "a|b",
        "~~no~~",
    ],
)
def test_markdown_of_a_cell_stands_as_it_is_in_an_element_that_has_none(text: str) -> None:
    card = to_card(shown(answered(table((text, "x"), names=f"{text.split()[0]} town"), headline=text)))
    assert cells(card)[1][0] == text
    # TextBlock, Fact and the like would render markdown; the runs of a RichTextBlock do not
    kinds = {element["type"] for element in elements(card)}
    assert kinds <= {"AdaptiveCard", "RichTextBlock", "TextRun", "Table", "TableRow", "TableCell"}
    assert set(card["msteams"]) == {"width"}, "no entities, so nobody is mentioned"


def test_a_date_function_is_not_computed_and_a_control_character_does_nothing() -> None:
    card = to_card(shown(answered(table(("{{DATE(2017-02-14T06:00Z,SHORT)}}", "a\x00\u202eb")))))
    first, second = cells(card)[1]
    assert "{{" not in first and first.replace("\u200b", "") == "{{DATE(2017-02-14T06:00Z,SHORT)}}"
    assert second == "a\\x00\\u202eb"


@pytest.mark.parametrize("columns", [2, 12, 30, 120])
@pytest.mark.parametrize("letter", ["x", "ש", "🙂"])
def test_a_card_always_fits_and_tells_what_is_left_out(columns: int, letter: str) -> None:
    names = " ".join(f"column{at}" for at in range(columns))
    result = table(*[tuple(letter * 5000 for _ in range(columns))] * 40, names=names)
    card = to_card(shown(answered(result, headline=letter * 5000)))
    assert len(json.dumps(card)) <= CARD_BYTES
    assert card_problems(card) == []
    seen = len(cells(card)[0])
    assert len(cells(card)) == 11
    assert (f"{seen} of {columns} columns" in " ".join(texts(card))) == (seen < columns)
    assert seen >= min(columns, 4)


def test_lines_are_cut_where_a_card_has_no_room() -> None:
    card = to_card(shown(answered(table()), view="how", lines=tuple("SELECT " + "é" * 3000 for _ in range(40))))
    assert len(json.dumps(card)) <= CARD_BYTES
    assert texts(card)[-1] == "…"
    assert "2 pharmacies" not in texts(card)


def test_buttons_carry_their_values_at_most_six_in_a_row() -> None:
    buttons = tuple(Button(label=f"b{at}", value=f"v{at}", style="primary" if at == 0 else "") for at in range(8))
    card = to_card(shown(answered(table(("a", "b"))), buttons=buttons))
    assert card_problems(card) == []
    found = [element for element in elements(card) if element["type"] == "Action.Execute"]
    assert [action["data"] for action in found] == [{"value": f"v{at}"} for at in range(8)]
    assert [action.get("style") for action in found][:2] == ["positive", None]


def test_readings_are_buttons_and_corrections_a_menu_with_its_own_button() -> None:
    pick = Menu(label="Which?", choices=(Choice("town = Ash (4 rows)", "p0"), Choice("name = Ash (1 row)", "p1")), action="pick")
    card = to_card(shown(clarifying(), menus=(pick,)))
    assert card_problems(card) == []
    assert [e["data"]["value"] for e in elements(card) if e["type"] == "Action.Execute"] == ["p0", "p1"]
    menus = tuple(Menu(label=f"m{at}", choices=(Choice("other", f"c{at}"),), action="correct") for at in range(2))
    card = to_card(shown(answered(table(("a", "b"))), menus=menus))
    assert card_problems(card) == []
    inputs = [e for e in elements(card) if e["type"] == "Input.ChoiceSet"]
    assert [e["choices"] for e in inputs] == [[{"title": "other", "value": "c0"}], [{"title": "other", "value": "c1"}]]
    assert [e["data"] for e in elements(card) if e["type"] == "Action.Execute"] == [{"input": e["id"]} for e in inputs]


def test_a_summary_says_the_same_in_one_line() -> None:
    assert summary(shown(answered(table(("a", "b"))))) == "2 pharmacies"
    assert summary(replace(shown(answered(table())), view="notice", lines=("Too old.",))) == "Too old."
