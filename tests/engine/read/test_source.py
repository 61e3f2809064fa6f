from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine.errors import SourceError
from engine.read import ReadOptions, read, stamp
from tests.engine.read.columns import values_of

TEXT = "name,age\nAnna,30\nBen,40\n"


def test_a_path_a_folder_before_it_and_a_name_from_it(tmp_path: Path) -> None:
    (tmp_path / "staff list.csv.txt").write_text(TEXT)
    for table in (*read("staff list.csv.txt", base=tmp_path), *read(str(tmp_path / "staff list.csv.txt"))):
        assert (table.name, table.rows, len(table.fingerprint)) == ("staff list", 2, 32)
        assert table.changed_at.endswith("+00:00")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "t.csv is empty"),
        (b" \r\n\n", "t.csv is empty"),
        (b"\xef\xbb\xbf", "t.csv is empty"),
        (b"name,age\n", "t.csv has a header and no rows"),
        (b"%PDF-1.7 and so on", "t.csv is a PDF and not a table"),
        (b"\x89PNG\r\n\x1a\n", "t.csv is a picture"),
        (b"<!DOCTYPE html><html><body>Log in", "t.csv is a web page"),
        (b"PK\x03\x04" + b"x" * 100, "t.csv is no spreadsheet that can be read"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"x" * 100, "t.csv is no spreadsheet that can be read"),
        (b"SQLite format 3\0" + b"x" * 4000, "t.csv: its tables cannot be read"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "t.csv").write_bytes(data)
    with pytest.raises(SourceError, match=said):
        read("t.csv", base=tmp_path)


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(SourceError, match=r"There is no file none\.csv"):
        read("none.csv", base=tmp_path)
    with pytest.raises(SourceError, match=r"folder is a folder; name a file, or the files in it, as in folder/\*\.csv"):
        read("folder", base=tmp_path)
    with pytest.raises(SourceError, match=r"No file fits folder/\*\.csv"):
        read("folder/*.csv", base=tmp_path)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TEXT)
    with pytest.raises(SourceError, match="has 24 bytes, more than the 10 that may be read"):
        read("t.csv", ReadOptions(bytes=10), base=tmp_path)


@contextmanager
def without_privileges() -> Iterator[None]:
    """As a user to whom files can be closed, which for root they are not."""
    mine = os.geteuid()
    if mine == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(mine)


def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TEXT)
    (tmp_path / "t.csv").chmod(0)
    with without_privileges(), pytest.raises(SourceError, match="may not be read by this user"):
        read("t.csv", base=tmp_path)


def test_a_file_in_a_closed_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed" / "t.csv").write_text(TEXT)
    (tmp_path / "closed").chmod(0)
    with without_privileges():
        for source in ("closed/t.csv", "sqlite:///closed/t.csv"):
            with pytest.raises(SourceError, match=r"closed/t\.csv may not be read by this user"):
                read(source, base=tmp_path)
        assert stamp("closed/t.csv", tmp_path) == ""
    (tmp_path / "closed").chmod(0o700)


def test_only_ordinary_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(str(tmp_path / "s"))
        for source in ("pipe.csv", "s", "/dev/zero", "sqlite:///pipe.csv"):
            with pytest.raises(SourceError, match="is a device, a pipe or a socket"):
                read(source, base=tmp_path)
    with pytest.raises(SourceError, match=r"No file fits pipe\*"):
        read("pipe*", base=tmp_path)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="only Linux has a file that refuses to be read")
def test_a_file_that_the_system_refuses_is_refused() -> None:
    with pytest.raises(SourceError, match="/proc/self/mem cannot be read"):
        read("/proc/self/mem")


def test_names_that_no_file_can_have(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"^x{80}… is longer than the name of a file can be") as told:
        read("x" * 5000, base=tmp_path)
    assert len(str(told.value)) < 200
    with pytest.raises(SourceError, match="There is no file"):
        read("a\0b", base=tmp_path)
    with pytest.raises(SourceError, match="There is no file ~no-such-user/x"):
        read("~no-such-user/x", base=tmp_path)


