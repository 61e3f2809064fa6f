"""Numbers as people write them: both decimal conventions, thousands in groups, money, percentages, notes on them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Shape = Literal["integer", "decimal", "money", "percent"]

_SYMBOLS = "$€£¥₪₽₹₩₺₴₫฿₱₦"
_CODES = (
    "USD|EUR|GBP|ILS|NIS|RUB|RUR|JPY|CNY|RMB|CHF|SEK|NOK|DKK|PLN|CZK|HUF|RON|BGN|TRY|UAH"
    "|CAD|AUD|NZD|INR|BRL|MXN|ZAR|KRW|SGD|HKD|THB|AED|SAR"
)
_WORDS = r"US\s?\$|A\$|C\$|CA\$|AU\$|NZ\$|HK\$|R\$|Kč|kr\.?|zł|Ft|lei|лв\.?|руб\.?|грн\.?|ש\"ח|ש״ח|Fr\.|Rs\.?|元|円"
_CURRENCY = rf"(?:[{_SYMBOLS}]|(?:{_CODES})|{_WORDS})"
_SCALES = {
    "thousand": 1e3, "million": 1e6, "millions": 1e6, "mio": 1e6, "mln": 1e6, "mn": 1e6, "billion": 1e9, "billions": 1e9, "bn": 1e9,
    "trillion": 1e12, "m": 1e6, "k": 1e3, "b": 1e9, "млн": 1e6, "тыс": 1e3, "млрд": 1e9, "million euro": 1e6,
}  # fmt: skip
_SCALE = "|".join(sorted(_SCALES, key=len, reverse=True))
_MONEY_ONLY = {"m", "k", "b"}
_NOTE = re.compile(r"\s*(?:\[\s*\w{1,6}(?: \d+)?\s*\]|[*†‡§¹²³]+)+$")
_BLANKS = re.compile(r"[\s\u00a0\u2007\u2009\u202f]+")
_JUNK = re.compile(r"(?<=\d) ?(\.) ?(?=\d)|(?<=\d) ?(,) ?(?=\d{3}(?!\d))")
_WHOLE = re.compile(
    rf"(?P<sign>[+-]?)\s?(?P<before>{_CURRENCY})?\s?(?P<sign2>[+-]?)\s?(?P<body>\d[\d.,' ]*|[.,]\d+)(?P<exponent>[eE][+-]?\d{{1,3}})?\s?"
    rf"(?:(?P<percent>%|٪|percent|per cent)|(?P<scale>{_SCALE})\.?)?\s?(?P<after>{_CURRENCY})?(?P<dash>,-|\.-|-)?"
)
_DOT = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+|\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?")
_COMMA = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+(?:,\d*)?|,\d+")
_GROUPED = re.compile(r"(\d{1,3}(?:[ ']\d{3})+)((?:[.,]\d+)?)")
_ODD = re.compile(r"\d+(?:,\d+){2,}")
_PLAIN = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_ZEROS = re.compile(r"0\d")
_SAYS_COMMA = re.compile(r"\.\d{3},\d|\.\d{3}\.\d{3}|^[^.]*(?:^|\D)0,\d+$|^\d+,(?:\d{1,2}|\d{4,})$|^\d{4,},\d+$")
_SAYS_DOT = re.compile(r",\d{3}\.\d|,\d{3},\d{3}|^[^,]*(?:^|\D)0\.\d+$|^\d+\.(?:\d{1,2}|\d{4,})$|^\d{4,}\.\d+$|,\d+,")


@dataclass(frozen=True, slots=True)
class Number:
    """A number and how it was written; `says` is the decimal sign that its spelling proves, "" where it proves none; odd where its groups
    are no thousands.
    """

    value: int | float
    shape: Shape
    says: str = ""
    currency: str = ""
    odd: bool = False


def number_of(text: str, decimal: str = ".") -> Number | None:
    """The number that a text is, or None; decimal: what a spelling that proves nothing ("1,234") is read by.

    A whole number with leading zeros is a code and no number.
    >>> number_of("1.234,50 €").value
    1234.5
    """
    if _PLAIN.fullmatch(text):
        return Number(int(text), "integer")
    text = _BLANKS.sub(" ", text.strip()).replace("−", "-").replace("–", "-").replace("’", "'")
    if len(text) > 60:
        return None
    text = _NOTE.sub("", text)
    # "(5)" is a note and "(1999)" a year; "(1,234)" and "(350)" are less than nothing
    inner = text[1:-1]
    negative = text.startswith("(") and text.endswith(")") and not (inner.isdigit() and (len(inner) < 3 or len(inner) == 4))
    if negative:
        text = text[1:-1].strip()
    found = _WHOLE.fullmatch(_JUNK.sub(r"\1\2", text))
    if not found:
        return None
    body = found["body"].rstrip(" ")
    dash = found["dash"]
    if dash == "-" and body[-1] in ".,":  # 1'200.-
        body, dash = body[:-1], ".-"
    currency = found["before"] or found["after"] or ""
    scale = found["scale"]
    if scale in _MONEY_ONLY and not currency:
        return None
    figure = _figure(body, decimal)
    if figure is None:
        return None
    value, whole, says, odd = figure
    if found["exponent"]:
        if whole and found["exponent"][1] not in "+-":
            return None  # 12E5 is more often a code
        value, whole = float(f"{value}{found['exponent']}"), False
    if dash == "-":
        if whole and not ("," in body or "." in body):
            return None
        value = -value
    if scale:
        value, whole = value * _SCALES[scale], False
    if negative or "-" in (found["sign"], found["sign2"]):
        value = -value
    if found["percent"]:
        return Number(float(value), "percent", says)
    if currency:
        return Number(float(value), "money", says, currency)
    return Number(value, "integer" if whole else "decimal", says, odd=odd)


def _figure(body: str, decimal: str) -> tuple[int | float, bool, str, bool] | None:
    """Value, whether it is whole, the decimal sign that it proves, whether its groups are odd."""
    says = "," if _SAYS_COMMA.search(body) else "." if _SAYS_DOT.search(body) else ""
    grouped = _GROUPED.fullmatch(body)
    if grouped:
        says = grouped[2][:1]
        body = grouped[1].replace(" ", "").replace("'", "") + grouped[2]
    if " " in body or "'" in body:
        return None
    if body.endswith(".") and body[:-1].isdigit():
        body = body[:-1]  # a rank: "1."
    sign = says or decimal
    odd = False
    if not (_COMMA if sign == "," else _DOT).fullmatch(body):
        if not _ODD.fullmatch(body):
            return None
        odd, sign, says = True, ".", ""
    plain = body.replace(".", "").replace(",", ".") if sign == "," else body.replace(",", "")
    if _ZEROS.match(plain):
        return None
    if "." in plain:
        return float(plain), False, says, odd
    if len(plain) > 18:
        return None
    return int(plain), True, says, odd
