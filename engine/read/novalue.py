"""How tables say that there is no value."""

from __future__ import annotations

# These mean it in any column.
_WORDS = """
n/a #n/a #na n.a. n.a n/d n.d. #null! #ref! #div/0! #value! #name? #num! null <null> (null) [null] \\n nan <na> <n/a> (blank) [blank]
not_available
- -- --- ---- – — —— ― − … ... .. ? ?? ??? н/д k.a. k.a
"""
_PHRASES = """
not available, not applicable, no data, no value, not known, not specified, not provided, нет данных, לא ידוע, אין נתונים
"""
# These only in a column of numbers, dates or yes and no; in a column of text they may be terms.
_WORDS_AMONG_TYPED = """
na none nil unknown tba tbd tbc missing blank empty x xx * ** *** **** ***** ****** / // _ nd ns s/d unk . keine aucun нет אין 不明 無 无
"""
_PHRASES_AMONG_TYPED = """
to be announced, to be determined, not recorded, not reported, not stated, not found, unspecified, undefined, withheld, suppressed, n / a,
n. a., s.o.,
без данных
"""
_MARKS = "- – — + x ✓ ✔ ✗ ✘ ● ○ * . ?"


def _phrases(text: str) -> set[str]:
    return {" ".join(phrase.split()) for phrase in text.split(",")}


ALWAYS = frozenset({"", *_WORDS.split()} | _phrases(_PHRASES))
AMONG_TYPED = ALWAYS | frozenset(_WORDS_AMONG_TYPED.split()) | _phrases(_PHRASES_AMONG_TYPED)
_SIGNS = frozenset(_MARKS.split())


def key(text: str) -> str:
    """The form in which spellings of "no value" are compared."""
    return " ".join(text.lower().split())


def always(keys: set[str], more: frozenset[str]) -> frozenset[str]:
    """Those of these texts (by key) that say "no value" in a column of text; where a column consists of signs, a dash is one of them."""
    found = frozenset(keys & ALWAYS) | (keys & more)
    rest = keys - found
    return found - _SIGNS if rest and rest <= _SIGNS else found
