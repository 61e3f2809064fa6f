"""The report of how tables were read, for a person."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from bot.check import print_reports, read_catalog
from engine.catalog import catalog_of, load_catalog

TEXT = "code;name;tags\n007;\x1b[31mred[/bold];a\n008;two;b\n009;;a\n"


def test_every_column_is_told(tmp_path: Path) -> None:
    (tmp_path / "things.csv").write_text(TEXT)
    out = io.StringIO()
    print_reports(read_catalog(catalog_of(str(tmp_path / "things.csv"))), out)
    lines = out.getvalue().splitlines()
    assert lines[0].startswith("things: 3 rows from ")
    assert "delimiter semicolon, header rows 1" in lines[0]
    assert lines[1].split("\t") == ["column", "type", "distinct", "empty", "list of", "examples"]
    told = [tuple(line.split("\t")[:4]) for line in lines[2:5]]
    assert told == [("code", "code", "3", "0"), ("name", "text", "2", "1"), ("tags", "text", "2", "0")]
    assert "\\x1b[31mred[/bold]" in lines[3]
    assert "\x1b" not in out.getvalue()


def test_a_terminal_shows_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    (tmp_path / "things.csv").write_text(TEXT)
    screen = Screen()
    print_reports(read_catalog(catalog_of(str(tmp_path / "things.csv"))), screen)
    for told in ("3 rows", "semicolon", "code", "\\x1b[31mred[/bold]"):
        assert told in screen.getvalue()


def test_a_catalog_says_how_to_read(tmp_path: Path) -> None:
    (tmp_path / "things.csv").write_text("1;2\n3;4\n")
    (tmp_path / "almanac.toml").write_text('[tables.t]\nsource = "things.csv"\n[tables.t.read]\nheader_rows = 0\ndelimiter = ";"\n')
    (table,) = read_catalog(load_catalog(tmp_path / "almanac.toml"))
    assert table.rows == 2
