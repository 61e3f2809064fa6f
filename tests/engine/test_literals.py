"""Numbers and dates as people write them in a question."""

from __future__ import annotations

import pytest

from engine.language import language
from engine.plan.literals import dates, fold_same_length, numbers


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("over 66,772 people", [66772.0]),
        ("2.5 million", [2_500_000.0]),
        ("5k or 7 bn", [5000.0, 7.0]),
        ("$1,200.50", [1200.5]),
        ("-3 degrees", [-3.0]),
        ("27-31", [27.0, 31.0]),
        ("20%", [20.0]),
        ("between 3 and 14", [3.0, 14.0]),
        ("1 000", [1.0, 0.0]),
        ("M8 bolts", []),
        ("no figures here", []),
    ],
)
def test_numbers(text: str, values: list[float]) -> None:
    assert [number.value for number in numbers(text)] == values


def test_a_number_knows_where_it_stands() -> None:
    text = "fee of $1,200.50 now"
    (number,) = numbers(text)
    assert "1,200.50" in text[number.start : number.end]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("on 2024-02-29", "2024-02-29", "2024-02-29"),
        ("on 3 May 2021", "2021-05-03", "2021-05-03"),
        ("May 3rd, 2021", "2021-05-03", "2021-05-03"),
        ("the 1st of March 2020", "2020-03-01", "2020-03-01"),
        ("in February 2024", "2024-02-01", "2024-02-29"),
        ("in FEBRUARY 2023", "2023-02-01", "2023-02-28"),
        ("on 25.12.2020", "2020-12-25", "2020-12-25"),
        ("on 04/05/2021", "2021-05-04", "2021-05-04"),
        ("on 05/25/2021", "2021-05-25", "2021-05-25"),
    ],
)
def test_dates(text: str, first: str, last: str) -> None:
    (span,) = dates(text, language("en"))
    assert (span.first, span.last) == (first, last)


@pytest.mark.parametrize("text", ["2023-02-30", "31.04.2021", "in May", "2024", "30 February 2020"])
def test_what_is_no_date_of_a_year_is_none(text: str) -> None:
    assert all(span.first != span.last or span.first > "2020-01-31" for span in dates(text, language("en")))
    assert not [span for span in dates(text, language("en")) if span.first == span.last]


def test_months_in_other_languages() -> None:
    (russian,) = dates("12 марта 2021", language("ru"))
    (spanish,) = dates("12 de marzo de 2021", language("es"))
    assert russian.first == spanish.first == "2021-03-12"


def test_folding_letter_by_letter_keeps_places() -> None:
    text = "Straße İzmir ﬁ MAYO"
    assert len(fold_same_length(text)) == len(text)
