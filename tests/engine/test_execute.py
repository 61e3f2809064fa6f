"""Plans run on real tables give exactly the rows that plain Python finds, with their numbers in the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from engine.errors import ExecutionError
from engine.execute import count_rows, execute, run
from engine.types import Clause, Comparison, Having, Measure, ResultTable, Sort, TablePlan
from tests.engine.conftest import Asked
from tests.engine.samples import FILMS, PROVIDERS, STOCK, Row, items, numbers, rows_of

COUNT = Measure(function="count")


def cond(column: str, op: str, *values: object) -> Comparison:
    return Comparison(column=column, op=op, values=values)  # type: ignore[arg-type]


def of(asked: Asked, *clauses: Comparison | tuple[Comparison, ...], **said: object) -> ResultTable:
    where = tuple(Clause(any_of=clause if isinstance(clause, tuple) else (clause,)) for clause in clauses)
    plan = TablePlan(table=asked.tables[0].name, where=where, **said)  # type: ignore[arg-type]
    result, _ = execute(plan, asked.tables[0])
    assert result.total == len(result.rows)
    return result


def fee(row: Row) -> float:
    return float(row["fee"].strip("$"))


@pytest.mark.parametrize(
    ("clause", "holds"),
    [
        (cond("city", "is", "NORWICK"), lambda r: r["city"] == "Norwick"),
        (cond("city", "is", "saint–lo", "Easton"), lambda r: r["city"] in ("Saint-Lô", "Easton")),
        (cond("city", "is_not", "norwick"), lambda r: r["city"] != "Norwick"),
        (cond("notes", "is_not", "new building"), lambda r: r["notes"] != "new building"),
        (cond("notes", "blank"), lambda r: not r["notes"]),
        (cond("notes", "not_blank"), lambda r: bool(r["notes"])),
        (cond("notes", "not_contains", "RAMP"), lambda r: "ramp" not in r["notes"]),
        (cond("notes", "contains", "floor, r"), lambda r: "floor, r" in r["notes"]),
        (cond("name", "starts_with", "anna"), lambda r: r["name"].startswith("Anna")),
        (cond("name", "starts_with", "jose nu"), lambda r: r["name"] == "José Núñez"),
        (cond("name", "ends_with", "QVIST"), lambda r: r["name"].endswith("qvist")),
        (cond("name", "words", "weiss anna"), lambda r: r["name"] == "Anna Weiss"),
        (cond("name", "is", "ЛЕВ ОРЛОВ"), lambda r: r["name"] == "Лев Орлов"),
        (cond("name", "is", "יעל כהן"), lambda r: r["name"] == "יעל כהן"),
        (cond("code", "is", "00412"), lambda r: r["code"] == "00412"),
        (cond("code", "is", "412"), lambda r: False),
        (cond("code", "starts_with", "0041"), lambda r: r["code"].startswith("0041")),
        (cond("specialty", "has", "cardiology"), lambda r: "Cardiology" in items(r["specialty"])),
        (cond("specialty", "is", "Nutrition"), lambda r: "Nutrition" in items(r["specialty"])),
        (cond("specialty", "has", "Podiatry", "Nutrition"), lambda r: bool({"Podiatry", "Nutrition"} & set(items(r["specialty"])))),
        (cond("languages", "has_all", "English", "GERMAN"), lambda r: {"English", "German"} <= set(items(r["languages"]))),
        (cond("languages", "has_none", "english", "Swedish"), lambda r: not {"English", "Swedish"} & set(items(r["languages"]))),
        (cond("languages", "starts_with", "S"), lambda r: any(i.startswith("S") for i in items(r["languages"]))),
        (cond("specialty", "words", "medicine"), lambda r: "Sports medicine" in items(r["specialty"])),
        (cond("fee", "more", 150), lambda r: fee(r) > 150),
        (cond("fee", "at_most", 60), lambda r: fee(r) <= 60),
        (cond("fee", "is", 45, 48), lambda r: fee(r) in (45, 48)),
        (cond("fee", "is_not", 45), lambda r: fee(r) != 45),
        (cond("rating", "less", 3.9), lambda r: float(r["rating"]) < 3.9),
        (cond("joined", "at_least", "2020-10-05"), lambda r: r["joined"] >= "2020-10-05"),
        (cond("joined", "is", "2012-02-29"), lambda r: r["joined"] == "2012-02-29"),
        (cond("wheelchair access", "is", True), lambda r: r["wheelchair access"] == "Yes"),
        (cond("wheelchair access", "is", "no"), lambda r: r["wheelchair access"] == "No"),
    ],
)
def test_one_condition(providers: Asked, clause: Comparison, holds: Callable[[Row], bool]) -> None:
    assert of(providers, clause).row_ids == tuple(numbers(PROVIDERS, holds))


def test_all_clauses_and_any_comparison(providers: Asked) -> None:
    either = (cond("city", "is", "Oxmoor"), cond("fee", "less", 60))
    expected = numbers(PROVIDERS, lambda r: (r["city"] == "Oxmoor" or fee(r) < 60) and r["wheelchair access"] == "Yes")
    found = of(providers, either, cond("wheelchair access", "is", "Yes"))
    assert found.row_ids == tuple(expected)
    assert count_rows(TablePlan(table="providers", where=(Clause(any_of=either),)), providers.tables[0]) == len(
        numbers(PROVIDERS, lambda r: r["city"] == "Oxmoor" or fee(r) < 60)
    )


PLAIN: dict[str, Callable[[str, str], bool]] = {
    "is": str.__eq__,
    "starts_with": str.startswith,
    "ends_with": str.endswith,
    "contains": str.__contains__,
    "words": lambda cell, text: False,
}


@pytest.mark.parametrize(
    "text", ["' OR 1=1 --", 'x"; DROP TABLE rows', "%", "_orwick", "*", "Nor*", "[N]orwick", "NEAR(a b)", "Norwick OR Easton", "\x00"]
)
@pytest.mark.parametrize("op", PLAIN)
def test_a_value_is_text_and_nothing_more(providers: Asked, op: str, text: str) -> None:
    assert of(providers, cond("city", op, text)).row_ids == tuple(numbers(PROVIDERS, lambda row: PLAIN[op](row["city"], text)))
    assert of(providers).total == 20


def test_what_is_shown_follows_the_roles(providers: Asked) -> None:
    rows = of(providers, cond("specialty", "has", "Podiatry"), sort=(Sort(by="fee"),))
    assert {c.name: c.role for c in rows.columns} == {
        "name": "answer",
        "city": "key",
        "phone": "key",
        "code": "key",
        "specialty": "condition",
        "fee": "condition",
    }
    asked = of(providers, cond("name", "is", "Anna Weiss"), select=("fee", "rating"))
    assert {c.name: c.role for c in asked.columns} == {
        "fee": "answer",
        "rating": "answer",
        "name": "key",
        "city": "key",
        "phone": "key",
        "code": "key",
    }
    assert [dict(zip((c.name for c in asked.columns), row, strict=True))["fee"] for row in asked.rows] == ["$150.00", "$60.00"]


def test_columns_are_there_without_rows(providers: Asked) -> None:
    nothing = of(providers, cond("city", "is", "Nowhere"), select=("fee",))
    assert (nothing.total, nothing.rows, nothing.row_ids) == (0, (), ())
    assert [c.type for c in nothing.columns if c.name == "fee"] == ["money"]


def test_the_source_spelling_is_shown(providers: Asked) -> None:
    (row,) = of(providers, cond("code", "is", "00413"), select=("name", "fee", "joined", "wheelchair access")).rows
    assert {"Ömer Çelik", "$80.00", "2018-07-15", "00413"} < set(row)
    assert False in row


def test_order_and_limit(providers: Asked) -> None:
    by_fee = sorted(range(1, 21), key=lambda n: (-fee(rows_of(PROVIDERS)[n - 1]), n))
    assert of(providers, sort=(Sort(by="fee", descending=True),)).row_ids == tuple(by_fee)
    assert of(providers, sort=(Sort(by="fee", descending=True),), limit=4).row_ids == tuple(by_fee[:4])
    by_two = sorted(range(1, 21), key=lambda n: (rows_of(PROVIDERS)[n - 1]["district"], fee(rows_of(PROVIDERS)[n - 1]), n))
    assert of(providers, sort=(Sort(by="district"), Sort(by="fee"))).row_ids == tuple(by_two)


def test_all_who_share_the_first_place(stock: Asked) -> None:
    garden = cond("category", "is", "Garden")
    assert of(stock, garden, sort=(Sort(by="quantity", descending=True),), limit=1).row_ids == (5, 6)
    assert of(stock, garden, sort=(Sort(by="quantity"),), limit=1).row_ids == (4,)


def test_blanks_come_last_and_win_nothing(stock: Asked) -> None:
    for descending in (False, True):
        assert of(stock, sort=(Sort(by="quantity", descending=descending),)).row_ids[-1] == 9  # type: ignore[index]
    assert of(stock, cond("category", "is", "Lighting"), sort=(Sort(by="quantity"),), limit=5).row_ids == (8, 7)
    assert of(stock, cond("quantity", "is_not", 0)).row_ids == tuple(numbers(STOCK, lambda r: r["quantity"] != "0"))


def test_groups_count_rows_and_items(providers: Asked) -> None:
    rows = rows_of(PROVIDERS)
    cities = of(providers, group_by=("city",), measures=(COUNT,))
    assert dict(cities.rows) == Counter(row["city"] for row in rows)
    assert cities.row_ids is None
    spoken = of(providers, group_by=("languages",), measures=(COUNT,), sort=(Sort(by=COUNT, descending=True),))
    assert dict(spoken.rows) == Counter(item for row in rows for item in items(row["languages"]))
    assert spoken.rows[0][0] == "English"


def test_a_row_counts_once_whatever_its_lists_hold(providers: Asked) -> None:
    both = of(providers, cond("specialty", "has", "Cardiology", "Neurology"), measures=(COUNT,))
    expected = numbers(PROVIDERS, lambda r: bool({"Cardiology", "Neurology"} & set(items(r["specialty"]))))
    assert both.rows == ((len(expected),),)
    distinct = of(providers, measures=(Measure(function="count_distinct", column="languages"),))
    assert distinct.rows == ((len({item for row in rows_of(PROVIDERS) for item in items(row["languages"])}),),)


def test_sums_over_groups_of_lists_take_each_row_once(providers: Asked) -> None:
    total = Measure(function="sum", column="fee")
    by_language = dict(of(providers, group_by=("languages",), measures=(total,)).rows)
    assert by_language["Swedish"] == pytest.approx(sum(fee(r) for r in rows_of(PROVIDERS) if "Swedish" in items(r["languages"])))


def test_figures(films: Asked) -> None:
    minutes = [int(row["minutes"]) for row in rows_of(FILMS)]
    figures = [Measure(function=f, column="minutes") for f in ("sum", "average", "min", "max")]
    ((total, mean, low, high),) = of(films, measures=tuple(figures)).rows
    assert (total, low, high) == (sum(minutes), min(minutes), max(minutes))
    assert mean == pytest.approx(sum(minutes) / len(minutes))
    assert of(films, measures=(Measure(function="min", column="released"),)).rows == (("1987-05-22",),)


def test_the_first_groups_with_ties(films: Asked) -> None:
    most = of(films, group_by=("country",), sort=(Sort(by=COUNT, descending=True),), limit=1)
    assert [row[0] for row in most.rows] == ["Canada"]
    fewest = of(films, group_by=("genre",), sort=(Sort(by=COUNT),), limit=1)
    counts = Counter(row["genre"] for row in rows_of(FILMS))
    assert {row[0] for row in fewest.rows} == {genre for genre, n in counts.items() if n == min(counts.values())}


def test_groups_that_hold_something(films: Asked) -> None:
    found = of(films, group_by=("country",), measures=(COUNT,), having=(Having(measure=COUNT, op="at_least", value=3),))
    assert dict(found.rows) == {"Canada": 4, "Sweden": 3}


def test_distinct_values_once(films: Asked) -> None:
    found = of(films, select=("country",), distinct=True)
    assert sorted(str(row[0]) for row in found.rows) == sorted({row["country"] for row in rows_of(FILMS)})
    assert found.row_ids is None


def test_time_runs_out(providers: Asked) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    with pytest.raises(ExecutionError, match="seconds"):
        run(providers.tables[0], endless, (), seconds=0.05)
    assert of(providers).total == 20


@pytest.mark.parametrize(
    "change", ["DELETE FROM rows", "UPDATE rows SET c0 = 1", "DROP TABLE rows", "CREATE TABLE x (y)", "INSERT INTO term (id) VALUES (0)"]
)
def test_nothing_can_be_changed(providers: Asked, change: str) -> None:
    with pytest.raises(ExecutionError) as caught:
        run(providers.tables[0], change, ())
    assert "readonly" not in str(caught.value)
    assert of(providers).total == 20
