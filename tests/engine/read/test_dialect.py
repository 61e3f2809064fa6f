from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import SourceError
from engine.read import ReadOptions, read
from engine.read.table import SourceTable


def _read(tmp_path: Path, text: str, options: ReadOptions = ReadOptions()) -> SourceTable:
    (tmp_path / "t.csv").write_bytes(text.encode())
    return read("t.csv", options, base=tmp_path)[0]


def _cells(table: SourceTable) -> list[list[str]]:
    return [[c.texts[c.codes[row]] if c.codes[row] >= 0 else "" for c in table.columns] for row in range(table.rows)]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", "^", "~"])
def test_the_delimiter_is_found(tmp_path: Path, delimiter: str) -> None:
    rows = [["name", "city", "price"], ["Anna, Dr.", "Rome", "1,5"], ["Ben; Esq.", "Oslo", "2,5"], ["Chi", "Bonn", "3,25"]]
    text = "\n".join(delimiter.join(f'"{cell}"' if delimiter in cell else cell for cell in row) for row in rows)
    table = _read(tmp_path, text)
    assert table.delimiter == delimiter
    assert _cells(table) == rows[1:]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a,b\n'x, y',1\n'z',2\n'q, r',3\n", [["x, y", "1"], ["z", "2"], ["q, r", "3"]]),
        ('a,b\n"He said \\"hi\\", twice",1\n"x",2\n', [['He said "hi", twice', "1"], ["x", "2"]]),
        ('a,b\n"C:\\temp\\",1\n"x",2\n', [["C:\\temp\\", "1"], ["x", "2"]]),
        ('a, b\n"x, y", "1, 2"\n"z", "3"\n', [["x, y", "1, 2"], ["z", "3"]]),
        ("sep=;\na;b\nx;1\n", [["x", "1"]]),
        ('a,b\r"x\ry",1\rz,2\r', [["x\ry", "1"], ["z", "2"]]),
        ('a,b\r\n"x\r\ny",1\r\nz,2\r\n', [["x\r\ny", "1"], ["z", "2"]]),
        ('a,b\n5" pipe,1\n6" pipe,2\n', [['5" pipe', "1"], ['6" pipe', "2"]]),
        ("a,b\nx,1\n\n\ny,2\n", [["x", "1"], ["y", "2"]]),
        ("a,b\nx,1\n,\ny,2\n,\n,\n", [["x", "1"], ["", ""], ["y", "2"]]),
    ],
)
def test_cells_come_back_as_they_were_written(tmp_path: Path, text: str, rows: list[list[str]]) -> None:
    assert _cells(_read(tmp_path, text)) == rows


def test_one_column_is_one_column(tmp_path: Path) -> None:
    assert len(_read(tmp_path, "remarks\nGood, all in all.\nNot so good\nAverage; could be better\n").columns) == 1


def test_what_is_said_is_not_guessed(tmp_path: Path) -> None:
    table = _read(tmp_path, 'a;b,c\n"1;2,3\n', ReadOptions(delimiter=";", quote=""))
    assert [column.name for column in table.columns] == ["a", "b,c"]
    assert _cells(table) == [['"1', "2,3"]]


def test_a_quote_that_nothing_closes_is_told_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"t.csv, line 3: a quotation mark opens a cell here and nothing closes it"):
        _read(tmp_path, 'a,b\n"x, y",1\n"z,2\nq,3\n"r, s",4\n')
    table = _read(tmp_path, 'a,b\nx,1\n"z,2\nq,3\n')
    assert _cells(table)[1] == ['"z', "2"]
    assert [(doubt.code, doubt.lines) for doubt in table.doubts] == [("unclosed_quote", (3,))]


def test_rows_that_differ_in_length_lose_nothing(tmp_path: Path) -> None:
    table = _read(tmp_path, "a,b,c\n1,2,3\n4,5\n6,7,8,nine,ten\n10,11,12\n13,14,15\n")
    assert _cells(table) == [["1", "2", "3"], ["4", "5", ""], ["6", "7", "8"], ["10", "11", "12"], ["13", "14", "15"]]
    assert table.overflow == {3: ("nine", "ten")}
    assert {doubt.code: doubt.lines for doubt in table.doubts} == {"long_rows": (4,), "short_rows": (3,)}


def test_a_cell_may_be_long(tmp_path: Path) -> None:
    assert _cells(_read(tmp_path, f"a,b\n{'x' * 300_000},1\n"))[0][0] == "x" * 300_000


def test_a_wider_row_far_down_is_kept_beside_the_table(tmp_path: Path) -> None:
    text = "a,b\n" + "x,1\n" * 5000 + "y,2," + ",".join(["z"] * 3000) + "\n"
    table = _read(tmp_path, text)
    assert (table.rows, len(table.columns), len(table.overflow[5001])) == (5001, 2, 3000)
