"""The values of a model's conditions: dates as columns hold them, numbers that a table can hold, and no more of them than a question has."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from engine.agents.form import Figure, Figures, Limit, QueryForm, Rows
from tests.engine.agents.playing import World, one_of, rows
from tests.engine.conftest import Opened
from tests.model.replies import Said

VISITS = """\
who,seen,opens
Ada,2024-03-01T07:30:00,08:00
Ada,2024-03-01T18:00:00,09:30
Bo,2024-03-02T09:00:00,07:15
Cy,2024-03-03T10:00:00,10:00
"""
ASKED = "which of them are Ruritanians"


@pytest.fixture
def visits(opened: Opened, tmp_path: Path) -> World:
    """A table of hours and of moments."""
    return World(opened(VISITS, "visits.csv").tables, tmp_path)


TIMES: dict[str, tuple[str, str, str, list[int]]] = {
    "a blank for the T": ("seen", "at_least", "2024-03-01 18:00", [2, 3, 4]),
    "after a day is after its end": ("seen", "more", "2024-03-01", [3, 4]),
    "to a day is to its end": ("seen", "at_most", "2024-03-01", [1, 2]),
    "before a day": ("seen", "less", "2024-03-02", [1, 2]),
    "from a day on": ("seen", "at_least", "2024-03-02", [3, 4]),
    "a day": ("seen", "is", "2024-03-01", [1, 2]),
    "minutes": ("opens", "at_least", "09:30", [2, 4]),
}


@pytest.mark.parametrize("name", TIMES)
def test_a_time_is_compared_as_the_column_holds_it(visits: World, name: str) -> None:
    column, op, value, ids = TIMES[name]
    came = visits(ASKED, [rows(one_of("Ruritanians", column, value, op=op))], kind="model")
    assert came.ids == ids


@pytest.mark.parametrize(
    ("column", "value"),
    [("seen", "2024-02-31"), ("seen", "2024-13-01 10:00"), ("seen", "18:00"), ("opens", "2024-03-01"), ("opens", "25:00"), ("opens", "9")],
)
def test_what_is_no_such_time_comes_back(visits: World, column: str, value: str) -> None:
    came = visits(ASKED, rows(one_of("Ruritanians", column, value, op="less")), kind="model")
    assert came.part.kind == "failure" and "holds values such as" in came.told(1)


def test_a_date_takes_no_hour(asking: World) -> None:
    before = rows(one_of("Ruritanians", "joined", "2009-09-09T08:00", op="at_most"))
    midnight = rows(one_of("Ruritanians", "joined", "2009-09-09T00:00", op="at_most"))
    came = asking("providers as Ruritanians have joined", [before, midnight], kind="model")
    assert "such as 2026-11-30" in came.told(1) and came.ids == [6]


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "10000000000000000000000000000000"])
@pytest.mark.parametrize("place", ["values", "limit", "having"])
def test_no_number_that_no_table_holds(asking: World, number: str, place: str) -> None:
    made = {
        "values": Rows(conditions=(one_of("Ruritanians", "fee", 12345, op="less"),)),
        "limit": Rows(conditions=(one_of("Ruritanians", "fee", 5, op="less"),), limit=12345),
        "having": Figures(
            figures=(Figure(function="count"),), group_by=("city",), having=(Limit(function="count", op="more", value=12345),)
        ),
    }[place]  # fmt: skip
    text = QueryForm(action=made).model_dump_json().replace("12345", number)
    with pytest.raises(ValidationError):
        QueryForm.model_validate_json(text)
    came = asking("providers as Ruritanians have them", Said(text), kind="model")
    assert came.calls == 3 and came.part.result is None


def test_no_more_conditions_and_values_than_anybody_asks_for() -> None:
    one = one_of("aching", "notes", "a")
    QueryForm(action=Rows(conditions=(one,) * 60))
    for many in ({"conditions": [one.model_dump()] * 61}, {"conditions": [one.model_dump() | {"values": ["a"] * 601}]}):
        with pytest.raises(ValidationError, match="too_long"):
            QueryForm.model_validate({"action": {"kind": "rows", **many}})
