"""No text of a table reaches a terminal with power over it."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.escape import isolated, json_text, lines, one_line

ANYTHING = st.text(st.characters(codec=None))


@given(ANYTHING)
def test_one_line_holds_no_control_character(text: str) -> None:
    shown = one_line(text)
    assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")]
    assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@given(ANYTHING)
def test_lines_keep_line_breaks_only(text: str) -> None:
    assert not [c for c in lines(text) if unicodedata.category(c) in ("Cc", "Cs") and c != "\n"]


@given(st.text(st.characters(categories=["L", "N", "P", "Zs"])))
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert one_line(text) == text


@given(st.dictionaries(ANYTHING, ANYTHING))
def test_json_says_the_same_in_utf8(value: dict[str, str]) -> None:
    written = json_text(value)
    assert json.loads(written.encode("utf-8")) == value
    assert not [c for c in written if unicodedata.category(c) == "Cc"]


@pytest.mark.parametrize(("text", "kept"), [("בית", "\u2068בית\u2069"), ("a\nבית", "\u2068a\u2069\n\u2068בית\u2069"), ("Haifa", "Haifa")])
def test_right_to_left_text_keeps_to_itself(text: str, kept: str) -> None:
    assert isolated(text) == kept
