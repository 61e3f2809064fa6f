from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import SourceError
from engine.read import ReadOptions
from engine.types import ColumnType
from tests.engine.read.columns import column_of, table_of, values_of

KINDS: list[tuple[str, list[str], str, str]] = [
    ("years", ["1987", "1988", "1990"], "Year", "integer"),
    ("thousands", ["6,718", "1,728", "8"], "amount", "integer"),
    ("decimal commas", ["1,5", "2,25", "3"], "amount", "decimal"),
    ("mixed conventions", ["1.234,50", "1,234.50", "7"], "amount", "decimal"),
    ("money", ["$5", "$6.50", "7"], "price", "money"),
    ("percent", ["5%", "6.5 %", "n/a"], "share", "percent"),
    ("leading zeros", ["01", "02", "10"], "state", "code"),
    ("padded zeros", [" 001 ", " 002 ", " 010 "], "n", "code"),
    ("postcodes of one width", ["20001", "20003", "20209"], "fips", "code"),
    ("quantities of one width", ["20001", "20003", "20209"], "people", "integer"),
    ("letters beside figures", ["2B033", "30189", "34022"], "code_insee", "text"),
    ("British postcodes", ["CB8 8EQ", "CA2 5TF", "LE15 6AJ"], "postcode", "code"),
    ("phones", ["03-9870585", "02-5551000", "04-9121184"], "contact", "code"),
    ("long identifiers", ["12345678901234567890", "12345678901234567891"], "n", "code"),
    ("dates", ["2019-04-01", "1 May 2019", "3/13/2019"], "when", "date"),
    ("dates in figures only", ["20190401", "20191231", "20200229"], "when", "date"),
    ("figures that are no dates", ["20190401", "98765432", "20200229"], "n", "integer"),
    ("midnights", ["5/19/2006 0:00:00", "6/2/2007 0:00:00"], "when", "date"),
    ("moments", ["2019-04-01 08:30", "2019-04-02 09:15"], "when", "datetime"),
    ("times", ["08:00", "17:30", "9:15 pm"], "opens", "time"),
    ("yes and no", ["yes", "No", "n/a"], "open", "boolean"),
    ("y and n", ["Y", "N", "Y"], "open", "boolean"),
    ("only y", ["y", "y", "y"], "letter", "text"),
    ("one and nought", ["1", "0", "1"], "open", "integer"),
    ("places", ["1st", "2nd", "dnf"], "place", "text"),
    ("scores", ["3 - 4", "1 - 0", "2 - 2"], "score", "text"),
    ("ranges", ["1-8", "1-15", "9-15"], "grades", "text"),
    ("seasons", ["1997-98", "1998-99", "2000-01"], "season", "text"),
    ("wins and losses", ["33 - 18 - 10", "34 - 18 - 10", "34 - 19 - 10"], "record", "text"),
    ("coordinates", ["52.244796", "-2.9472", "0.4055"], "latitude", "decimal"),
    ("words", ["apple", "pear", "fig"], "fruit", "text"),
    ("nothing", ["", "", ""], "notes", "text"),
]


@pytest.mark.parametrize(("cells", "name", "kind"), [each[1:] for each in KINDS], ids=[each[0] for each in KINDS])
def test_type(tmp_path: Path, cells: list[str], name: str, kind: str) -> None:
    assert column_of(tmp_path, cells, name).type == kind


def test_one_absurd_value_does_not_make_a_column_text(tmp_path: Path) -> None:
    cells = [f"2024-{month:02}-{day:02}" for month in range(1, 13) for day in range(1, 28)]
    cells[100] = "32/13/9999"
    column = column_of(tmp_path, cells, "updated")
    assert column.type == "date"
    assert [column.texts[i] for i in column.misfits] == ["32/13/9999"]
    assert values_of(column)[100] is None
    assert values_of(column)[0] == "2024-01-01"


def test_an_absurd_value_at_the_very_end_counts(tmp_path: Path) -> None:
    table = table_of(tmp_path, [["n", "x"], *([str(n), "a"] for n in range(5000)), ["many", "a"]])
    assert table.columns[0].type == "integer"
    assert [(doubt.code, doubt.lines) for doubt in table.doubts] == [("misfit", (5002,))]


def test_many_absurd_values_do(tmp_path: Path) -> None:
    cells = [str(n) for n in range(20)] + ["dnf", "dsq", "ret", "dns"]
    assert column_of(tmp_path, cells, "pos").type == "text"