def test_a_path_as_an_address_is_a_path(tmp_path: Path) -> None:
    (tmp_path / "my list.csv").write_text(TEXT)
    for source in (f"file://{tmp_path}/my%20list.csv", f"file://localhost{tmp_path}/my list.csv", f"FILE://{tmp_path}/my list.csv"):
        assert read(source)[0].rows == 2
        assert stamp(source) == stamp(str(tmp_path / "my list.csv")) != ""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (ReadOptions(sheet="2024"), 't.csv is no spreadsheet and has no sheets; leave "sheet" out'),
        (ReadOptions(query="SELECT 1"), 't.csv is no database; leave "query" out'),
        (ReadOptions(table="t"), 't.csv is no database; leave "table" out'),
    ],
)
def test_a_part_that_a_text_does_not_have(tmp_path: Path, options: ReadOptions, said: str) -> None:
    (tmp_path / "t.csv").write_text(TEXT)
    with pytest.raises(SourceError, match=said):
        read("t.csv", options, base=tmp_path)


def test_files_with_the_same_columns_are_one_table(tmp_path: Path) -> None:
    (tmp_path / "sales-2023.csv").write_text("day,n\n2023-01-01,5\n")
    (tmp_path / "sales-2024.csv").write_text("n;day\n6;2024-01-01\n7;2024-01-02\n")
    (table,) = read("sales-*.csv", base=tmp_path)
    assert (table.name, table.rows) == ("sales", 3)
    assert [(column.name, column.type, values_of(column)) for column in table.columns] == [
        ("day", "date", ["2023-01-01", "2024-01-01", "2024-01-02"]),
        ("n", "integer", [5, 6, 7]),
    ]
    (tmp_path / "sales-2025.csv").write_text("day,m\n2025-01-01,8\n")
    with pytest.raises(SourceError, match=r'sales-2025\.csv has no column "n" and has a column "m" that the others lack'):
        read("sales-*.csv", base=tmp_path)


def test_a_name_with_signs_of_a_pattern_is_a_file_where_there_is_one(tmp_path: Path) -> None:
    (tmp_path / "list [1].csv").write_text(TEXT)
    assert read("list [1].csv", base=tmp_path)[0].rows == 2


def test_a_fingerprint_is_of_the_content_and_of_how_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TEXT)
    first = read("t.csv", base=tmp_path)[0].fingerprint
    os.utime(path, (1, 1))
    assert read("t.csv", base=tmp_path)[0].fingerprint == first
    assert read("t.csv", ReadOptions(footer_rows=1), base=tmp_path)[0].fingerprint != first
    path.write_text(TEXT.replace("30", "31"))
    assert read("t.csv", base=tmp_path)[0].fingerprint != first


def test_a_stamp_tells_a_change_and_never_fails(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TEXT)
    first = stamp("t.csv", tmp_path)
    assert first
    assert stamp("t.csv", tmp_path) == first
    path.write_text(TEXT + "Chi,50\n")
    assert stamp("t.csv", tmp_path) not in ("", first)
    assert stamp("*.csv", tmp_path) == stamp("t.csv", tmp_path)
    assert stamp("none.csv", tmp_path) == ""
    assert stamp("postgresql://nobody@127.0.0.1:1/none") == ""


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("name,age\n" + "Anna,30\n" * 20_000)
    stop = threading.Event()

    def append() -> None:
        with path.open("a") as file:
            while not stop.is_set():
                file.write("Ben,40\n")
                file.flush()
                stop.wait(0.001)

    writer = threading.Thread(target=append)
    writer.start()
    try:
        with pytest.raises(SourceError, match=r"t\.csv changed while it was read"):
            read("t.csv", base=tmp_path)
    finally:
        stop.set()
        writer.join()


def test_importing_reading_is_light() -> None:
    import subprocess
    import sys

    heavy = "sqlalchemy", "python_calamine", "requests", "pyarrow", "chardet"
    code = f"import engine.read, sys; print(*[name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == ""
