"""Texts about days and times as tokens: the words of words.toml, the clock, and what stands between them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from engine.fold import fold, stem
from engine.hours.span import DAY, EVERY_DAY

_MARKS = "\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
_LETTER = rf"(?:[^\W\d_][{_MARKS}]*)"
_TOKEN = re.compile(
    rf"""(?P<seven>24\s?[/x]\s?7(?!\d))
    | (?P<clock>(?<![\d.:/])\d{{1,2}}(?:[:.]|h(?=\d\d))\d{{2}}(?::\d{{2}})?(?![\d/]|[:.]\d))
    | (?P<number>\d+)
    | (?P<meridiem>[ap]\.?\s?m\b\.?(?!{_LETTER}))
    | (?P<word>{_LETTER}+(?:['’׳´"״”]{_LETTER}+)*['’׳]?)
    | (?P<dash>[-‐‑‒–—―−⁃﹘﹣－־~→])
    | (?P<comma>[,，/&+،])
    | (?P<stop>[;；|\n\r•])
    | (?P<space>[\s.:()"'“”„«»!?¿¡\u200e\u200f]+)
    | (?P<other>.)""",
    re.VERBOSE | re.IGNORECASE,
)
_HEBREW = re.compile(r"[א-ת]+$")
_PREFIXES = {"ו": "and", "מ": "from", "ל": "to", "ש": "glue", "כ": "glue", "ב": "on", "ה": "glue"}
PARTS = {
    "early": (0, 8 * 60),
    "morning": (6 * 60, 12 * 60),
    "afternoon": (12 * 60, 18 * 60),
    "evening": (17 * 60, 22 * 60),
    "night": (18 * 60, DAY),
    "late": (20 * 60, DAY),
}
FRIDAY, SATURDAY = 4, 5


@dataclass(frozen=True, slots=True)
class Token:
    """A phrase with its meaning: kind is its list in words.toml, or "time", "comma", "stop", "unknown".

    days: of a day or a set of days. minutes: of a time. sure: whether a time is of the 24-hour clock or says which half of the day it
    is in; half: whether it says so by a word; hour: whether it is a number, "9" or "9.30", which need not be a time.
    """

    kind: str
    start: int
    end: int
    days: frozenset[int] = frozenset()
    minutes: int = 0
    sure: bool = False
    half: bool = False
    hour: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    """Phrases (folded tokens joined by blanks) and what they mean: the kind, and the days if it names some.

    longest: for a first token how many the longest phrase has that begins with it. always: the phrases that mean every hour of the week.
    """

    meanings: dict[str, tuple[str, frozenset[int]]]
    longest: dict[str, int]
    always: frozenset[str]


def weekend_of(code: str) -> frozenset[int]:
    """The weekend as the speakers of a language mostly have it."""
    return frozenset({FRIDAY, SATURDAY}) if code == "he" else frozenset({SATURDAY, 6})


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads((files("engine.hours") / "words.toml").read_text(encoding="utf-8"))


def codes() -> tuple[str, ...]:
    """The languages that there are words for."""
    return tuple(_read())


@cache
def words(*languages: str) -> Words:
    """The words of those languages; where two have the same phrase, the first language's meaning holds."""
    meanings: dict[str, tuple[str, frozenset[int]]] = {}
    always: set[str] = set()
    for code in languages:
        weekend = weekend_of(code)
        sets = {"weekdays": EVERY_DAY - weekend, "weekends": weekend, "every_day": EVERY_DAY, "saturday_night": frozenset({SATURDAY})}
        for kind, listed in _read()[code].items():
            if kind == "always":
                always.update(form(_phrase(phrase)) for phrase in listed for form in (str, _stemmed))
                continue
            for number, phrases in enumerate(listed):
                named = frozenset({number}) if kind in ("days", "letters") else sets.get(kind, frozenset())
                for phrase in [phrases] if isinstance(phrases, str) else phrases:
                    meanings.setdefault(_phrase(phrase), ("night" if kind == "saturday_night" else kind, named))
    stemmed: dict[str, tuple[str, frozenset[int]]] = {}
    for phrase, meaning in meanings.items():
        stemmed.setdefault(_stemmed(phrase), meaning)
    both = stemmed | meanings
    longest: dict[str, int] = {}
    for phrase in both:
        first, *more = phrase.split()
        longest[first] = max(longest.get(first, 0), 1 + len(more))
    return Words(both, longest, frozenset(always))


def _phrase(text: str) -> str:
    return " ".join(form for form, _, _, _ in _pieces(text) if form)


@lru_cache(maxsize=10_000)
def _stemmed(phrase: str) -> str:
    """A phrase whose Russian words are without their endings."""
    return " ".join(stem(word) if "а" <= word[0] <= "я" else word for word in phrase.split())


def _pieces(text: str) -> Iterator[tuple[str, str, int, int]]:
    """Each piece of a text in the form in which it is looked up, its sort, and where it stands; blanks are left out."""
    for found in _TOKEN.finditer(text):
        sort = found.lastgroup or "other"
        if sort == "space":
            continue
        raw = fold(found.group())
        if sort == "word":
            raw = raw.replace("'", "").replace('"', "")
        elif sort == "seven":
            raw = "24/7"
        elif sort == "meridiem":
            raw = raw[0] + "m"
        elif sort == "dash":
            raw = "-"
        yield raw, sort, found.start(), found.end()


def tokens(text: str, known: Words) -> list[Token]:
    """The tokens of a text, the longest phrases first; what no list has is "unknown"."""
    pieces = list(_pieces(text))
    found: list[Token] = []
    at = 0
    while at < len(pieces):
        form, sort, start, end = pieces[at]
        if sort == "word" and form in ("ב", "ל", "מ") and _tied_to_number(pieces, at):
            found.append(Token({"ב": "at"}.get(form, _PREFIXES[form]), start, end))
            at += 2 if pieces[at + 1][1] == "dash" else 1
            continue
        if form == "ו" and found and found[-1].days and at + 1 < len(pieces) and pieces[at + 1][1:3] == ("dash", end):
            found.append(Token("and", start, pieces[at + 1][3]))  # "ב' ו-ד'": the second is no range from Friday
            at += 2
            continue
        taken = _longest(pieces, at, form, known)
        if taken is None and sort == "word" and _HEBREW.match(form):
            for cut in range(1, min(4, len(form) - 1)):
                if form[cut - 1] not in _PREFIXES:
                    break
                taken = _longest(pieces, at, form[cut:], known)
                if taken is not None:
                    found.extend(Token(_PREFIXES[letter], start, start) for letter in form[:cut])
                    break
        if taken is not None:
            count, (kind, days) = taken
            phrase = " ".join([form, *(piece[0] for piece in pieces[at + 1 : at + count])])
            if kind == "all_day" and not known.always.isdisjoint((phrase, _stemmed(phrase))):
                kind = "always"
            found.append(_clock_word(Token(kind, start, pieces[at + count - 1][3], days)))
            at += count
            continue
        found.append(_other(form, sort, start, end))
        at += 1
    return list(_halves(found))


def _tied_to_number(pieces: list[tuple[str, str, int, int]], at: int) -> bool:
    """Whether a Hebrew letter is the preposition of a number: "ב-18:00", "ל18"; with a blank between it may be a day."""
    end = pieces[at][3]
    following = pieces[at + 1 : at + 3]
    if following and following[0][1] == "dash" and following[0][2] == end:
        end, following = following[0][3], following[1:]
    return bool(following) and following[0][1] in ("clock", "number") and following[0][2] == end


def _longest(pieces: list[tuple[str, str, int, int]], at: int, first: str, known: Words) -> tuple[int, tuple[str, frozenset[int]]] | None:
    most = max(known.longest.get(first, 0), known.longest.get(_stemmed(first), 0))
    if not most:
        return None
    forms = [first, *(piece[0] for piece in pieces[at + 1 : at + most])]
    for count in range(len(forms), 0, -1):
        phrase = " ".join(forms[:count])
        meaning = known.meanings.get(phrase) or known.meanings.get(_stemmed(phrase))
        if meaning is not None:
            return count, meaning
    return None


def _clock_word(token: Token) -> Token:
    if token.kind in ("noon", "midnight"):
        return replace(token, kind="time", minutes=DAY // 2 if token.kind == "noon" else DAY, sure=True)
    return token


def _other(form: str, sort: str, start: int, end: int) -> Token:
    if sort in ("clock", "number"):
        digits = re.split(r"\D", form)
        if sort == "number" and len(form) == 4:
            digits = [form[:2], form[2:]]
        hour, minute = int(digits[0]), int(digits[1]) if len(digits) > 1 else 0
        if len(digits[0]) <= 2 and minute < 60 and hour * 60 + minute <= 30 * 60:
            sure = hour > 12 or hour == 0 or (len(digits[0]) == 2 and digits[0][0] == "0")
            return Token("time", start, end, minutes=hour * 60 + minute, sure=sure, hour=sort == "number" or "." in form)
        return Token("unknown", start, end)
    return Token({"dash": "to", "comma": "comma", "stop": "stop"}.get(sort, "unknown"), start, end)


def _halves(found: list[Token]) -> Iterator[Token]:
    """Times with the half of the day that stands behind them: "5 pm", "9 утра", "8 in the evening"; units are dropped."""
    at = 0
    while at < len(found):
        token = found[at]
        at += 1
        if token.kind == "time":
            if at < len(found) and found[at].kind == "unit":
                token = replace(token, end=found[at].end)
                at += 1
            behind = at
            while behind < min(at + 2, len(found)) and found[behind].kind in ("on", "glue"):
                behind += 1
            half = found[behind].kind if behind < len(found) else ""
            if token.minutes < 13 * 60 and (half in PARTS or (half in ("am", "pm") and behind == at)):
                token = replace(token, minutes=half_day(token.minutes, half), sure=True, half=True, hour=False, end=found[behind].end)
                at = behind + 1
        yield token


def half_day(minutes: int, half: str) -> int:
    """A time of the 12-hour clock by the half or the part of the day that it is in."""
    minutes %= DAY // 2
    small_hours = half == "night" and minutes < 6 * 60  # "2 at night"
    return minutes if half in ("am", "morning", "early") or small_hours else minutes + DAY // 2
