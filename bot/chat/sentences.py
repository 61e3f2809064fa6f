"""Every sentence that the chats say, and every label of a button, in the language of the asker: one file of them each in bot/chat/language."""

from __future__ import annotations

import tomllib
import unicodedata
from functools import cache
from importlib.resources import files

from bot.question import LONGEST
from engine.fold import fold
from engine.language import language_of

ENGLISH = "en"


@cache
def sentences_of(language: str) -> dict[str, str]:
    """The sentences of a language, English where there is no file for it."""
    folder = files("bot.chat") / "language"
    file = folder / f"{language}.toml"
    if not (language.isascii() and language.isalpha() and file.is_file()):
        file = folder / f"{ENGLISH}.toml"
    read: dict[str, str] = tomllib.loads(file.read_text(encoding="utf-8"))
    return read


def say(language: str, key: str, **fields: object) -> str:
    """A sentence with its fields filled in; raises KeyError where there is no such sentence or a field is missing."""
    return sentences_of(language)[key].format(**fields)


def heard_language(text: str, locale: str = "") -> str:
    """The language of a text; where it has no letters that tell, that of the locale ("he-IL")."""
    if any(character.isalpha() for character in text[:LONGEST]):
        return language_of(text[:LONGEST]).code
    return locale_language(locale)


def locale_language(locale: str) -> str:
    """The language of a locale, English where it is not spoken here."""
    code = locale.replace("_", "-").partition("-")[0].casefold()
    code = {"iw": "he"}.get(code, code)
    return code if code.isascii() and code.isalpha() and (files("bot.chat") / "language" / f"{code}.toml").is_file() else ENGLISH


def refusal(text: str, language: str) -> str:
    """The sentence for a message that is no question (empty, too long, no word in it, not text), empty for one that may be."""
    plain = " ".join(text.split())
    if not plain:
        return say(language, "empty")
    if len(plain) > LONGEST:
        return say(language, "too_long", length=f"{len(plain):,}", most=f"{LONGEST:,}")
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in plain):
        return say(language, "not_text")
    if not any(unicodedata.category(character)[0] in "LN" for character in plain):
        return say(language, "no_word")
    return ""


def asks_for_schedules(text: str) -> bool:
    """Whether a message is the word, of any language, that lists the asker's schedules."""
    return fold(" ".join(text.split())) in _schedule_words()


@cache
def _schedule_words() -> frozenset[str]:
    found = [path.name for path in (files("bot.chat") / "language").iterdir() if path.name.endswith(".toml")]
    return frozenset(fold(sentences_of(name.removesuffix(".toml"))["schedules"]) for name in found)
