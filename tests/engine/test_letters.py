"""Likeness by letters: typos and other scripts stay near, other words do not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.letters import likeness, skeleton


@pytest.mark.parametrize(
    ("typed", "meant", "other"),
    [
        ("grace lindqvst", "grace lindqvist", "ida falk"),
        ("norwcik", "norwick", "felham"),
        ("saintlo", "saint lo", "santiago"),
        ("dermatolgy", "dermatology", "cardiology"),
        ("lev orlov", "лев орлов", "igor antonov"),
        ("moskva", "москва", "murmansk"),
        ("yael cohen", "יעל כהן", "dana levin"),
        ("haifa", "חיפה", "ashdod"),
    ],
)
def test_the_meant_is_nearer(typed: str, meant: str, other: str) -> None:
    assert likeness(typed, meant) > likeness(typed, other) + 0.15


@pytest.mark.parametrize(("one", "other"), [("cat", "dog"), ("norwick", "tarnby"), ("", "norwick")])
def test_words_with_nothing_in_common_are_far(one: str, other: str) -> None:
    assert likeness(one, other) < 0.2


@pytest.mark.parametrize(("one", "other"), [("philip", "filip"), ("tzur", "tsur"), ("christine", "kristin")])
def test_one_sound_in_several_spellings_has_one_skeleton(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


WORDS = st.lists(st.text(alphabet="abcdefghiklmnoprstuvw", min_size=2, max_size=9), min_size=1, max_size=3).map(" ".join)


@settings(max_examples=80, deadline=None)
@given(WORDS, WORDS)
def test_likeness_is_even_handed_and_bounded(one: str, other: str) -> None:
    assert likeness(one, other) == pytest.approx(likeness(other, one))
    assert -1e-9 <= likeness(one, other) <= 1 + 1e-9
    assert likeness(one, one) == pytest.approx(1.0)
