"""Scheduling at the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.chat.audit import Audit
from bot.chat.entry import entry_of
from bot.chat.schedules import Schedules
from bot.chat.state import State
from bot.chat.types import Asker, Place
from bot.cli import run

SLACK = Place("slack", "T1", "C1", "1.0")


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of the state database, in which ann has asked in Slack."""
    address = f"sqlite:///{tmp_path / 'state.sqlite'}"
    monkeypatch.setenv("ALMANAC_STATE", address)
    monkeypatch.setenv("ALMANAC_DATA", str(tmp_path / "data"))
    state = State(address)
    Audit(state).write(entry_of("ask", SLACK, Asker("U0ANN", email="Ann@example.org"), question="doctors"))
    state.close()
    return address


def add(
    *more: str, when: str = "every Sunday 08:00", question: str = "doctors in Acre", to: str = "slack:C0123", user: str = "U0ANN"
) -> int:
    return run(["schedule", "add", when, question, "--to", to, "--as", user, "--zone", "Asia/Jerusalem", *more])


def listed(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    capsys.readouterr()
    assert run(["schedule", "list", "--json"]) == 0
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)["schedules"]
    return found


def test_one_is_added_listed_changed_paused_and_removed(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert add() == 0
    name = capsys.readouterr().out.strip()
    (one,) = listed(capsys)
    assert (one["id"], one["to"], one["workspace"], one["maker"]) == (name, "slack:C0123", "T1", "U0ANN")
    assert (one["question"], one["when"], one["zone"], one["paused"]) == ("doctors in Acre", "every Sunday 08:00", "Asia/Jerusalem", "")
    assert run(["schedule", "edit", name, "--when", "weekdays 9:00", "--zone", "Europe/Berlin", "--to", "slack:C9"]) == 0
    (one,) = listed(capsys)
    assert (one["when"], one["zone"], one["to"]) == ("weekdays 9:00", "Europe/Berlin", "slack:C9") and "T09:00+0" in str(one["next"])
    assert run(["schedule", "pause", name]) == 0
    (one,) = listed(capsys)
    assert (one["paused"], one["next"]) == ("maker", None)
    assert run(["schedule", "list"]) == 0
    assert "paused (maker)" in capsys.readouterr().out
    assert run(["schedule", "resume", name]) == 0
    assert run(["schedule", "remove", name]) == 0
    assert listed(capsys) == []


def test_a_person_can_be_named_by_an_e_mail_that_asked_there(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert add(user="ann@example.org") == 0
    assert listed(capsys)[0]["maker"] == "U0ANN"


@pytest.mark.parametrize(
    ("wrong", "part"),
    [
        ({"when": "sometimes"}, '"sometimes" does not say when'),
        ({"question": "?!"}, "no word or number"),
        ({"question": "x" * 5000}, "5,000 characters"),
        ({"to": "C0123"}, "--to must name a channel"),
        ({"to": "slack:D0123"}, "--to must name a channel"),
        ({"to": "slack:C0123'; DROP TABLE schedules"}, "--to must name a channel"),
        ({"to": "teams:19:abc@thread.tacv2"}, "nobody has asked there"),
        ({"user": "ann"}, "--as must be the person's id"),
        ({"user": "ben@example.org"}, "Nobody of that e-mail"),
    ],
)
def test_what_is_wrong_gets_one_sentence_and_adds_nothing(
    url: str, capsys: pytest.CaptureFixture[str], wrong: dict[str, str], part: str
) -> None:
    assert add(**wrong) == 2
    said = capsys.readouterr()
    assert part in said.err and said.err.count("\n") == 1 and not said.out
    state = State(url)
    assert Schedules(state).all() == []
    state.close()


@pytest.mark.parametrize(
    ("call", "part"),
    [
        (["edit", "000000000000", "--when", "daily 8:00"], "no schedule of that id"),
        (["remove", "x"], "no schedule of that id"),
        (["pause", "x"], "no schedule of that id"),
        (["resume", "x"], "no schedule of that id"),
        (["edit", "000000000000"], "Nothing is to be changed"),
        (["add", "daily 8:00", "doctors", "--to", "slack:C1", "--as", "U1", "--zone", "Mars/Base"], "is no time zone"),
    ],
)
def test_what_is_not_there_is_said(url: str, capsys: pytest.CaptureFixture[str], call: list[str], part: str) -> None:
    assert run(["schedule", *call]) == 2
    assert part in capsys.readouterr().err


def test_one_of_another_workspace_is_not_reached_from_here(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert add() == 0
    name = capsys.readouterr().out.strip()
    assert run(["schedule", "edit", name, "--to", "slack:T2/C5"]) == 2
    assert "stays in its workspace" in capsys.readouterr().err
