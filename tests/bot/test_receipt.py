"""The words around an answer, in each language."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import get_args

import pytest

from bot.receipt import (
    DOUBTFUL,
    binding_line,
    freshness_line,
    note_lines,
    reason_lines,
    receipt_lines,
    shown_line,
    shown_value,
    unused_line,
    words_of,
)
from engine.types import Binding, Confidence, Value
from tests.bot.replies import answered, table

LANGUAGES = sorted(path.name.removesuffix(".toml") for path in (files("bot") / "language").iterdir() if path.name.endswith(".toml"))
ROOT = Path(__file__).resolve().parent.parent.parent
FIELD = re.compile(r"\{\w+\}")


def parsed(language: str) -> dict[str, object]:
    return tomllib.loads((files("bot") / "language" / f"{language}.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_is_whole(language: str) -> None:
    english, other = parsed("en"), parsed(language)
    assert other.keys() == english.keys()
    assert other["ops"].keys() == english["ops"].keys()  # type: ignore[attr-defined]
    assert other["reasons"].keys() == english["reasons"].keys()  # type: ignore[attr-defined]
    for key, text in english.items():
        assert sorted(FIELD.findall(str(other[key]))) == sorted(FIELD.findall(str(text))), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_operator_has_a_word(language: str) -> None:
    operators = [op for part in get_args(Binding.model_fields["op"].annotation) for op in get_args(part)]
    assert "table" in operators
    assert set(operators) <= set(words_of(language).ops)


def test_an_unknown_language_is_english() -> None:
    assert words_of("xx") == words_of("en") == words_of("../en")


def test_a_binding_tells_what_else_it_may_mean() -> None:
    (line,) = receipt_lines(answered(table()).parts[0])
    assert line == "chemists → type = Pharmacy (also: name = Chemist Street, 1 row)"


@pytest.mark.parametrize(
    ("binding", "line"),
    [
        (Binding(phrase="providers", column="", op="table", terms=("service_book",)), "providers → table service_book"),
        (Binding(phrase="phone", column="phone", op="column"), "phone → column phone"),
        (Binding(phrase="over 5", column="beds", op="more", terms=(5,)), "over 5 → beds > 5"),
        (Binding(phrase="no phone", column="phone", op="blank"), "no phone → phone is empty"),
        (Binding(phrase="first 3", column="", op="limit", terms=(3,)), "first 3 → first 3"),
        (
            Binding(phrase="open Friday morning", column="hours", op="open", terms=("Fri 06:00-12:00",)),
            "open Friday morning → hours open Fri 06:00-12:00",
        ),
        (Binding(phrase="shut on Sunday", column="hours", op="closed", terms=("Sun",)), "shut on Sunday → hours closed Sun"),
        (Binding(phrase="x or y", column="town", op="is", terms=("X", "Y")), "x or y → town = X, Y"),
    ],
)
def test_binding_lines(binding: Binding, line: str) -> None:
    assert binding_line(binding, words_of("en")) == line


def test_freshness_and_unused_words() -> None:
    part = answered(table(), unused=("please", "cheap")).parts[0]
    assert freshness_line(part) == "Data: pharmacies.csv, changed 2026-09-01 08:30 UTC, read 2026-09-02 09:00 UTC"
    assert unused_line(part) == "Not used: please, cheap"
    assert unused_line(answered(table()).parts[0]) == ""


def test_what_is_shown_of_what_there_is() -> None:
    rows = [(f"row {n}", "x") for n in range(30)]
    assert shown_line(answered(table(*rows)).parts[0], 30) == ""
    assert shown_line(answered(table(*rows)).parts[0], 20).startswith("20 of 30 shown")
    assert "30 of 1,509 are here" in shown_line(answered(table(*rows, total=1509, cut=True)).parts[0], 30)


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), (True, "yes"), (3, "3"), (2.50, "2.5"), (0.1 + 0.2, "0.3"), (1e20, "1e+20"), ("a", "a"), (1234567.0, "1234567")],
)
def test_values(value: Value, text: str) -> None:
    assert shown_value(value, words_of("en")) == text


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_answer_that_is_unsure_says_so_beside_its_notes(language: str) -> None:
    (part,) = answered(table(("Ash", "Oldham")), language=language).parts
    doubt = words_of(language).texts["doubtful"]
    noted = part.model_copy(update={"notes": ("no model",)})
    unsure = noted.model_copy(update={"confidence": Confidence(value=DOUBTFUL - 0.01)})
    assert (note_lines(part), note_lines(noted), note_lines(unsure)) == ([], ["no model"], [doubt, "no model"])
    assert note_lines(unsure.model_copy(update={"kind": "no_answer"})) == ["no model"], "there is nothing to be sure of"


@pytest.mark.parametrize("language", LANGUAGES)
def test_reasons_are_told_in_the_language_and_what_a_model_was_told_is_not(language: str) -> None:
    (part,) = answered(table(("Ash", "Oldham")), language=language).parts
    reasons = Confidence(
        value=0.5, reasons=("planned by a model", "its first plan did not fit", "The model's endpoint at 10.0.0.1 is away.")
    )
    assert reason_lines(part.model_copy(update={"confidence": reasons})) == [words_of(language).reasons["its first plan did not fit"]]


def test_every_reason_that_is_told_is_one_that_a_planner_gives() -> None:
    planners = "".join(
        path.read_text(encoding="utf-8") for folder in ("plan", "agents") for path in (ROOT / "engine" / folder).glob("*.py")
    )
    assert [reason for reason in words_of("en").reasons if f'"{reason}"' not in planners] == []
