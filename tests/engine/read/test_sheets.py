from __future__ import annotations

import datetime as dt
import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import xlsxwriter
from python_calamine import CalamineWorkbook
from xlsxwriter.workbook import Workbook

from engine.errors import SourceError
from engine.panic import PanicError, panics_told
from engine.read import ReadOptions, read
from engine.read.table import SourceTable
from tests.engine.read.columns import cells_of, values_of

FILES = Path(__file__).parent / "files"
ODS = """<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0">
<office:body><office:spreadsheet><table:table table:name="T">
<table:table-row><table:table-cell office:value-type="string"><text:p>name</text:p></table:table-cell>
<table:table-cell office:value-type="string"><text:p>n</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell office:value-type="string"><text:p>Zoë</text:p></table:table-cell>
<table:table-cell office:value-type="float" office:value="3"><text:p>3</text:p></table:table-cell></table:table-row>
<table:table-row table:number-rows-repeated="1048574"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>
</table:table></office:spreadsheet></office:body></office:document-content>"""


MANIFEST = """<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry
 manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>"""


def _book(folder: Path, fill: Callable[[Workbook], None]) -> list[SourceTable]:
    with xlsxwriter.Workbook(folder / "t.xlsx") as book:
        fill(book)
    return read("t.xlsx", base=folder)


def _rows(book: Workbook, rows: list[list[object]], name: str | None = None) -> None:
    sheet = book.add_worksheet(name)
    for number, row in enumerate(rows):
        sheet.write_row(number, 0, row)


def test_cells_of_every_kind(tmp_path: Path) -> None:
    def fill(book: Workbook) -> None:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["n", "x", "ok", "day", "moment", "clock", "share", "price", "zip", "text"])
        form = {
            key: book.add_format({"num_format": code})
            for key, code in {
                "d": "yyyy-mm-dd",
                "m": "yyyy-mm-dd hh:mm",
                "c": "hh:mm",
                "p": "0.0%",
                "€": "[$€-407]#,##0.00",
                "z": "00000",
            }.items()
        }
        for row in (1, 2, 3):
            sheet.write_number(row, 0, row)
            sheet.write_number(row, 1, row + 0.1)
            sheet.write_boolean(row, 2, row == 2)
            sheet.write_datetime(row, 3, dt.date(2024, 5, row), form["d"])
            sheet.write_datetime(row, 4, dt.datetime(2024, 5, row, 8, 30), form["m"])
            sheet.write_datetime(row, 5, dt.time(8, row), form["c"])
            sheet.write_number(row, 6, 0.125 * row, form["p"])
            sheet.write_number(row, 7, 2.5 * row, form["€"])
            sheet.write_number(row, 8, 1000 + row, form["z"])
            sheet.write_string(row, 9, f"00{row}")

    table = _book(tmp_path, fill)[0]
    assert cells_of(table)[0] == ["1", "1.1", "FALSE", "2024-05-01", "2024-05-01 08:30:00", "08:01:00", "12.5%", "€2.5", "01001", "001"]
    kinds = ["integer", "decimal", "boolean", "date", "datetime", "time", "percent", "money", "code", "code"]
    assert [column.type for column in table.columns] == kinds
    assert [values_of(column)[1] for column in table.columns][2:8] == [True, "2024-05-02", "2024-05-02T08:30:00", "08:02:00", 25.0, 5.0]


def test_each_sheet_is_a_table_and_hidden_ones_are_not(tmp_path: Path) -> None:
    def fill(book: Workbook) -> None:
        _rows(book, [["a", "b"], ["x", 1]], "Staff")
        _rows(book, [["c", "d"], ["y", 2]], "Rooms")
        book.add_worksheet("Empty")
        _rows(book, [["e", "f"], ["z", 3]], "Old")
        book.worksheets()[-1].hide()

    assert [(table.name, table.rows) for table in _book(tmp_path, fill)] == [("Staff", 1), ("Rooms", 1)]
    assert [table.name for table in read("t.xlsx", ReadOptions(sheet="Old"), base=tmp_path)] == ["t"]
    with pytest.raises(SourceError, match='has no sheet "New"; it has Staff, Rooms, Empty, Old'):
        read("t.xlsx", ReadOptions(sheet="New"), base=tmp_path)


def test_tables_below_and_beside_each_other(tmp_path: Path) -> None:
    def fill(book: Workbook) -> None:
        _rows(book, [["city", "n"], ["A", 1], ["B", 2], [], ["Staff"], ["name", "age"], ["x", 30], ["y", 40]], "Below")
        _rows(book, [["city", "n", "", "name", "age"], ["A", 1, "", "x", 30], ["B", 2, "", "y", 40], ["", "", "", "z", 50]], "Beside")

    found = [(table.name, [column.name for column in table.columns], table.rows) for table in _book(tmp_path, fill)]
    names = ["Below", "Below 2", "Beside", "Beside 2"]
    assert found == [
        (name, columns, rows) for name, columns, rows in zip(names, [["city", "n"], ["name", "age"]] * 2, [2, 2, 2, 3], strict=True)
    ]


def test_merged_headers_and_merged_rows(tmp_path: Path) -> None:
    def fill(book: Workbook) -> None:
        sheet = book.add_worksheet()
        sheet.merge_range(3, 1, 4, 1, "Region")
        sheet.merge_range(3, 2, 3, 3, "People")
        sheet.write_row(4, 2, ["men", "women"])
        sheet.merge_range(5, 1, 6, 1, "North")
        sheet.write_row(5, 2, [1, 2])
        sheet.write_row(6, 2, [3, 4])
        sheet.write_row(7, 1, ["South", 5, 6])

    table = _book(tmp_path, fill)[0]
    assert [column.name for column in table.columns] == ["Region", "People men", "People women"]
    assert (table.header_rows, table.lines.tolist()) == (2, [6, 7, 8])
    assert values_of(table.columns[0]) == ["North", "North", "South"]


