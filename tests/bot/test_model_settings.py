"""Settings of a language model on the command line: what is wrong is one sentence before anything is built, and what is right is used."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bot.test_cli import SHOPS, almanac, refused
from tests.model.replies import Said, internal
from tests.model.standin import serving

ODD = "somewhere to mend a broken arm in Elm"
PLANNED = Said(
    {
        "action": {
            "kind": "rows", "match": "all", "columns": [], "distinct": False, "sort": [], "limit": None,
            "conditions": [
                {"words": "mend a broken arm", "column": "type", "op": "is", "values": ["Clinic"]},
                {"words": "Elm", "column": "town", "op": "is", "values": ["Elm"]},
            ],
            "unused": [{"words": "somewhere to", "why": "says_nothing"}],
        }
    }
)  # fmt: skip
MODEL = {"ALMANAC_MODEL": "small", "ALMANAC_PLANNER": "auto"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shops.csv").write_text(SHOPS, encoding="utf-8")
    (tmp_path / "almanac.toml").write_text('[access]\nendpoints = ["https://models.example/v1"]\n[tables.shops]\nsource = "shops.csv"\n')
    return tmp_path


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"ALMANAC_PLANNER": "foo"}, ["ALMANAC_PLANNER", '"foo"', "auto, offline, model"]),
        ({"ALMANAC_PLANNER": "model", "ALMANAC_MODEL": ""}, ["needs ALMANAC_MODEL"]),
        (MODEL | {"OPENAI_BASE_URL": "https://elsewhere.example/v1"}, ["https://elsewhere.example/v1", "https://models.example/v1"]),
        (MODEL | {"OPENAI_BASE_URL": "https://models.example/v1", "ALMANAC_MODEL_PRICE": "abc"}, ["ALMANAC_MODEL_PRICE", "0.40 1.60"]),
        (MODEL | {"OPENAI_BASE_URL": "https://models.example/v1", "ALMANAC_MODEL_MODE": "yaml"}, ["ALMANAC_MODEL_MODE", "tools"]),
        (MODEL | {"OPENAI_BASE_URL": "https://models.example/v1", "ALMANAC_MODEL_SECONDS": "soon"}, ["ALMANAC_MODEL_SECONDS"]),
    ],
)
@pytest.mark.parametrize("command", [("ask", "shops in Ash"), ("chat",), ("serve", "--port", "1")])
def test_a_wrong_setting_is_told_before_anything_is_built(
    folder: Path, settings: dict[str, str], told: list[str], command: tuple[str, ...]
) -> None:
    data = folder / "data"
    said = refused(almanac(folder, *command, ALMANAC_DATA=str(data), **settings))
    assert all(part in said for part in told), said
    assert not [path for path in data.rglob("*") if path.name == "manifest.json"]


def test_a_limit_of_money_needs_a_price(folder: Path) -> None:
    settings = MODEL | {"OPENAI_BASE_URL": "https://models.example/v1", "ALMANAC_MODEL_SPEND_A_DAY": "5"}
    pytest.importorskip("instructor", reason='the extra "model" is not installed')
    assert "ALMANAC_MODEL_PRICE" in refused(almanac(folder, "serve", **settings))


def test_a_model_without_its_extra_is_told(folder: Path) -> None:
    code = "import sys; sys.modules['instructor'] = None; from bot.cli import run; sys.exit(run(['ask', '--table', 'shops.csv', 'shops in Ash']))"
    root = Path(__file__).resolve().parent.parent.parent
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env={"PYTHONPATH": str(root), "ALMANAC_DATA": str(folder / "data"), **MODEL},
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert 'the extra "model"; install "almanac[model]"' in refused(done)


@pytest.mark.parametrize("arguments", [(), ("--planner", "auto")])
def test_a_model_answers_on_the_command_line(folder: Path, arguments: tuple[str, ...]) -> None:
    pytest.importorskip("instructor", reason='the extra "model" is not installed')
    with serving(PLANNED) as endpoint:
        settings = MODEL | {"OPENAI_BASE_URL": endpoint.address, "OPENAI_API_KEY": endpoint.key or "", "ALMANAC_CACHE": "off"}
        done = almanac(folder, "ask", "--table", "shops.csv", *arguments, ODD, **settings)
        assert done.returncode == 0, done.stderr
        assert "New Mill\t" in done.stdout and "Old Mill\t" not in done.stdout
        assert "Planned by a language model" in done.stdout
        told = json.loads(almanac(folder, "ask", "--table", "shops.csv", "--json", ODD, **settings).stdout)
        assert (told["planner"], told["model"]["calls"], told["total"]) == ("model", 1, 2)
        assert endpoint.calls == 2
        offline = json.loads(almanac(folder, "ask", "--table", "shops.csv", "--json", "--planner", "offline", ODD, **settings).stdout)
        assert (offline["planner"], offline["model"]["calls"]) == ("offline", 0)
        assert endpoint.calls == 2


def test_that_no_model_could_be_reached_is_said_on_the_command_line(folder: Path) -> None:
    pytest.importorskip("instructor", reason='the extra "model" is not installed')
    with serving(internal()) as endpoint:
        settings = MODEL | {"OPENAI_BASE_URL": endpoint.address, "OPENAI_API_KEY": endpoint.key or "", "ALMANAC_MODEL_SECONDS": "2"}
        done = almanac(folder, "ask", "--table", "shops.csv", ODD, **settings)
    assert done.returncode == 1, done.stderr
    assert "The language model gave no usable answer, so this was planned without it." in done.stdout.splitlines()
