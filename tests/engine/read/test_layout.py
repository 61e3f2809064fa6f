from __future__ import annotations

from pathlib import Path

import pytest

from engine.read import ReadOptions, read
from tests.engine.read.columns import cells_of, table_of


def _names(folder: Path, rows: list[list[str]], options: ReadOptions = ReadOptions()) -> tuple[int, list[str], int]:
    table = table_of(folder, rows, options)
    return table.header_rows, [column.name for column in table.columns], table.rows


HEADERS: list[tuple[str, list[list[str]], int, list[str], int]] = [
    ("one row", [["name", "age"], ["Anna", "30"], ["Ben", "40"]], 1, ["name", "age"], 2),
    ("none", [["Anna", "30", "x"], ["Ben", "40", "y"], ["Chi", "50", "z"]], 0, ["column 1", "column 2", "column 3"], 3),
    ("text only", [["name", "city"], ["Anna", "Rome"], ["Ben", "Oslo"]], 1, ["name", "city"], 2),
    ("figures over truth", [["id", "10", "20"], ["a", "TRUE", "FALSE"], ["b", "FALSE", "TRUE"]], 1, ["id", "10", "20"], 2),
    ("years over quantities", [["country", "2019", "2020"], ["Chad", "5", "6.5"], ["Mali", "7", "8"]], 1, ["country", "2019", "2020"], 2),
    (
        "titles above",
        [["Staff of the house"], ["as of May"], [], ["name", "age", "city"], ["Anna", "30", "Rome"], ["Ben", "40", "Oslo"]],
        1,
        ["name", "age", "city"],
        2,
    ),
    (
        "groups above",
        [["", "2019", "", "2020", ""], ["city", "men", "women", "men", "women"], ["A", "1", "2", "3", "4"], ["B", "5", "6", "7", "8"]],
        2,
        ["city", "2019 men", "2019 women", "2020 men", "2020 women"],
        2,
    ),
    (
        "groups over names that differ",
        [["", "People", "", "Area", ""], ["city", "men", "women", "land", "water"], ["A", "1", "2", "3", "4"], ["B", "5", "6", "7", "8"]],
        2,
        ["city", "People men", "People women", "Area land", "Area water"],
        2,
    ),
    ("unnamed and alike", [["", "x", "", "x"], ["1", "a", "2", "b"], ["3", "c", "4", "d"]], 1, ["column 1", "x", "column 3", "x (2)"], 2),
    ("a name like a made one", [["x", "x", "x (2)"], ["1", "2", "3"]], 1, ["x", "x (3)", "x (2)"], 1),
    ("names with blanks and line ends", [["Bank Name\xa0", "Population\n(2000)"], ["a", "1"]], 1, ["Bank Name", "Population (2000)"], 1),
    ("a column without a name or a text", [["a", "b", ""], ["1", "x", ""], ["2", "y", ""]], 1, ["a", "b", "column 3"], 2),
]


@pytest.mark.parametrize(("rows", "header", "names", "count"), [each[1:] for each in HEADERS], ids=[each[0] for each in HEADERS])
def test_header(tmp_path: Path, rows: list[list[str]], header: int, names: list[str], count: int) -> None:
    assert _names(tmp_path, rows) == (header, names, count)


def test_what_the_catalog_says_is_not_guessed(tmp_path: Path) -> None:
    rows = [["t", "u"], ["Anna", "30"], ["Ben", "40"], ["Chi", "50"]]
    assert _names(tmp_path, rows, ReadOptions(header_rows=0)) == (0, ["column 1", "column 2"], 4)
    assert _names(tmp_path, rows, ReadOptions(header_rows=2)) == (2, ["t Anna", "u 30"], 2)
    assert _names(tmp_path, rows, ReadOptions(skip_rows=1, header_rows=1)) == (1, ["Anna", "30"], 2)
    assert _names(tmp_path, rows, ReadOptions(footer_rows=1)) == (1, ["t", "u"], 2)


PEOPLE = [["name", "age", "city", "paid"], ["Anna", "30", "Rome", "5"], ["Ben", "40", "Oslo", "6"], ["Chi", "50", "Bonn", "7"]]


def test_notes_below_are_left_out_and_told(tmp_path: Path) -> None:
    table = table_of(tmp_path, [*PEOPLE, [], ["Report created in May", "", "", ""], ["by the office"]])
    assert (table.rows, cells_of(table)[-1]) == (3, ["Chi", "50", "Bonn", "7"])
    assert [(doubt.code, doubt.lines) for doubt in table.doubts] == [("footer", (6, 7))]
    assert table.around[6][0] == "Report created in May"


def test_notes_without_a_blank_line_are_left_out(tmp_path: Path) -> None:
    assert table_of(tmp_path, [*PEOPLE, ["* as of May"]]).rows == 3