def test_a_million_empty_rows_are_no_rows(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(tmp_path / "t.xlsx", {"constant_memory": True}) as book:
        sheet = book.add_worksheet()
        bold = book.add_format({"bold": True})
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write_row(1, 0, ["x", 1])
        for row in range(2, 300_000):
            sheet.write_blank(row, 0, None, bold)
        sheet.write_blank(1_048_575, 0, None, bold)
    assert read("t.xlsx", base=tmp_path)[0].rows == 1


def test_older_and_other_spreadsheets(tmp_path: Path) -> None:
    table = read("old.xls", base=FILES)[0]
    assert cells_of(table) == [["001", "x", "3"], ["002", "é", "4.5"]]
    with zipfile.ZipFile(tmp_path / "t.ods", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", ODS.replace("\n<", "<"))
        archive.writestr("META-INF/manifest.xml", MANIFEST)
    table = read("t.ods", base=tmp_path)[0]
    assert (cells_of(table), [column.type for column in table.columns]) == ([["Zoë", "3"]], ["text", "integer"])


def _rewritten(source: Path, target: Path, change: Callable[[bytes], bytes]) -> None:
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.infolist():
            data = old.read(member)
            new.writestr(member.filename, change(data) if member.filename == "xl/worksheets/sheet1.xml" else data)


def _plain(folder: Path) -> Path:
    _book(folder, lambda book: _rows(book, [["a", "b"], ["x", 1], ["y", 2]]))
    return folder / "t.xlsx"


def test_a_locked_spreadsheet_is_refused() -> None:
    with pytest.raises(SourceError, match=r"locked\.xlsx is locked with a password"):
        read("locked.xlsx", base=FILES)


@pytest.mark.parametrize("kept", [0.3, 0.7, 0.98])
def test_a_spreadsheet_that_is_cut_short_is_refused(tmp_path: Path, kept: float) -> None:
    data = _plain(tmp_path).read_bytes()
    (tmp_path / "cut.xlsx").write_bytes(data[: int(len(data) * kept)])
    with pytest.raises(SourceError, match=r"cut\.xlsx is no spreadsheet that can be read: it is cut short or damaged"):
        read("cut.xlsx", base=tmp_path)


def test_an_archive_that_is_no_spreadsheet_is_refused(tmp_path: Path) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("readme.txt", "hello")
    (tmp_path / "t.xlsx").write_bytes(data.getvalue())
    with pytest.raises(SourceError, match="is no spreadsheet that can be read"):
        read("t.xlsx", base=tmp_path)


def test_a_bomb_is_not_unfolded(tmp_path: Path) -> None:
    _rewritten(_plain(tmp_path), tmp_path / "bomb.xlsx", lambda data: data.replace(b"<sheetData>", b"<sheetData>" + b" " * 120_000_000))
    with pytest.raises(SourceError, match="unfolds to far more than its size"):
        read("bomb.xlsx", base=tmp_path)
    with pytest.raises(SourceError, match="unfolds to more than 1,000,000 bytes"):
        read("bomb.xlsx", ReadOptions(bytes=1_000_000), base=tmp_path)


def test_cells_that_lie_too_far_apart_are_refused(tmp_path: Path) -> None:
    _plain(tmp_path)
    with xlsxwriter.Workbook(tmp_path / "far.xlsx") as book:
        _rows(book, [["a", "b"], ["x", 1]])
        book.worksheets()[0].write(1_048_575, 16_383, "far")
    with pytest.raises(SourceError, match="spreads over 1,048,576 rows and 16,384 columns"):
        read("far.xlsx", base=tmp_path)


def test_a_formula_that_was_never_computed_is_refused_with_its_cell(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(tmp_path / "t.xlsx") as book:
        _rows(book, [["a", "b"], ["x", 1]])
        book.worksheets()[0].write_formula(2, 1, "=B2*2", None, 7)
    assert values_of(read("t.xlsx", base=tmp_path)[0].columns[1]) == [1, 7]
    _rewritten(tmp_path / "t.xlsx", tmp_path / "f.xlsx", lambda data: data.replace(b"<v>7</v>", b""))
    with pytest.raises(SourceError, match=r"f\.xlsx: cell B3 holds a formula that was never computed"):
        read("f.xlsx", base=tmp_path)


@pytest.mark.parametrize("size", [4134, 4506, 4971, 5343])
def test_a_spreadsheet_that_its_reader_gives_up_on(tmp_path: Path, size: int, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cut.xls").write_bytes((FILES / "old.xls").read_bytes()[:size])
    with pytest.raises(PanicError), panics_told():
        CalamineWorkbook.from_path(str(tmp_path / "cut.xls"))
    with pytest.raises(SourceError, match=r"cut\.xls is no spreadsheet that can be read"):
        read("cut.xls", base=tmp_path)
    assert capfd.readouterr().err == ""


def test_what_else_is_written_meanwhile_is_not_lost(capfd: pytest.CaptureFixture[str]) -> None:
    with panics_told():
        os.write(2, b"a line of another thread\n")
    assert capfd.readouterr().err == "a line of another thread\n"
