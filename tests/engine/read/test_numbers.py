from __future__ import annotations

import pytest

from engine.read.numbers import number_of

NUMBERS: list[tuple[str, object, str]] = [
    ("0", 0, "integer"),
    ("-43", -43, "integer"),
    ("6,718", 6718, "integer"),
    ("12 , 899", 12899, "integer"),
    ("-1 414", -1414, "integer"),
    ("- 1", -1, "integer"),
    ("−5", -5, "integer"),
    ("1'234'567", 1234567, "integer"),
    ("9,0,0", 900, "integer"),
    ("1.", 1, "integer"),
    ("14,857 [1]", 14857, "integer"),
    ("12*", 12, "integer"),
    ("12,34,567", 1234567, "integer"),
    ("100,000,000,000", 10**11, "integer"),
    ("0.25", 0.25, "decimal"),
    ("1,5", 1.5, "decimal"),
    ("-1,53e4", -15300.0, "decimal"),
    ("1.53E+4", 15300.0, "decimal"),
    (".5", 0.5, "decimal"),
    ("1.234,50", 1234.5, "decimal"),
    ("1,234.50", 1234.5, "decimal"),
    ("1 234,5", 1234.5, "decimal"),
    ("1'234.50", 1234.5, "decimal"),
    ("80000000,00", 8e7, "decimal"),
    ("(1,234.50)", -1234.5, "decimal"),
    ("25,728.00-", -25728.0, "decimal"),
    ("5.2 million", 5.2e6, "decimal"),
    ("56.25%", 56.25, "percent"),
    ("9 %", 9.0, "percent"),
    ("-3,5 %", -3.5, "percent"),
    ("$ 5,617,236", 5617236.0, "money"),
    ("1.234,50 €", 1234.5, "money"),
    ("₪12", 12.0, "money"),
    ('100 ש"ח', 100.0, "money"),
    ("-$5", -5.0, "money"),
    ("$-5.00", -5.0, "money"),
    ("US$ 3", 3.0, "money"),
    ("4,50 zł", 4.5, "money"),
    ("$1.5 million", 1.5e6, "money"),
    ("CHF 1'200.-", 1200.0, "money"),
    ("($3.00)", -3.0, "money"),
]


@pytest.mark.parametrize(("text", "value", "shape"), NUMBERS)
def test_is_a_number(text: str, value: object, shape: str) -> None:
    number = number_of(text)
    assert number is not None
    assert (number.value, number.shape) == (value, shape)
    assert type(number.value) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "007",
        "00",
        "1-8",
        "3 - 4",
        "1997 - 99",
        "1st",
        "12E5",
        "5m",
        "12 km",
        "(5)",
        "200011-",
        "1974 , 1984",
        "½",
        "1.2.3",
        "$",
        "%",
        "1" * 22,
        "+",
        "1,,2",
        "NaN",
        "inf",
    ],
)
def test_is_no_number(text: str) -> None:
    assert number_of(text) is None


def test_a_spelling_that_proves_nothing_follows_its_column() -> None:
    assert [number.value for sign in ".," if (number := number_of("1,234", sign))] == [1234, 1.234]
    assert [number.value for sign in ".," if (number := number_of("1.234", sign))] == [1.234, 1234]
    assert [number.value for sign in ".," if (number := number_of("1.234,5", sign))] == [1234.5, 1234.5]
