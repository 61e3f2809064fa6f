"""Cases asked in one go: each of its own table or of a catalog, in their order, and none of them stops the others."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bot.evaluate import evaluate_cases
from engine.catalog import load_catalog
from engine.errors import UsageError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "shops.csv").write_text("name,type,town\nCorner,Pharmacy,Ash\nMill,Clinic,Ash\nOld Mill,Clinic,Oak\n")
    (tmp_path / "people.csv").write_text("name,age\nAnn,31\nBob,42\n")
    with sqlite3.connect(tmp_path / "zoo.sqlite") as zoo:
        zoo.executescript("CREATE TABLE animal (name TEXT, legs INTEGER); INSERT INTO animal VALUES ('Cat', 4), ('Owl', 2), ('Ant', 6)")
        zoo.executescript("CREATE TABLE keeper (name TEXT, shift TEXT); INSERT INTO keeper VALUES ('Dan', 'night')")
    zoo.close()
    return tmp_path


def asked(root: Path, *cases: dict[str, Any], **options: Any) -> list[dict[str, Any]]:
    (root / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    evaluate_cases(root / "cases.jsonl", root, root / "results.jsonl", **options)
    return [json.loads(line) for line in (root / "results.jsonl").read_text(encoding="utf-8").splitlines()]


def test_each_case_is_asked_of_its_own_table(root: Path) -> None:
    results = asked(
        root,
        {"id": "a", "table_file": "shops.csv", "question": "how many shops are in Ash?"},
        {"id": "b", "db": "zoo.sqlite", "question": "how many legs does the Owl have?"},
        {"id": "c", "table_file": "shops.csv", "question": "clinics in Oak"},
    )
    assert [result["id"] for result in results] == ["a", "b", "c"]
    assert results[0]["rows"] == [[2]]
    assert 2 in results[1]["rows"][0]
    assert results[2]["row_ids"] == [3]
    for result in results:
        assert result["seconds"] >= 0
        assert (result["llm_calls"], result["tokens"]) == (0, 0)


def test_what_goes_wrong_is_the_reply_of_its_case_alone(root: Path) -> None:
    results = asked(
        root,
        {"id": "a", "table_file": "missing.csv", "question": "how many?"},
        {"id": "b", "table_file": "shops.csv", "question": "how many shops?", "thread": [{"who": "nobody", "text": "x"}]},
        {"id": "c", "table_file": "shops.csv", "question": "how many shops are in Ash?"},
    )
    assert [result["kind"] for result in results] == ["failure", "failure", "answer"]
    assert "missing.csv" in results[0]["message"]


def test_a_catalog_with_another_source(root: Path) -> None:
    said = '[tables.shops]\nsource = "elsewhere.csv"\n[tables.shops.columns.type.terms]\nPharmacy = "apothecary"\n'
    (root / "almanac.toml").write_text(said)
    catalog = load_catalog(root / "almanac.toml").with_source("shops", str(root / "shops.csv"))
    (result,) = asked(root, {"id": "a", "question": "apothecary in Ash"}, catalog=catalog)
    assert result["row_ids"] == [1]


def test_another_field_leaves_out_cases_without_it(root: Path) -> None:
    results = asked(
        root,
        {"id": "a", "table_file": "shops.csv", "question": "x", "question_syn": "how many shops are in Ash?"},
        {"id": "b", "table_file": "shops.csv", "question": "x"},
        {"id": "c", "table_file": "shops.csv", "question": "x", "question_syn": ["how many shops are in Oak?", "y"]},
        {"id": "d", "table_file": "shops.csv", "question": "x", "question_syn": []},
        field="question_syn",
    )
    assert [(result["id"], result["rows"]) for result in results] == [("a", [[2]]), ("c", [[1]])]


@pytest.mark.parametrize(
    ("cases", "said"),
    [
        ("", "No case"),
        ("{]\n", "Line 1"),
        ('{"id": "a", "question": "x", "table_file": "shops.csv"}\n[1]\n', "Line 2"),
        ('{"id": "a", "question": "x"}\n', "Case a"),
        ('{"question": "x"}\n', '"id"'),
    ],
)
def test_cases_that_are_none(root: Path, cases: str, said: str) -> None:
    (root / "cases.jsonl").write_text(cases)
    with pytest.raises(UsageError, match=said):
        evaluate_cases(root / "cases.jsonl", root, root / "results.jsonl")
    assert not (root / "results.jsonl").exists()


def test_results_that_cannot_be_written(root: Path) -> None:
    (root / "cases.jsonl").write_text('{"id": "a", "question": "how many shops?", "table_file": "shops.csv"}\n')
    with pytest.raises(UsageError, match="There is no folder"):
        evaluate_cases(root / "cases.jsonl", root, root / "missing" / "results.jsonl")


def test_the_score_reads_the_results(root: Path, cases: Path) -> None:
    case = {"id": "a", "table_file": "shops.csv", "question": "how many shops are in Ash?", "answer": [2]}
    asked(root, case)
    score = [sys.executable, str(cases / "score.py"), str(root / "cases.jsonl"), str(root / "results.jsonl")]
    assert "right 1 / 1" in subprocess.run(score, capture_output=True, text=True, check=True).stdout


def test_what_is_read_is_not_written_over(root: Path) -> None:
    case = {"id": "a", "table_file": "shops.csv", "question": "how many shops are in Ash?"}
    asked(root, case)
    for name in ("cases.jsonl", "shops.csv"):
        before = (root / name).read_bytes()
        with pytest.raises(UsageError, match="is read for this"):
            evaluate_cases(root / "cases.jsonl", root, root / name)
        assert (root / name).read_bytes() == before
    assert asked(root, case)[0]["rows"] == [[2]]  # over earlier results


def test_a_root_that_is_not_there(root: Path) -> None:
    (root / "cases.jsonl").write_text('{"id": "a", "question": "how many shops?", "table_file": "shops.csv"}\n')
    with pytest.raises(UsageError, match=r"There is no folder .*--root"):
        evaluate_cases(root / "cases.jsonl", root / "missing", root / "results.jsonl")


def test_a_damaged_source_is_the_failure_of_its_cases_alone(root: Path) -> None:
    old = Path(__file__).resolve().parent.parent / "engine" / "read" / "files" / "old.xls"
    (root / "cut.xls").write_bytes(old.read_bytes()[:4506])
    results = asked(
        root,
        {"id": "a", "table_file": "cut.xls", "question": "how many rows?"},
        {"id": "b", "table_file": "shops.csv", "question": "how many shops are in Ash?"},
    )
    assert [result["kind"] for result in results] == ["failure", "answer"]
    assert "cut short or damaged" in results[0]["message"]
