"""What may be asked, and what is said of what may not."""

from __future__ import annotations

import pytest

from bot.question import LONGEST, checked_question
from engine.errors import UsageError


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("", "is empty"),
        (" \n\t ", "is empty"),
        ("x" * 20_000, "20,000 characters long; it can have 2,000"),
        ("?!...", "no word"),
        ("👍", "no word"),
        ("a\x1b[2Jb", r"control character \(U\+001B\)"),
        ("\x00", r"control character \(U\+0000\)"),
        ("a\udcffb", "not readable as text"),
    ],
    ids=["empty", "blank", "long", "punctuation", "emoji", "escape", "null", "no UTF-8"],
)
def test_what_cannot_be_asked(question: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        checked_question(question)


@pytest.mark.parametrize("question", ["in Haifa?", "007", "מה פתוח\u200f?", "x" * LONGEST, "Robert'); DROP TABLE t;--"])
def test_what_can_be_asked(question: str) -> None:
    assert checked_question(question) == question


def test_white_space_is_made_plain() -> None:
    assert checked_question("  who\n is\there ") == "who is here"
