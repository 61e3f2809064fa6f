"""Likeness by letters: character n-grams of a phrase and of its consonants in Latin letters, so that typos and other scripts stay near."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from math import sqrt

from anyascii import anyascii

_SOUNDS = [
    (re.compile(pattern), to)
    for pattern, to in [
        (r"tz|ts", "c"), (r"sh|sch", "s"), (r"kh|ch|q|ck|c(?=[^ceiy]|$)|h(?=[^aeiou]|$)", "k"), (r"ph|v|w", "f"), (r"b", "f"),
        (r"c(?=[eiy])|z|j|g(?=[eiy])", "s"), (r"x", "ks"), (r"p", "f"), (r"th", "t"), (r"y|h|'", ""), (r"[aeiou]+", ""),
    ]
]  # fmt: skip
_DOUBLE = re.compile(r"(.)\1+")


@lru_cache(maxsize=100_000)
def skeleton(word: str) -> str:
    """The consonants of a word in Latin letters, sounds that are often spelled in several ways brought to one."""
    latin = anyascii(word).lower()
    first = latin[:1]
    for pattern, to in _SOUNDS:
        latin = pattern.sub(to, latin)
    latin = _DOUBLE.sub(r"\1", re.sub(r"[^a-z0-9]", "", latin))
    return latin or first


@lru_cache(maxsize=100_000)
def grams(phrase: str) -> Counter[str]:
    """The n-grams of a key: of its letters with the ends of words, of its consonants, of its words run together."""
    found: Counter[str] = Counter()
    for word in phrase.split():
        latin = anyascii(word).lower() if not word.isascii() else word
        framed = f"^{latin}$"
        for size in (2, 3):
            for start in range(len(framed) - size + 1):
                found[framed[start : start + size]] += 1
        bones = f"<{skeleton(word)}>"
        for start in range(len(bones) - 1):
            found[bones[start : start + 2]] += 1
        if len(bones) > 3:
            found[bones] += 1
    bones = "".join(skeleton(word) for word in phrase.split())
    for start in range(len(bones) - 1):
        found["~" + bones[start : start + 2]] += 1
    joined = phrase.replace(" ", "")
    if " " in phrase:  # names that are written as one word or as two
        for start in range(len(joined) - 3):
            found["_" + joined[start : start + 4]] += 1
    return found


def likeness(one: str, other: str) -> float:
    """The cosine of two phrases' n-grams, 0 to 1. The phrases are keys (see engine.fold.key)."""
    a, b = grams(one), grams(other)
    if len(a) > len(b):
        a, b = b, a
    shared = sum(count * b[gram] for gram, count in a.items() if gram in b)
    return shared / (sqrt(sum(n * n for n in a.values())) * sqrt(sum(n * n for n in b.values())) or 1.0)
