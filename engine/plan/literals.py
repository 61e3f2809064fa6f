"""Numbers and dates as they are written in a question."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date

from engine.fold import fold
from engine.language import Language

_NUMBER = re.compile(
    r"(?<![\w.])([-−]?)[$€£₪]?\s?(\d{1,3}(?:[,\u00a0\u202f]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)\s?(k|m|bn|million|thousand|billion|тыс|тысяч|тысячи|млн|миллионов|mil|millones|אלף|מיליון)?\b(%?)",
    re.IGNORECASE,
)
_SCALE = (
    {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9}
    | dict.fromkeys(("тыс", "тысяч", "тысячи", "mil", "אלף"), 1e3)
    | dict.fromkeys(("млн", "миллионов", "millones", "מיליון"), 1e6)
)
_ISO = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_FIGURES = re.compile(r"\b(\d{1,2})\s?[./-]\s?(\d{1,2})\s?[./-]\s?(\d{4})\b")


@dataclass(frozen=True, slots=True)
class Number:
    """A number at a place of the text."""

    start: int
    end: int
    value: float


@dataclass(frozen=True, slots=True)
class DateSpan:
    """A day, a month or a year at a place of the text: first and last day, ISO."""

    start: int
    end: int
    first: str
    last: str


def numbers(text: str) -> Iterator[Number]:
    """The numbers of a text; "66,772" is one, "2.5 million" is 2500000."""
    for found in _NUMBER.finditer(text):
        sign, digits, scale, _ = found.groups()
        attached = scale and len(scale) <= 2 and text[found.end(2) : found.start(3)].strip() == ""
        if scale and len(scale) <= 2 and (text[found.end(2)].isspace() or (scale.isupper() and scale == "M")):
            scale, attached = None, False
        value = float(re.sub(r"[,\u00a0\u202f]", "", digits)) * (_SCALE[scale.lower()] if scale else 1)
        end = found.end() if scale or attached else found.end(2)
        # a minus is a sign only where a number may begin: "27-31" is no -31
        negative = bool(sign) and (found.start() == 0 or text[found.start() - 1].isspace())
        yield Number(found.start() if negative else found.start(2), end, -value if negative else value)


def dates(text: str, language: Language) -> list[DateSpan]:
    """The dates of a text that name a year: ISO, in words (day and month, or month alone), in figures (the day first where both fit)."""
    spans: list[DateSpan] = []

    def add(start: int, end: int, year: int, month: int, day: int | None) -> None:
        if any(start < other.end and other.start < end for other in spans):
            return
        with suppress(ValueError):
            first = date(year, month, day or 1)
            last = date(year, month, day or monthrange(year, month)[1])
            spans.append(DateSpan(start, end, first.isoformat(), last.isoformat()))

    for found in _ISO.finditer(text):
        add(found.start(), found.end(), int(found[1]), int(found[2]), int(found[3]))
    for found in _FIGURES.finditer(text):
        one, two, year = int(found[1]), int(found[2]), int(found[3])
        add(found.start(), found.end(), year, *((two, one) if two <= 12 else (one, two)))
    names = "|".join(sorted(map(re.escape, language.months), key=len, reverse=True))
    folded = fold_same_length(text)
    day = r"(\d{1,2})(?:st|nd|rd|th)?"
    for pattern, order in (
        (rf"\b{day}(?:\s+of|\s+de)?[\s-]+({names})\.?\w*,?[\s-]+(?:de\s+)?(\d{{4}})\b", "dmy"),
        (rf"\b({names})\.?\w*\s+{day}\s?,?\s+(\d{{4}})\b", "mdy"),
        (rf"\b({names})\.?\w*,?\s+(?:de\s+)?(\d{{4}})\b", "my"),
    ):
        for found in re.finditer(pattern, folded):
            parts = dict(zip(order, found.groups(), strict=True))
            add(found.start(), found.end(), int(parts["y"]), language.months[parts["m"]], int(parts["d"]) if "d" in parts else None)
    return sorted(spans, key=lambda span: span.start)


def fold_same_length(text: str) -> str:
    """The text folded letter by letter, so that places stay."""
    return "".join(folded if len(folded := fold(c)) == 1 else c for c in text)
