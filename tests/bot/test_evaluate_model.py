"""Cases that a model plans: who plans, what is left out, what it took."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

pytest.importorskip("instructor", reason='the extra "model" is not installed')

from bot.cli import cli
from tests.engine.agents.playing import one_of, rows
from tests.engine.samples import PROVIDERS
from tests.model.replies import by_question, down
from tests.model.standin import KEY, Endpoint, serving

CASES = [
    {"id": "a", "table_file": "providers.csv", "question": "cardiologists in Norwick"},
    {"id": "b", "table_file": "providers.csv", "question": "somebody for my aching feet in Tarnby"},
    {"id": "c", "table_file": "providers.csv", "question": "a person like Ida Falk"},
]
REPLIES = by_question(
    {
        "cardiologists": rows(one_of("cardiologists", "specialty", "Cardiology"), one_of("Norwick", "city", "Norwick")),
        "feet": rows(one_of("aching feet", "specialty", "Podiatry"), one_of("Tarnby", "city", "Tarnby")),
    },
    otherwise=down(),
)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    from engine import model

    monkeypatch.setattr(model, "_WAITS", (0.0, 0.0))
    with serving(REPLIES) as standing:
        monkeypatch.setenv("OPENAI_BASE_URL", standing.address)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("ALMANAC_MODEL", "small")
        yield standing


def run(folder: Path, *options: str) -> list[dict[str, Any]]:
    (folder / "providers.csv").write_text(PROVIDERS, encoding="utf-8")
    (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in CASES), encoding="utf-8")
    out = folder / "out.jsonl"
    done = CliRunner().invoke(cli, ["eval", str(folder / "cases.jsonl"), "--root", str(folder), "--out", str(out), *options])
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def test_without_a_name_nobody_is_asked(tmp_path: Path, endpoint: Endpoint) -> None:
    results = run(tmp_path)
    assert endpoint.calls == 0 and [(one["planner"], one["llm_calls"]) for one in results] == [("offline", 0)] * 3


def test_a_model_alone_plans_each_and_what_it_took_is_told(tmp_path: Path, endpoint: Endpoint) -> None:
    results = run(tmp_path, "--planner", "model")
    assert [one["kind"] for one in results] == ["answer", "answer", "failure"]
    assert [one["row_ids"] for one in results[:2]] == [[1, 3], [14]]
    assert [one["llm_calls"] for one in results[:2]] == [1, 1] and all(one["tokens"] > 500 for one in results[:2])
    assert all(one["seconds"] >= 0 for one in results)
    assert "502" in results[2]["message"], "where the model is measured, nothing takes over"
    assert endpoint.calls == 5


def test_auto_asks_a_model_what_is_not_covered(tmp_path: Path, endpoint: Endpoint) -> None:
    results = run(tmp_path, "--planner", "auto", "--first", "2")
    assert [(one["id"], one["planner"], one["llm_calls"]) for one in results] == [("a", "offline", 0), ("b", "model", 1)]


def test_what_was_asked_before_is_asked_again(tmp_path: Path, endpoint: Endpoint) -> None:
    for _ in range(2):
        run(tmp_path, "--planner", "model", "--first", "1")
    assert endpoint.calls == 2, "the planner is measured, and not what it was asked before"


@pytest.mark.parametrize(
    ("part", "mark"), [("terms", '"terms":{'), ("rows", '"similar"'), ("negatives", '"not_matching"'), ("history", '"sample"')]
)
def test_a_part_that_is_left_out_is_in_no_request(tmp_path: Path, endpoint: Endpoint, part: str, mark: str) -> None:
    run(tmp_path, "--planner", "model", "--first", "1")
    run(tmp_path, "--planner", "model", "--first", "1", "--without", part)
    whole, less = endpoint.asked
    assert mark in whole.prompt and mark not in less.prompt
    assert less.tokens < whole.tokens


def test_the_baseline_shows_five_rows(tmp_path: Path, endpoint: Endpoint) -> None:
    run(tmp_path, "--planner", "model", "--first", "1", "--baseline", "head")
    assert json.loads(endpoint.asked[0].question) == {"question": CASES[0]["question"]}
    assert endpoint.holding("José Núñez") and not endpoint.holding("Ruth O'Hara")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--without", "terms"], "name who plans with --planner"),
        (["--planner", "model", "--baseline", "head", "--without", "terms"], "give one of them"),
        (["--planner", "everybody"], "everybody"),
    ],
)
def test_options_that_make_no_sense_are_refused(tmp_path: Path, options: list[str], told: str) -> None:
    (tmp_path / "cases.jsonl").write_text(json.dumps(CASES[0]) + "\n", encoding="utf-8")
    given = ["eval", str(tmp_path / "cases.jsonl"), "--root", str(tmp_path), "--out", str(tmp_path / "out.jsonl"), *options]
    done = CliRunner().invoke(cli, given)
    assert done.exit_code != 0 and told in f"{done.output} {done.exception}"
    assert not (tmp_path / "out.jsonl").exists()


def test_a_model_that_nobody_named_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ALMANAC_MODEL", raising=False)
    (tmp_path / "providers.csv").write_text(PROVIDERS, encoding="utf-8")
    (tmp_path / "cases.jsonl").write_text(json.dumps(CASES[0]) + "\n", encoding="utf-8")
    given = ["eval", str(tmp_path / "cases.jsonl"), "--root", str(tmp_path), "--out", str(tmp_path / "out.jsonl"), "--planner", "model"]
    assert "ALMANAC_MODEL" in str(CliRunner().invoke(cli, given).exception)
