"""A plan that names what is not there, or compares what cannot be compared, is refused before it runs."""

from __future__ import annotations

import pytest

from engine.check import check
from engine.errors import AlmanacError, PlanError
from engine.types import Clause, Comparison, Having, Measure, Sort, TablePlan
from tests.engine.conftest import Asked


def where(column: str, op: str, *values: object) -> dict[str, object]:
    return {"where": (Clause(any_of=(Comparison(column=column, op=op, values=values),)),)}  # type: ignore[arg-type]


COUNT = Measure(function="count")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"table": "patients"}, "patients"),
        ({"select": ("salary",)}, "salary"),
        ({"group_by": ("salary",)}, "salary"),
        ({"sort": (Sort(by="salary"),)}, "salary"),
        ({"measures": (Measure(function="sum", column="salary"),)}, "salary"),
        (where("salary", "is", 3), "salary"),
        (where("City", "is", "Norwick"), "City"),
        ({"where": (Clause(any_of=()),)}, "comparison"),
        (where("city", "is"), "value"),
        (where("city", "blank", "Norwick"), "values"),
        (where("city", "has", "Norwick"), "list"),
        (where("city", "more", "Norwick"), "text"),
        (where("specialty", "more", "Norwick"), "text"),
        (where("fee", "starts_with", "1"), "money"),
        (where("joined", "contains", "2020"), "date"),
        (where("fee", "is", "cheap"), "number"),
        (where("fee", "is", True), "number"),
        (where("fee", "more", 1, 2), "one value"),
        ({"measures": (Measure(function="sum", column="city"),)}, "sum"),
        ({"measures": (Measure(function="average", column="joined"),)}, "average"),
        ({"measures": (Measure(function="max", column="city"),)}, "max"),
        ({"measures": (Measure(function="count_distinct"),)}, "column"),
        ({"having": (Having(measure=COUNT, op="more", value=2),)}, "group"),
    ],
)
def test_refused(providers: Asked, said: dict[str, object], told: str) -> None:
    plan = TablePlan(**{"table": "providers", **said})  # type: ignore[arg-type]
    with pytest.raises(PlanError, match=told) as caught:
        check(plan, providers.tables[0].facts)
    assert isinstance(caught.value, AlmanacError)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    "said",
    [
        {},
        where("specialty", "has_all", "Cardiology", "Neurology"),
        where("joined", "at_least", "2020-01-01"),
        where("fee", "blank"),
        where("wheelchair access", "is", True),
        {"group_by": ("languages",), "measures": (COUNT,), "having": (Having(measure=COUNT, op="more", value=2),)},
        {"measures": (Measure(function="max", column="joined"),)},
    ],
)
def test_accepted(providers: Asked, said: dict[str, object]) -> None:
    check(TablePlan(table="providers", **said), providers.tables[0].facts)  # type: ignore[arg-type]
