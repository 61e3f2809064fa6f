"""Texts that a reader takes for the same fold to the same, in every script, and others do not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.fold import fold, key, name_key, stem, stems, words_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Café", "CAFE"),
        ("Straße", "STRASSE"),
        ("Saint-Lô", "saint–lo"),
        ("O’Hara", "O'HARA"),
        ("  two   blanks\t", "two blanks"),
        ("no\u00a0break", "no break"),
        ("ＡＢＣ１２", "abc12"),
        ("ﬁne", "fine"),
        ("Ёлка", "ЕЛКА"),
        ("ΣΊΣΥΦΟΣ", "σισυφος"),
        ("İzmir", "izmir"),
        ("שָׁלוֹם", "שלום"),
        ("צה״ל", 'צה"ל'),
        ("e\u0301te\u0301", "été"),
        ("zero\u200bwidth", "zerowidth"),
        ("left\u200eto right", "leftto right"),
    ],
)
def test_what_is_read_the_same_folds_the_same(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(("one", "other"), [("00412", "412"), ("a-b", "ab"), ("C", "C++"), ("10.0", "100"), ("лев", "lev"), ("1.5", "15")])
def test_what_differs_stays_different(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Tel-Aviv–Jaffa", "tel aviv jaffa"),
        ("St. Mary's, 2nd floor", "st marys 2nd floor"),
        ("A&B", "a and b"),
        ("1,250.75 of 3.5", "1250.75 of 3.5"),
        ("U.S.A. today", "usa today"),
        ("00412/7", "00412 7"),
        ("'; DROP TABLE rows; --", "drop table rows"),
        ("%*?![]()", ""),
        ("יעל כהן, חיפה", "יעל כהן חיפה"),
    ],
)
def test_the_words_of_a_text(text: str, words: str) -> None:
    assert key(text) == words


def test_words_know_where_they_stand() -> None:
    text = "  Ömer's phone?"
    assert [(text[word.start : word.end], word.folded) for word in words_of(text)] == [("Ömer's", "omers"), ("phone", "phone")]


def test_what_is_attached_to_a_word_comes_off() -> None:
    (owner,) = words_of("Dana's")
    assert owner.bare == ("dana",)
    (hebrew,) = words_of("ובחיפה")
    assert "חיפה" in hebrew.bare


@pytest.mark.parametrize(
    ("name", "words"), [("unitPrice", "unit price"), ("last_counted", "last counted"), ("HTTPStatus", "http status"), ("City ", "city")]
)
def test_a_name_written_as_one_word(name: str, words: str) -> None:
    assert name_key(name) == words


@pytest.mark.parametrize(("one", "other"), [("pharmacies", "pharmacy"), ("врачи", "врачей"), ("רופאים", "רופא")])
def test_forms_of_a_word_share_a_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_figures_have_no_stem() -> None:
    assert stems("00412 series") == f"00412 {stem('series')}"


TEXTS = st.text(max_size=40)


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


WRITTEN = st.text(alphabet="abzAZ áÉñøßœ ЙёжЯ אבגשם ΣΩσς عربي 0159 ÄÖ \t-–—.,;'\"&/%*()", max_size=30)


@settings(max_examples=200, deadline=None)
@given(WRITTEN)
def test_a_folded_text_has_the_same_words(text: str) -> None:
    assert key(fold(text)) == key(text)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=st.characters(categories=("Lu", "Ll", "Nd")), max_size=20))
def test_case_and_blanks_around_do_not_count(text: str) -> None:
    assert fold(f"  {text.upper()}\n") == fold(text.lower()) or text.upper().lower() != text.lower()