@pytest.mark.parametrize("spelling", ["", " ", "n/a", "N/A", "-", "--", "Not Available", "NULL", "#N/A", "—", "unknown", "*****", "None"])
def test_no_value_in_a_column_of_numbers(tmp_path: Path, spelling: str) -> None:
    column = column_of(tmp_path, ["1", spelling, "3", "4"])
    assert (column.type, values_of(column), column.misfits) == ("integer", [1, None, 3, 4], frozenset())


def test_words_that_may_be_terms_stay_in_a_column_of_text(tmp_path: Path) -> None:
    column = column_of(tmp_path, ["None", "unknown", "NA", "n/a", "Not available", "Labour", "."])
    assert values_of(column) == ["None", "unknown", "NA", None, None, "Labour", "."]
    assert values_of(column_of(tmp_path, ["+", "-", "+"])) == ["+", "-", "+"]


def test_a_catalog_may_name_more_spellings(tmp_path: Path) -> None:
    column = column_of(tmp_path, ["1", "zip", "3", "zip"], options=ReadOptions(no_value=("ZIP",)))
    assert (column.type, values_of(column)) == ("integer", [1, None, 3, None])


@pytest.mark.parametrize(
    ("given", "values", "misfits"),
    [
        ("text", ["1", "many", "2024-05-06"], []),
        ("integer", [1, None, None], ["many", "2024-05-06"]),
        ("decimal", [1.0, None, None], ["many", "2024-05-06"]),
        ("date", [None, None, "2024-05-06"], ["1", "many"]),
        ("datetime", [None, None, "2024-05-06T00:00:00"], ["1", "many"]),
        ("boolean", [True, None, None], ["many", "2024-05-06"]),
    ],
)
def test_a_type_that_is_said_is_not_guessed(tmp_path: Path, given: ColumnType, values: list[object], misfits: list[str]) -> None:
    column = column_of(tmp_path, ["1", "many", "2024-05-06"], options=ReadOptions(columns={"value": given}))
    assert (column.type, values_of(column)) == (given, values)
    assert sorted(column.texts[i] for i in column.misfits) == sorted(misfits)


def test_options_for_a_column_that_is_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match='has no column "price"; it has row, value'):
        column_of(tmp_path, ["1"], options=ReadOptions(columns={"price": "money"}))


@pytest.mark.parametrize(
    ("cells", "value", "code"),
    [
        (["1/2/2024", "3/4/2024"], "2024-02-01", "date_order"),
        (["1/2/2024", "13/4/2024"], "2024-02-01", None),
        (["1/2/2024", "4/13/2024"], "2024-01-02", None),
        (["1/2/2024", "4/13/2024", "5/14/2024", "13/5/2024"], "2024-01-02", "mixed_dates"),
    ],
)
def test_day_and_month_are_told_apart_by_the_whole_column(tmp_path: Path, cells: list[str], value: str, code: str | None) -> None:
    table = table_of(tmp_path, [["row", "when"], *(["x", cell] for cell in cells)])
    assert values_of(table.columns[1])[0] == value
    assert [doubt.code for doubt in table.doubts] == ([code] if code else [])


def test_the_catalog_tells_day_and_month_apart(tmp_path: Path) -> None:
    column = column_of(tmp_path, ["1/2/2024", "3/4/2024"], options=ReadOptions(day_first=False))
    assert values_of(column) == ["2024-01-02", "2024-03-04"]


def test_neighbours_settle_what_a_column_leaves_open(tmp_path: Path) -> None:
    table = table_of(tmp_path, [["a", "b", "c"], ["1/2/2024", "4/13/2024", "x"], ["3/4/2024", "5/14/2024", "y"]])
    assert values_of(table.columns[0]) == ["2024-01-02", "2024-03-04"]
    table = table_of(tmp_path, [["a", "b", "c"], ["1.234", "1,5", "x"], ["5.678", "2,5", "y"]])
    assert values_of(table.columns[0]) == [1234, 5678]


def test_decimals_of_both_conventions_are_told(tmp_path: Path) -> None:
    table = table_of(tmp_path, [["a", "b"], ["x", "1.5"], ["y", "2.25"], ["z", "3,5"]])
    assert values_of(table.columns[1]) == [1.5, 2.25, 3.5]
    assert [(doubt.code, doubt.lines) for doubt in table.doubts] == [("mixed_decimals", (4,))]


def test_decimals_in_a_column_of_whole_numbers_are_misfits(tmp_path: Path) -> None:
    column = column_of(tmp_path, ["1", "2.0", "2.5"], options=ReadOptions(columns={"value": "integer"}))
    assert values_of(column) == [1, 2, None]
    assert [column.texts[i] for i in column.misfits] == ["2.5"]
