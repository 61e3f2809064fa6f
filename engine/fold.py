"""One form for texts that a reader takes for the same, in every script; and the words and stems of a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import Stemmer

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−⁃﹘﹣－־"), "-")
_QUOTES = dict.fromkeys(map(ord, "‘’‚‛′´`ʼʹ׳＇"), "'") | dict.fromkeys(map(ord, "“”„‟″«»״＂"), '"')
_PUNCTUATION = _DASHES | _QUOTES
_SPACE = re.compile(r"\s+")
# A word: letters and digits, with points and commas only between digits, points between letters of an abbreviation, apostrophes inside.
_WORD = re.compile(r"\d+(?:[.,]\d+)+(?![.,]?\d)\w*|\w+(?:(?:['.]|(?<=[א-ת])\"(?=[א-ת]))\w+)*|&")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?$")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_FINAL_LETTERS = str.maketrans("ךםןףץ", "כמנפצ")
_HEBREW_PREFIXES = "ובלמהשכ"
_HEBREW = re.compile(r"[א-ת]")


@lru_cache(maxsize=200_000)
def fold(text: str) -> str:
    """The form in which texts are compared: no case, accents, width, variants of dashes and quotes, or extra blanks."""
    if text.isascii():
        return " ".join(text.lower().split())
    plain = unicodedata.normalize("NFKD", text.translate(_PUNCTUATION)).casefold()
    plain = unicodedata.normalize("NFKD", plain).replace("и\u0306", "й")  # a letter of its own, and no и with an accent
    plain = "".join(c for c in plain if not unicodedata.combining(c) and unicodedata.category(c) != "Cf")
    return _SPACE.sub(" ", unicodedata.normalize("NFC", plain.translate(_PUNCTUATION))).strip()


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text: its folded form and where it stands; bare are its forms without what is attached: an English 's, Hebrew prefixes."""

    text: str
    folded: str
    start: int
    end: int
    bare: tuple[str, ...] = ()


def _plain(word: str) -> str:
    """A folded word as it is looked up: no apostrophes, no points in abbreviations, no thousands commas."""
    if word == "&":
        return "and"
    if _THOUSANDS.fullmatch(word):
        return word.replace(",", "")
    word = word.replace("'", "").replace('"', "")
    parts = word.split(".")
    if len(parts) > 1 and all(len(part) == 1 and part.isalpha() for part in parts):
        return "".join(parts)
    return word


def words_of(text: str) -> Iterator[Word]:
    """The words of a text with their places in it."""
    for found in _WORD.finditer(text.translate(_QUOTES)):  # letter for letter, so that places stay
        raw = found.group()
        folded = fold(raw)
        plain = _plain(folded)
        if plain:
            yield Word(raw, plain, found.start(), found.end(), _bare(folded))


def _bare(folded: str) -> tuple[str, ...]:
    """A folded word without an attached ending or beginning, the shortest cut first."""
    if len(folded) > 2 and folded.endswith("'s"):
        return (_plain(folded[:-2]),)
    if not _HEBREW.match(folded) or len(folded) < 4:
        return ()
    cut = 0
    while cut < 3 and folded[cut] in _HEBREW_PREFIXES and len(folded) - cut > 3:
        cut += 1
    return tuple(_plain(folded[start:]) for start in range(1, cut + 1))


@lru_cache(maxsize=200_000)
def key(text: str) -> str:
    """The words of a text in their looked-up form, joined by blanks: "Tel-Aviv–Jaffa" and "tel aviv jaffa" have the same."""
    return " ".join(word.folded for word in words_of(text))


def name_key(name: str) -> str:
    """The key of a name that may be written as one word: "SurfaceArea" and "surface_area" give "surface area"."""
    return key(_CAMEL.sub(" ", name).replace("_", " "))


_STEMMERS = {language: Stemmer.Stemmer(language) for language in ("english", "russian", "spanish")}


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """The stem of a folded word, by its script: English, Russian; Hebrew loses the plural ending."""
    if len(word) < 4 or word[0].isdigit():
        return word
    if word.isascii():
        return str(_STEMMERS["english"].stemWord(word))
    if "а" <= word[0] <= "я":
        return str(_STEMMERS["russian"].stemWord(word))
    return _hebrew_stem(word) if _HEBREW.match(word) else word


def _hebrew_stem(word: str) -> str:
    """A Hebrew word without its plural or feminine ending, final letters written as inside a word."""
    if len(word) > 4 and word.endswith(("ים", "ות")):
        word = word[:-2]
    elif len(word) > 3 and word.endswith(("ה", "ת")):
        word = word[:-1]
    return word[:-1] + word[-1].translate(_FINAL_LETTERS)


@lru_cache(maxsize=200_000)
def stems(key_text: str) -> str:
    """The stems of a key, joined by blanks."""
    return " ".join(stem(word) for word in key_text.split())
