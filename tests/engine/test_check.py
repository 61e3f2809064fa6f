"""A plan that names what is not there, or compares what cannot be compared, is refused before it runs."""

from __future__ import annotations

import pytest

from engine.check import check
from engine.errors import AlmanacError, PlanError
from engine.types import EVERYTHING, Clause, Comparison, Having, Measure, Scope, Sort, TablePlan
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
        check(plan, providers.tables[0].facts, EVERYTHING)
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
    check(TablePlan(table="providers", **said), providers.tables[0].facts, EVERYTHING)  # type: ignore[arg-type]


class Narrow(Scope):
    """Sees neither the films nor a fee."""

    key: str = "narrow"

    def sees_table(self, table: str) -> bool:
        return table != "films"

    def sees_column(self, table: str, column: str) -> bool:
        return column != "fee"


def test_what_may_not_be_seen_is_not_there(providers: Asked, films: Asked) -> None:
    facts = providers.tables[0].facts
    with pytest.raises(PlanError) as hidden:
        check(TablePlan(table="providers", select=("fee",)), facts, Narrow())
    with pytest.raises(PlanError) as absent:
        check(TablePlan(table="providers", select=("fez",)), facts, Narrow())
    assert str(hidden.value).replace("fee", "fez") == str(absent.value)
    with pytest.raises(PlanError) as closed:
        check(TablePlan(table="films"), films.tables[0].facts, Narrow())
    with pytest.raises(PlanError) as unknown:
        check(TablePlan(table="filbs"), films.tables[0].facts, Narrow())
    assert str(closed.value).replace("films", "filbs") == str(unknown.value)


def test_a_table_that_may_not_be_seen_is_not_asked(films: Asked) -> None:
    (part,) = films.reply("films by Lena Fors", scope=Narrow()).parts
    assert part.kind == "no_answer"
    assert "Lena" not in part.model_dump_json(exclude={"question"})