def test_sparse_rows_are_no_notes_where_others_are_sparse_too(tmp_path: Path) -> None:
    rows = [["key", "text", "n", "m"], ["A", "first", "1", "2"], ["B", "", "", ""], ["C", "third", "3", "4"], ["D", "", "", ""]]
    assert table_of(tmp_path, rows).rows == 4


def test_totals_are_left_out_where_they_are_the_sums(tmp_path: Path) -> None:
    table = table_of(tmp_path, [*PEOPLE, ["Total", "", "", "18"]])
    assert table.rows == 3
    assert [(doubt.code, doubt.lines, doubt.text) for doubt in table.doubts] == [("totals", (5,), "1 row of totals is left out.")]
    kept = table_of(tmp_path, [*PEOPLE, ["Total", "", "", "19"]])
    assert (kept.rows, [doubt.code for doubt in kept.doubts][:1]) == (4, ["totals_kept"])


def test_a_header_that_is_printed_again_is_no_row(tmp_path: Path) -> None:
    table = table_of(tmp_path, [*PEOPLE, PEOPLE[0], ["Dov", "60", "Acre", "8"]])
    assert (table.rows, [column.type for column in table.columns]) == (4, ["text", "integer", "text", "integer"])
    assert [(doubt.code, doubt.lines) for doubt in table.doubts] == [("repeated_header", (5,))]


def test_rows_that_are_alike_are_kept(tmp_path: Path) -> None:
    assert table_of(tmp_path, [*PEOPLE, PEOPLE[1], PEOPLE[1]]).rows == 5


def test_two_tables_in_one_file(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("city,count\nA,1\nB,2\n\nStaff\nname,age,born\nx,30,1990\ny,40,1980\n")
    tables = read("t.csv", base=tmp_path)
    assert [(table.name, [column.name for column in table.columns], table.rows) for table in tables] == [
        ("t", ["city", "count"], 2),
        ("t 2", ["name", "age", "born"], 2),
    ]


def test_blank_lines_between_paragraphs_do_not_cut_a_table(tmp_path: Path) -> None:
    assert len(table_of(tmp_path, [PEOPLE[0], PEOPLE[1], [], PEOPLE[2], [], [], PEOPLE[3]]).columns[0].texts) == 3


def test_a_wide_table_is_read_whole(tmp_path: Path) -> None:
    rows = [["id", *(f"c{n}" for n in range(5000))], *([f"r{r}", *(str(r * n) for n in range(5000))] for r in range(3))]
    table = table_of(tmp_path, rows)
    assert (len(table.columns), table.rows, table.columns[5000].values[-1]) == (5001, 3, 2 * 4999)


FILES: dict[str, tuple[str, int, list[str], int]] = {
    "row names before the columns": ("mpg\tcyl\nMazda\t21.0\t6\nDatsun\t22.8\t4\n", 1, ["column 1", "mpg", "cyl"], 2),
    "a delimiter after each row": ("a,b\n1,x,\n2,y,\n", 1, ["a", "b"], 2),
    "a delimiter after the header as well": ("a,b,\n1,x,\n2,y,\n", 1, ["a", "b", "column 3"], 2),
    "words about the table": (
        "Source,The Office,\n\nUpdated,2020-07-01,\n\nname,code,1960\nAruba,ABW,54211\nChad,TCD,300\n",
        1,
        ["name", "code", "1960"],
        2,
    ),
    "words about the table, without blank lines": (
        "Report,Sales\nDate,2020-01-01\nregion,n,m\nNorth,1,2\nSouth,3,4\n",
        1,
        ["region", "n", "m"],
        2,
    ),
    "remarks of a program": ("# made by a program, version 2\nid,name,n\n1,Anna,3\n2,Ben,4\n", 1, ["id", "name", "n"], 2),
    "units below the names": ("name,length,weight\n,km,kg\nA,1.5,3\nB,2.5,4\n", 2, ["name", "length km", "weight kg"], 2),
    "columns kept apart by blanks": ("name    age city\nAnna     30 Rome\nBen      40 Oslo\n", 1, ["name", "age", "city"], 2),
    "a number sign": ("#,name,n\n1,A,10\n2,B,20\n", 1, ["#", "name", "n"], 2),
    "an index without a name": (",a,b\n0,1,x\n1,2,y\n", 1, ["column 1", "a", "b"], 2),
}


@pytest.mark.parametrize(("text", "header", "names", "count"), FILES.values(), ids=FILES.keys())
def test_files_of_other_hands(tmp_path: Path, text: str, header: int, names: list[str], count: int) -> None:
    (tmp_path / "t.txt").write_text(text)
    (table,) = read("t.txt", base=tmp_path)
    assert (table.header_rows, [column.name for column in table.columns], table.rows) == (header, names, count)
