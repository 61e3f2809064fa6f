"""The audit and erasure at the command line."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from bot.audit import moment, print_entries
from bot.chat.audit import Audit, Entry
from bot.chat.entry import entry_of
from bot.chat.state import State
from bot.chat.types import Asker
from engine.errors import UsageError
from tests.bot.replies import answered, table
from tests.bot.test_cli import ROOT, almanac, refused
from tests.chat.process import PLACE
from tests.chat.test_state import Clock, kept

DAY = 86_400.0
ANN = Asker("U-ann", "Ann", "ann@example.org")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a state database in which Ann was answered, on 2026-10-30 and at noon of 2026-10-31."""
    clock = Clock()
    state = State(address(tmp_path), clock)
    for number, (at, question) in enumerate([(1_793_318_400.0, "=cmd()"), (1_793_448_000.0, "רופאים\tin Acre")]):
        clock.now = at
        state.keep(kept(f"{number:012x}", asker=ANN), question, 60)
        reply = answered(table(("Adler", "Acre"), ("Cohen", "Acre")))
        Audit(state).write(entry_of("ask", PLACE, ANN, reply_id=f"{number:012x}", reply=reply, question=question))
    state.close()
    return tmp_path


def address(folder: Path) -> str:
    return f"sqlite:///{folder / 'state.sqlite'}"


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return almanac(folder, *arguments, ALMANAC_STATE=address(folder), PYTHONUTF8="1")


def test_it_is_told_oldest_first_on_a_line_each(folder: Path) -> None:
    done = run(folder, "audit")
    assert done.returncode == 0, done.stderr
    assert [line.split("\t") for line in done.stdout.splitlines()] == [
        ["2026-10-30T00:00:00.000+00:00", "ask", "slack/T1/C1/1.0", "U-ann ann@example.org", "answer", "2", "pharmacies", "=cmd()"],
        [
            "2026-10-31T12:00:00.000+00:00",
            "ask",
            "slack/T1/C1/1.0",
            "U-ann ann@example.org",
            "answer",
            "2",
            "pharmacies",
            "רופאים\\tin Acre",
        ],
    ]


def test_the_days_are_whole_and_a_person_is_found(folder: Path) -> None:
    def questions(*arguments: str) -> list[str]:
        done = run(folder, "audit", "--json", *arguments)
        assert done.returncode == 0, done.stderr
        return [json.loads(line)["question"] for line in done.stdout.splitlines()]

    first, second = "=cmd()", "רופאים\tin Acre"
    assert questions("--since", "2026-10-31") == [second]
    assert questions("--until", "2026-10-30") == [first]
    assert questions("--since", "2026-10-30", "--until", "2026-10-31") == [first, second]
    assert questions("--until", "2026-10-31T12:00") == [first]
    assert questions("--asker", "ANN@example.org") == [first, second]
    assert questions("--asker", "U-ben") == []


def test_as_json_an_entry_has_all_its_fields(folder: Path) -> None:
    told = json.loads(run(folder, "audit", "--json", "--until", "2026-10-30").stdout)
    assert told == {
        "id": 1, "time": "2026-10-30T00:00:00.000+00:00", "action": "ask", "platform": "slack", "workspace": "T1", "channel": "C1",
        "thread": "1.0", "asker": "U-ann", "email": "ann@example.org", "reply": "0" * 12, "question": "=cmd()", "kind": "answer",
        "planner": "offline", "rows": 2, "exported": 0, "spend": 0.0, "scope": "", "tables": ["pharmacies"],
        "columns": ["pharmacies.name", "pharmacies.town"], "row_ids": None, "plan": [{"kind": "table", "table": "pharmacies"}],
    }  # fmt: skip


def test_as_a_file_no_cell_is_a_formula(folder: Path) -> None:
    done = run(folder, "audit", "--save", "audit.csv")
    assert done.returncode == 0 and done.stdout == "" and "2 entries" in done.stderr
    rows = list(csv.DictReader((folder / "audit.csv").open(encoding="utf-8-sig", newline="")))
    assert [row["question"] for row in rows] == ["'=cmd()", "רופאים\tin Acre"]
    assert json.loads(rows[0]["plan"]) == [{"kind": "table", "table": "pharmacies"}] and rows[0]["row_ids"] == ""
    assert "already a file" in refused(run(folder, "audit", "--save", "audit.csv"))
    assert run(folder, "audit", "--save", "audit.csv", "--overwrite", "--asker", "U-ben").returncode == 0
    assert len((folder / "audit.csv").read_text(encoding="utf-8").splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["audit", "--since", "yesterday"], "2026-11-30T12:00"),
        (["audit", "--save", "audit.xlsx"], ".csv"),
        (["audit", "--save", "a.csv", "--json"], "leave one out"),
        (["erase", " ", "--yes"], "Nobody is named"),
        (["erase", "U-ann"], "--yes"),
        (["serve", "--read-only-notice", " "], "must say"),
    ],
)
def test_a_call_that_is_wrong_is_told(tmp_path: Path, arguments: list[str], said: str) -> None:
    assert said in refused(run(tmp_path, *arguments))


@pytest.mark.parametrize("text", ["", "2026-02-30", "99999-01-01", "9999-12-31", "now"])
def test_a_moment_that_is_none(text: str) -> None:
    with pytest.raises(UsageError, match="--until"):
        moment("--until", text, end=True)


def test_a_moment_may_name_its_zone() -> None:
    assert moment("--since", "2026-10-31T14:00+02:00") == moment("--since", "2026-10-31T12:00") == 1_793_448_000.0
    assert moment("--until", "2026-10-31", end=True) == 1_793_404_800.0 + DAY
    assert moment("--since", None) is None


def test_nothing_that_was_asked_drives_a_terminal() -> None:
    out = io.StringIO()
    print_entries([Entry("ask", question="a\x1b[2J\nb", asker="U\x07")], out, as_json=False)
    assert out.getvalue().count("\n") == 1 and not set(out.getvalue()) & {"\x1b", "\x07"}


def test_a_person_is_erased_and_what_went_is_counted(folder: Path) -> None:
    done = run(folder, "erase", "ann@example.org", "--yes")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "turns: 4",
        "replies: 2",
        "choices: 0",
        "feedback: 0",
        "questions: 0",
        "outbox: 2",
        "schedules: 0",
        "audit: 0",
    ]
    assert [line.split("\t")[1] for line in run(folder, "audit").stdout.splitlines()] == ["ask", "ask", "erased"]
    assert run(folder, "erase", "U-ann", "--yes", "--with-audit").stdout.splitlines()[-1] == "audit: 2"
    left = run(folder, "audit").stdout
    assert "cmd" not in left and "example.org" not in left and left.count("erased") == 2


@pytest.mark.parametrize(("typed", "status", "turns"), [("n\n", 130, 4), ("y\n", 0, 0)])
def test_on_a_terminal_it_asks_whether_it_is_meant(folder: Path, typed: str, status: int, turns: int) -> None:
    ours, theirs = pty.openpty()
    os.write(ours, typed.encode())
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "ALMANAC_STATE": address(folder)}
    command = [sys.executable, "-c", "from bot.cli import main; main()", "erase", "U-ann"]
    done = subprocess.run(command, env=environment, stdin=theirs, capture_output=True, text=True, timeout=120)
    os.close(theirs)
    os.close(ours)
    assert done.returncode == status and 'of "U-ann"?' in done.stderr
    state = State(address(folder), lambda: 1_793_448_000.0)
    assert len(state.turns(PLACE, ANN)) == turns
    state.close()
