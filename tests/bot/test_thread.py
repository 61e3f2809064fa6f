"""Threads from files."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.thread import thread_from_file
from engine.errors import UsageError


def test_turns_come_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "thread.json").write_text('[{"who": "asker", "text": "a"}, {"who": "bot", "text": "b"}]')
    assert [(turn.who, turn.text) for turn in thread_from_file(tmp_path / "thread.json").turns] == [("asker", "a"), ("bot", "b")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON"),
        ("{}", "must be a list"),
        ("[1]", "Turn 1"),
        ('[{"who": "asker", "text": "a"}, {"who": "boss", "text": "b"}]', "Turn 2"),
        ('[{"who": "asker", "text": 1}]', "Turn 1"),
        ('[{"who": "asker", "text": "a", "more": 1}]', "nothing else"),
        ("[" * 100_000, "not JSON"),
    ],
    ids=["empty", "object", "number", "unknown", "no text", "more", "deep"],
)
def test_what_is_no_thread(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "thread.json").write_text(text)
    with pytest.raises(UsageError, match=said):
        thread_from_file(tmp_path / "thread.json")


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no thread file"):
        thread_from_file(tmp_path / "thread.json")
