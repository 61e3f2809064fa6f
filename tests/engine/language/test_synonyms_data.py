"""The general word file keeps its own rules: whoever adds a group is told here what is wrong with it."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

FILE = Path(__file__).parents[3] / "engine" / "language" / "synonyms.toml"
LANGUAGES = ("en", "he", "ru", "es")
KEYS = {"topic", "lean", *LANGUAGES}
LETTERS = {"he": re.compile(r"[\u0590-\u05ff]"), "ru": re.compile(r"[\u0400-\u04ff]")}


def read_groups() -> list[dict[str, Any]]:
    groups: list[dict[str, Any]] = tomllib.loads(FILE.read_text(encoding="utf-8"))["group"]
    return groups


GROUPS = read_groups()


def phrases(group: dict[str, Any]) -> list[str]:
    return [phrase for language in LANGUAGES for phrase in group[language]]


def fold(phrase: str) -> str:
    """Letters and digits alone, so that "check-up", "Check up" and "checkup" are one phrase."""
    plain = "".join(c for c in unicodedata.normalize("NFD", phrase.casefold()) if not unicodedata.combining(c))
    return re.sub(r"[\W_]+", "", plain)


def label(group: dict[str, Any]) -> str:
    return f"{group['topic']}: {group['en'][0]}"


def test_there_are_enough_groups_to_be_general() -> None:
    assert len(GROUPS) >= 500
    assert len({group["topic"] for group in GROUPS}) >= 10


def test_every_group_has_a_topic_and_the_four_languages_and_nothing_else() -> None:
    wrong = [group for group in GROUPS if not (KEYS - {"lean"} <= set(group) <= KEYS)]
    assert wrong == []
    assert [group for group in GROUPS if not re.fullmatch(r"[a-z]+", group["topic"])] == []


def test_no_list_is_empty() -> None:
    assert [(label(group), key) for group in GROUPS for key in group if key != "topic" and not group[key]] == []


def test_every_phrase_is_composed_trimmed_and_of_single_blanks() -> None:
    wrong = [p for group in GROUPS for p in phrases(group) if p != " ".join(unicodedata.normalize("NFC", p).split()) or not fold(p)]
    assert wrong == []


def test_no_list_says_a_phrase_twice() -> None:
    wrong = [(label(group), key) for group in GROUPS for key in group if key != "topic" and len(set(group[key])) < len(group[key])]
    assert wrong == []


def test_every_lean_phrase_is_a_phrase_of_its_group() -> None:
    assert [(label(group), p) for group in GROUPS for p in group.get("lean", ()) if p not in phrases(group)] == []


def test_every_group_keeps_a_phrase_that_is_not_lean() -> None:
    assert [label(group) for group in GROUPS if set(phrases(group)) <= set(group.get("lean", ()))] == []


def test_a_phrase_stands_in_one_group_of_a_topic_or_is_lean_in_each() -> None:
    found: dict[tuple[str, str], list[tuple[str, bool]]] = defaultdict(list)
    for group in GROUPS:
        lean = {fold(phrase) for phrase in group.get("lean", ())}
        for phrase in {fold(phrase) for phrase in phrases(group)}:
            found[group["topic"], phrase].append((group["en"][0], phrase in lean))
    assert {key: places for key, places in found.items() if len(places) > 1 and not all(lean for _, lean in places)} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_phrase_is_in_the_letters_of_its_language(language: str) -> None:
    # Abbreviations such as MRI are written in Latin letters in every language; the letters of another language are a slip.
    others = [letters for name, letters in LETTERS.items() if name != language]
    wrong = [p for group in GROUPS for p in group[language] if any(letters.search(p) for letters in others)]
    assert wrong == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("open", "closed"),
        ("arrival", "departure"),
        ("buyer", "seller"),
        ("import", "export"),
        ("full-time", "part-time"),
        ("smoking", "non-smoking"),
        ("active", "inactive"),
        ("income", "expense"),
        ("employer", "employee"),
        ("landlord", "tenant"),
        ("inpatient", "outpatient"),
        ("hot", "cold"),
        ("man", "woman"),
        ("boy", "girl"),
        ("entrance", "exit"),
        ("start date", "end date"),
        ("husband", "wife"),
        ("debit", "credit"),
        ("upload", "download"),
        ("first name", "last name"),
        ("minimum", "maximum"),
        ("indoor", "outdoor"),
        ("paid", "unpaid"),
        ("approved", "rejected"),
    ],
)
def test_opposites_never_share_a_group(one: str, other: str) -> None:
    of_one = [group for group in GROUPS if one in group["en"]]
    of_other = [group for group in GROUPS if other in group["en"]]
    assert of_one and of_other
    assert [label(group) for group in of_one if group in of_other] == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("chemist", "pharmacy"),
        ("drugstore", "בית מרקחת"),
        ("GP", "family doctor"),
        ("ENT", "otolaryngology"),
        ("лор", "אף אוזן גרון"),
        ("OB-GYN", "gynecology"),
        ("x-ray", "radiografía"),
        ("lab", "laboratory"),
        ("braces", "orthodontics"),
        ("lift", "elevator"),
        ("телефон", "phone"),
        ("postcode", "zip code"),
        ("customer", "cliente"),
        ("invoice", "חשבונית"),
    ],
)
def test_a_word_of_one_kind_finds_its_equal(one: str, other: str) -> None:
    assert [label(group) for group in GROUPS if one in phrases(group) and other in phrases(group)] != []
