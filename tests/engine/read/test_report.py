from __future__ import annotations

import json
from pathlib import Path

from engine.read.report import report_json
from tests.engine.read.columns import table_of


def test_the_report_says_what_was_read(tmp_path: Path) -> None:
    rows = [["name", "tags", "", "n"], ["Anna", "a; b", "", "1"], ["Ben", "b; a", "", "n/a"], ["Chi", "b", "", "3"]]
    table = table_of(tmp_path, rows)
    assert report_json([table]) == {
        "tables": [
            {
                "name": "t",
                "rows": 3,
                "encoding": "utf-8",
                "delimiter": ",",
                "header_rows": 1,
                "columns": [
                    {"name": "name", "type": "text", "list_separator": None, "empty": 0, "distinct": 3},
                    {"name": "tags", "type": "text", "list_separator": "; ", "empty": 0, "distinct": 3},
                    {"name": "column 3", "type": "text", "list_separator": None, "empty": 3, "distinct": 0},
                    {"name": "n", "type": "integer", "list_separator": None, "empty": 1, "distinct": 2},
                ],
                "warnings": [{"code": "unnamed_columns", "text": "1 column without a name is called column 3.", "lines": [1]}],
            }
        ]
    }
    assert json.loads(json.dumps(report_json([table]))) == report_json([table])


def test_misfits_count_as_values_and_not_as_empty(tmp_path: Path) -> None:
    rows = [["x", "n"], *([f"r{n}", str(n)] for n in range(30)), ["r", "many"], ["s", ""]]
    column = report_json([table_of(tmp_path, rows)])["tables"][0]["columns"][1]
    assert (column["type"], column["empty"], column["distinct"]) == ("integer", 1, 31)
