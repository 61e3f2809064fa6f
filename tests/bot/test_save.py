"""Answers as files: every row, nothing that runs, and no half of a file."""

from __future__ import annotations

import csv
import os
import stat
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.save import SaveError, checked_target, guarded, save_reply
from engine.errors import UsageError
from engine.types import Reply
from tests.bot.replies import answered, clarifying, table

SPREADSHEET = {"s": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
DANGEROUS = ["=1+1", "+1", "-1", "@SUM(1)", "\t=1", " =1", "＝1", '=HYPERLINK("x")']


def rows_of_csv(path: Path) -> list[list[str]]:
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def sheet_of_xlsx(path: Path, number: int = 1) -> ElementTree.Element:
    with zipfile.ZipFile(path) as book:
        assert not [name for name in book.namelist() if "externalLink" in name]
        return ElementTree.fromstring(book.read(f"xl/worksheets/sheet{number}.xml"))


def test_csv_has_all_rows_and_says_that_it_is_utf8(tmp_path: Path) -> None:
    path = tmp_path / "answer.csv"
    rows = [(f"שם {n}", n) for n in range(2000)]
    assert save_reply(answered(table(*rows, types="text integer")), path) == [path]
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    assert rows_of_csv(path) == [["name", "town"], *([name, str(n)] for name, n in rows)]


@pytest.mark.parametrize("text", DANGEROUS)
def test_csv_runs_nothing(tmp_path: Path, text: str) -> None:
    save_reply(answered(table((text, -5), names=f"name {text.split()[0]}", types="text integer")), tmp_path / "answer.csv")
    header, row = rows_of_csv(tmp_path / "answer.csv")
    assert row == ["'" + text, "-5"]
    assert header[1].startswith("'")


@given(st.text())
def test_a_guard_is_one_apostrophe_or_nothing(text: str) -> None:
    assert guarded(text) in (text, "'" + text)
    assert not str(guarded(text)).startswith(("=", "+", "-", "@", "\t", "\r"))


def test_xlsx_runs_and_follows_nothing(tmp_path: Path) -> None:
    path = tmp_path / "answer.xlsx"
    save_reply(answered(table(*((text, "https://example.org") for text in DANGEROUS))), path)
    sheet = sheet_of_xlsx(path)
    assert sheet.findall(".//s:f", SPREADSHEET) == []
    assert sheet.findall(".//s:hyperlink", SPREADSHEET) == []
    assert len(sheet.findall(".//s:row", SPREADSHEET)) == 1 + len(DANGEROUS)


def test_xlsx_keeps_codes_as_text_and_figures_as_figures(tmp_path: Path) -> None:
    path = tmp_path / "answer.xlsx"
    result = table(("007", 2.5, "2026-09-01", True, None), names="code price day open none", types="code decimal date boolean text")
    save_reply(answered(result), path)
    cells = {cell.get("r"): cell for cell in sheet_of_xlsx(path).findall(".//s:c", SPREADSHEET)}
    assert cells["A2"].get("t") in ("inlineStr", "s")
    assert cells["B2"].get("t") is None
    assert cells["B2"].findtext("s:v", namespaces=SPREADSHEET) == "2.5"
    assert cells["C2"].findtext("s:v", namespaces=SPREADSHEET) == "46266"
    assert cells["D2"].get("t") == "b"
    assert "E2" not in cells


def test_xlsx_holds_what_is_no_date_or_too_long_for_a_cell(tmp_path: Path) -> None:
    path = tmp_path / "answer.xlsx"
    save_reply(answered(table(("x" * 40_000, "sometime"), ("\x00\ud800", "0001-01-01"), (10**18, ""), types="text date")), path)
    assert len(sheet_of_xlsx(path).findall(".//s:row", SPREADSHEET)) == 4


def test_several_parts(tmp_path: Path) -> None:
    part = answered(table(("a", "b"))).parts[0]
    both = Reply(parts=(part, part))
    assert save_reply(both, tmp_path / "a.csv") == [tmp_path / "a.csv", tmp_path / "a-2.csv"]
    save_reply(both, tmp_path / "a.xlsx")
    assert len(sheet_of_xlsx(tmp_path / "a.xlsx", 2).findall(".//s:row", SPREADSHEET)) == 2


def test_nothing_to_save(tmp_path: Path) -> None:
    assert save_reply(clarifying(), tmp_path / "a.csv") == []
    assert list(tmp_path.iterdir()) == []


def test_no_rows_still_have_their_columns(tmp_path: Path) -> None:
    save_reply(answered(table()), tmp_path / "a.csv")
    assert rows_of_csv(tmp_path / "a.csv") == [["name", "town"]]
    save_reply(answered(table()), tmp_path / "a.xlsx")
    assert len(sheet_of_xlsx(tmp_path / "a.xlsx").findall(".//s:row", SPREADSHEET)) == 1


@pytest.mark.parametrize("name", ["a.txt", "a", "a.xls", "missing/a.csv"])
def test_where_an_answer_cannot_go(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        checked_target(tmp_path / name)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(UsageError, match="is a folder"):
        checked_target(tmp_path / "a.csv")


@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
def test_a_full_disk_leaves_the_old_file(suffix: str, tmp_path: Path) -> None:
    import resource

    path = tmp_path / f"answer{suffix}"
    path.write_text("as it was")
    rows = [(f"some text that takes room {n * 7919}", "x" * 50) for n in range(5000)]
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    import signal

    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(SaveError, match=r"could not be saved as .*: it would be larger than a file may be"):
            save_reply(answered(table(*rows)), path, overwrite=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert path.read_text() == "as it was"
    assert list(tmp_path.iterdir()) == [path]


def test_a_saved_file_is_an_ordinary_file(tmp_path: Path) -> None:
    save_reply(answered(table(("a", "b"))), tmp_path / "a.csv")
    (tmp_path / "plain").touch()
    assert stat.S_IMODE((tmp_path / "a.csv").stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


def test_a_file_that_is_there_is_replaced_only_where_that_is_said(tmp_path: Path) -> None:
    path, second = tmp_path / "a.csv", tmp_path / "a-2.csv"
    path.write_text("mine")
    for refused in (lambda: checked_target(path), lambda: save_reply(answered(table(("a", "b"))), path)):
        with pytest.raises(UsageError, match=r"already a file .*--overwrite"):
            refused()
    assert path.read_text() == "mine"
    assert checked_target(path, overwrite=True) == path
    save_reply(answered(table(("a", "b"))), path, overwrite=True)
    assert rows_of_csv(path) == [["name", "town"], ["a", "b"]]
    path.unlink()
    second.write_text("mine")
    part = answered(table(("a", "b"))).parts[0]
    with pytest.raises(UsageError, match=r"a-2\.csv"):
        save_reply(Reply(parts=(part, part)), path)
    assert not path.exists()


def test_what_is_read_is_never_replaced(tmp_path: Path) -> None:
    source, link = tmp_path / "shops.csv", tmp_path / "link.csv"
    source.write_text("mine")
    link.symlink_to(source)
    for path in (source, link, tmp_path / "." / "shops.csv"):
        with pytest.raises(UsageError, match="is read for this"):
            checked_target(path, [source], overwrite=True)
    part = answered(table(("a", "b"))).parts[0]
    with pytest.raises(UsageError, match="is read for this"):
        save_reply(
            Reply(parts=(part, part)), tmp_path / "x.csv", [tmp_path / "x-2.csv"], overwrite=(tmp_path / "x-2.csv").write_text("m") > 0
        )


@pytest.mark.parametrize("name", ["x" * 300 + ".csv", "x" * 300 + "/a.csv"])
def test_names_that_no_file_can_have(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="is no name that a file can have"):
        checked_target(tmp_path / name)


def test_a_closed_folder(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0)
    mine = os.geteuid()
    if mine == 0:  # to whom no folder is closed
        os.seteuid(65534)
    try:
        with pytest.raises(UsageError, match="may not look into"):
            checked_target(tmp_path / "closed" / "a.csv")
    finally:
        os.seteuid(mine)
