"""The sentences: every language has all of them, with the same fields."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

from bot.chat.sentences import heard_language, locale_language, refusal, say, sentences_of
from bot.question import LONGEST

ROOT = Path(__file__).resolve().parent.parent.parent
LANGUAGES = sorted(path.stem for path in (ROOT / "bot" / "chat" / "language").glob("*.toml"))


def fields(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


def test_the_languages_are_those_of_the_design() -> None:
    assert LANGUAGES == ["en", "es", "he", "ru"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_every_sentence_with_its_fields(language: str) -> None:
    english, other = sentences_of("en"), sentences_of(language)
    assert other.keys() == english.keys()
    assert {key: fields(text) for key, text in other.items()} == {key: fields(text) for key, text in english.items()}


def test_every_sentence_is_said_somewhere() -> None:
    source = "".join(
        path.read_text(encoding="utf-8") for folder in ("chat", "slack", "teams") for path in (ROOT / "bot" / folder).rglob("*.py")
    )
    families = ("thanks_",)  # said as f"thanks_{...}"
    unsaid = [key for key in sentences_of("en") if f'"{key}"' not in source and not key.startswith(families)]
    assert unsaid == []


def test_what_is_said_has_a_sentence() -> None:
    said = set()
    for path in (ROOT / "bot" / "chat").rglob("*.py"):
        said |= set(re.findall(r'\bsay\([^,()]+(?:\.[a-z_]+)*, "([a-z_]+)"', path.read_text(encoding="utf-8")))
    assert len(said) > 20
    assert said <= sentences_of("en").keys()


@pytest.mark.parametrize(
    ("text", "locale", "language"),
    [
        ("שלום", "en-US", "he"),
        ("привет", "", "ru"),
        ("🎉", "he-IL", "he"),
        ("", "iw", "he"),
        ("12", "es_MX", "es"),
        ("", "../x", "en"),
        ("", "fr", "en"),
    ],
)
def test_the_language_is_heard_in_the_text_and_else_in_the_locale(text: str, locale: str, language: str) -> None:
    assert heard_language(text, locale) == language


def test_a_language_that_is_not_spoken_is_english() -> None:
    assert say("xx", "slow") == say("en", "slow") == say("../en", "slow")
    assert locale_language("") == "en"


@pytest.mark.parametrize(
    ("text", "key"), [("", "empty"), ("  \n ", "empty"), ("x" * (LONGEST + 1), "too_long"), ("a\x07", "not_text"), ("?!", "no_word")]
)
def test_what_is_no_question_is_refused(text: str, key: str) -> None:
    assert refusal(text, "en") == say("en", key, length=f"{len(text):,}", most=f"{LONGEST:,}")


@pytest.mark.parametrize("text", ["12", "x" * LONGEST, "one\ntwo", "נתניה"])
def test_what_may_be_a_question_is_not(text: str) -> None:
    assert refusal(text, "en") == ""
