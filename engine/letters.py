"""Likeness by letters: character n-grams of a phrase and of its consonants in Latin letters, so that typos and other scripts stay near."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from math import sqrt

from anyascii import anyascii
from rapidfuzz.distance import OSA

SOUNDS_ALIKE = 0.78  # the likeness of phrases that have the same three or more consonants
SLIP = 0.75  # share of a phrase's letters that must stand as they should
_SOUNDS = [
    (re.compile(pattern), to)
    for pattern, to in [
        (r"tz|ts|zz", "s"), (r"sch|sh|zh", "s"), (r"ough|igh|gh", ""), (r"kh", "h"), (r"ch|ck|q|c(?=[^eiy]|$)", "k"), (r"ph|v|w|p|b", "f"),
        (r"c(?=[eiy])|z", "s"), (r"dg|g(?=[eiy])", "s"), (r"x", "ks"), (r"th", "t"), (r"[jyh']", ""), (r"[aeiou]+", ""),
    ]
]  # fmt: skip
_DOUBLE = re.compile(r"(.)\1+")
_VOWELLESS = re.compile(r"[\u05d0-\u05ea\u0600-\u06ff]")  # scripts that write consonants
_INNER_VOWELS = re.compile(r"(?<=.)[\u05d5\u05d9\u0648\u064a\u0627]")  # vav and yod inside a word are mostly vowels


@lru_cache(maxsize=100_000)
def skeleton(word: str) -> str:
    """The consonants of a word in Latin letters, sounds that are often spelled in several ways brought to one."""
    latin = anyascii(_INNER_VOWELS.sub("", word) if _VOWELLESS.search(word) else word).lower()
    first = latin[:1]
    for pattern, to in _SOUNDS:
        latin = pattern.sub(to, latin)
    latin = _DOUBLE.sub(r"\1", re.sub(r"[^a-z0-9]", "", latin))
    return latin or first


@lru_cache(maxsize=100_000)
def _bones(phrase: str) -> Counter[str]:
    """The n-grams of the consonants: of each word with its ends, of all words run together."""
    found: Counter[str] = Counter()
    words = [skeleton(word) for word in phrase.split()]
    for word in words:
        framed = f"<{word}>"
        for start in range(len(framed) - 1):
            found[framed[start : start + 2]] += 1
        if len(framed) > 3:
            found[framed] += 1
    joined = "".join(words)
    for start in range(len(joined) - 1):
        found["~" + joined[start : start + 2]] += 1
    return found


@lru_cache(maxsize=100_000)
def grams(phrase: str) -> Counter[str]:
    """The n-grams of a key: of its letters with the ends of words, of its consonants, of its words run together.

    A phrase in a script without vowels has those of its consonants alone.
    """
    found = Counter(_bones(phrase))
    if _VOWELLESS.search(phrase):
        return found
    for word in phrase.split():
        framed = f"^{word if word.isascii() else anyascii(word).lower()}$"
        for size in (2, 3):
            for start in range(len(framed) - size + 1):
                found[framed[start : start + size]] += 1
    if " " in phrase:
        joined = phrase.replace(" ", "")
        for start in range(len(joined) - 3):
            found["_" + joined[start : start + 4]] += 1
    return found


def likeness(one: str, other: str) -> float:
    """The cosine of two phrases' n-grams, 0 to 1; of their consonants where one is written without vowels; slips of the pen count little.

    The phrases are keys (see engine.fold.key).
    """
    if bool(_VOWELLESS.search(one)) != bool(_VOWELLESS.search(other)):
        return _cosine(_bones(one), _bones(other))
    whole = _cosine(grams(one), grams(other))
    if min(len(one), len(other)) >= 5:  # a slip of the pen: a letter too many, too few, another, or two exchanged
        bones = "".join(map(skeleton, one.split()))
        if len(bones) > 2 and bones == "".join(map(skeleton, other.split())):
            whole = max(whole, SOUNDS_ALIKE)
        whole = max(whole, OSA.normalized_similarity(one, other, score_cutoff=SLIP))
    if one.isascii() != other.isascii():  # vowels are written differently in another alphabet
        return max(whole, 0.4 * whole + 0.6 * _cosine(_bones(one), _bones(other)))
    return whole


def _cosine(a: Counter[str], b: Counter[str]) -> float:
    if len(a) > len(b):
        a, b = b, a
    shared = sum(count * b[gram] for gram, count in a.items() if gram in b)
    return shared / (sqrt(sum(n * n for n in a.values())) * sqrt(sum(n * n for n in b.values())) or 1.0)
