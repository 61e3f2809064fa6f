from __future__ import annotations

import datetime as dt
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.errors import SourceError
from engine.read import read
from tests.engine.read.columns import cells_of, values_of


def test_parquet_keeps_its_types(tmp_path: Path) -> None:
    table = pa.table(
        {
            "id": pa.array([20001, 20002, None]),
            "x": pa.array([1.5, None, 3.0]),
            "ok": pa.array([True, False, None]),
            "day": pa.array([dt.date(2024, 5, 1), None, dt.date(2024, 5, 3)]),
            "at": pa.array([dt.datetime(2024, 5, 1, 8, 30), None, None]),
            "zip": pa.array(["01001", "01002", ""]),
            "tags": pa.array([["a", "b"], ["b"], None]),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    found = read("t.parquet", base=tmp_path)[0]
    assert [column.type for column in found.columns] == ["integer", "decimal", "boolean", "date", "datetime", "code", "text"]
    assert [values_of(column)[0] for column in found.columns] == [20001, 1.5, True, "2024-05-01", "2024-05-01T08:30:00", "01001", "a; b"]
    assert values_of(found.columns[0])[2] is None
    assert (found.encoding, found.delimiter, found.rows) == ("", "", 3)


def test_parquet_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": list(range(1000))}), tmp_path / "t.parquet")
    (tmp_path / "t.parquet").write_bytes((tmp_path / "t.parquet").read_bytes()[:-50])
    with pytest.raises(SourceError, match=r"t\.parquet is no Parquet file that can be read"):
        read("t.parquet", base=tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        '{"made": "today",\n"rows": [{"a": "x", "n": 1}, {"n": 2.5, "b": null}]}',
        '{"a": "x", "n": 1}\n\n{"n": 2.5, "b": null}\n',
        '[{"a": "x", "n": 1},\n {"n": 2.5, "b": null}]',
        '\ufeff{"a":"x","n":1}\r\n{"n":2.5,"b":null}',
    ],
)
def test_json_lines_and_arrays(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.jsonl").write_text(text, encoding="utf-8")
    table = read("t.jsonl", base=tmp_path)[0]
    assert [(column.name, column.type) for column in table.columns] == [("a", "text"), ("n", "decimal"), ("b", "text")]
    assert cells_of(table) == [["x", "1", ""], ["", "2.5", ""]]


def test_what_json_nests_stays_json_and_lists_of_words_become_lists(tmp_path: Path) -> None:
    rows = ['{"at": {"x": 1}, "tags": ["a", "b"]}', '{"at": {"x": 2}, "tags": ["b", "a"]}', '{"at": {"x": 3}, "tags": ["b"]}']
    (tmp_path / "t.jsonl").write_text("\n".join(rows))
    table = read("t.jsonl", base=tmp_path)[0]
    assert cells_of(table)[0] == ['{"x": 1}', "a; b"]
    assert table.columns[1].list_separator == "; "


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1}\n\n{"a": \n', "t.jsonl, line 3: this is no JSON object"),
        ('{"a": 1}\n[1]\n', "t.jsonl, line 2: this is no JSON object"),
        ('"words"', "t.jsonl holds no records"),
        ("[1, 2]", "t.jsonl: element 1 is no object"),
        ('[{"a": 1}', "t.jsonl is no JSON that can be read"),
        ("[" * 100_000, "t.jsonl is no JSON that can be read"),
        ("{}\n{}\n", "t.jsonl holds no records"),
    ],
)
def test_json_that_cannot_be_read_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "t.jsonl").write_text(text)
    with pytest.raises(SourceError, match=said):
        read("t.jsonl", base=tmp_path)
