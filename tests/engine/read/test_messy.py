"""Files that break readers, each read as its manifest says; they lie beside the checkout and are skipped where they do not."""

from __future__ import annotations

import codecs
import json
from pathlib import Path
from typing import Any

import pytest

from engine.read import read
from engine.read.table import SourceTable

CASES = Path(__file__).parents[3].parent / "shared" / "cases"
MANIFEST = CASES / "messy_manifest.jsonl"
FITTING = {
    "int": {"integer"},
    "number": {"integer", "decimal"},
    "float": {"decimal", "money"},
    "text": {"text", "code"},
    "code": {"text", "code"},
    "date": {"date"},
    "bool": {"boolean"},
}
ENTRIES = [json.loads(line) for line in MANIFEST.read_text("utf-8").splitlines()] if MANIFEST.exists() else []


def _plain(text: str) -> str:
    """A cell as two writers would agree on it: line ends, the decimals of a whole number, the case of truth, midnight."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix(" 00:00:00").removesuffix(".0")
    return text.lower() if text.lower() in ("true", "false") else text


def _row(table: SourceTable, row: int) -> list[str]:
    cells = [column.texts[column.codes[row]] if column.codes[row] >= 0 else "" for column in table.columns]
    return [*cells, *table.overflow.get(row + 1, ())]


@pytest.mark.skipif(not ENTRIES, reason="the messy files are not beside this checkout")
@pytest.mark.parametrize("entry", ENTRIES, ids=[Path(entry["file"]).name for entry in ENTRIES])
def test_reads_as_the_manifest_says(entry: dict[str, Any]) -> None:
    table = read(entry["file"], base=CASES)[0]
    assert (table.delimiter or None) == entry["delimiter"]
    if entry["encoding"] == "xlsx":
        assert table.encoding == "xlsx"
    else:
        assert codecs.lookup(table.encoding).name == codecs.lookup(entry["encoding"]).name
    assert (table.rows, len(table.columns)) == (entry["n_rows"], entry["n_cols"])
    header = entry["header_row"]
    assert table.header_rows == (len(header) if isinstance(header, list) else 1)
    if not isinstance(entry["columns"][0], list):
        said = [name for name in entry["columns"] if "in all" not in name]
        for name, column in zip(said, table.columns, strict=False):
            assert " ".join(column.header[-1].split()) == " ".join(name.split())
    types = {column.name: column.type for column in table.columns}
    for name, kind in entry["key_types"].items():
        assert types[name] in FITTING[kind.split()[0]]
    for row, key in ((0, "first_row"), (table.rows - 1, "last_row")):
        for cell, expected in zip(_row(table, row), entry.get(key, []), strict=False):
            wanted = _plain(expected or "")
            assert _plain(cell)[: len(wanted)] == wanted if len(wanted) >= 60 else _plain(cell) == wanted


@pytest.mark.skipif(not ENTRIES, reason="the messy files are not beside this checkout")
def test_what_was_left_out_or_named_anew_is_told() -> None:
    told = {entry["file"]: {doubt.code for doubt in read(entry["file"], base=CASES)[0].doubts} for entry in ENTRIES}
    assert {"preamble", "stacked_header"} <= told["messy/files/dutch_provinces_stacked_header.csv"]
    assert "footer" in told["messy/files/nhs_trust_spend.csv"]
    assert "long_rows" in told["messy/files/tweet_multiline.csv"]
    assert {"unnamed_columns", "duplicate_columns"} <= told["messy/files/unnamed_and_duplicate.xlsx"]
    assert told["messy/files/ks_military_surplus.csv"] == set()
