"""The languages that questions are asked in: each is one file of function words and sentences, read once."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from engine.fold import key, words_of

_SCRIPTS = {
    "latin": re.compile(r"[a-z\u00c0-\u024f]", re.IGNORECASE),
    "hebrew": re.compile(r"[\u0590-\u05ff]"),
    "cyrillic": re.compile(r"[\u0400-\u04ff]"),
}
LONGEST_PHRASE = 6  # words of a function phrase


@dataclass(frozen=True, slots=True)
class Function:
    """What a function phrase does: its list ("ask", "negation", ...) and, for comparisons and superlatives, a detail."""

    kind: str
    detail: tuple[str, ...] = ()


_SYMBOLS = {
    ">": Function("compare", ("more",)),
    "<": Function("compare", ("less",)),
    **dict.fromkeys((">=", "≥", "=>"), Function("compare", ("at_least",))),
    **dict.fromkeys(("<=", "≤", "=<"), Function("compare", ("at_most",))),
    **dict.fromkeys(("!=", "≠", "<>", "!"), Function("negation")),
    **dict.fromkeys(("=", "=="), Function("link")),
}


@dataclass(frozen=True, slots=True)
class Language:
    """A language's function phrases by key, its other forms of words, number words, months and sentences."""

    code: str
    name: str
    script: str
    right_to_left: bool
    adjectives_follow: bool
    functions: dict[str, tuple[Function, ...]]
    forms: dict[str, tuple[str, ...]]  # key of a word -> keys of words that mean the same in a column's name
    numbers: dict[str, int]
    months: dict[str, int]
    sentences: dict[str, str] = field(repr=False)
    heads: frozenset[str] = frozenset()  # keys of words that add nothing behind a term: "bone density scan"
    beyond: frozenset[str] = frozenset()  # keys of words that ask for more than a plan of one table can say
    commands: frozenset[str] = frozenset()  # keys of words that order a change when a question begins with them

    def does(self, phrase: str, kind: str) -> bool:
        """Whether the key of a phrase has a function of that kind."""
        return any(function.kind == kind for function in self.functions.get(phrase, ()))


def _functions(read: dict[str, Any]) -> dict[str, tuple[Function, ...]]:
    found: dict[str, list[Function]] = {}

    def add(phrase: str, function: Function) -> None:
        listed = found.setdefault(key(phrase), [])
        if function not in listed:
            listed.append(function)

    for kind, phrases in read["words"].items():
        for phrase in phrases if kind not in ("command", "beyond", "head") else ():
            add(phrase, Function(kind))
    for symbol, function in _SYMBOLS.items():
        found[symbol] = [function]
    for operator, phrases in read["compare"].items():
        for phrase in phrases:
            add(phrase, Function("compare", (operator,)))
    for phrase, detail in read["compare_about"].items():
        add(phrase, Function("compare", tuple(detail)))
    for order, phrases in read["superlative"].items():
        for phrase in phrases:
            add(phrase, Function("superlative", (order,)))
    for phrase, detail in read["superlative_about"].items():
        add(phrase, Function("superlative", tuple(detail)))
    return {phrase: tuple(functions) for phrase, functions in found.items() if phrase}


@cache
def language(code: str) -> Language:
    """The language of that code; KeyError where there is no file for it."""
    path = files(__name__) / f"{code}.toml"
    if code not in codes():
        raise KeyError(code)
    read = tomllib.loads(path.read_text(encoding="utf-8"))
    forms: dict[str, set[str]] = {}
    for word, others in read["forms"].items():
        alike = {key(word), *(key(other) for other in others)}
        for one in alike:
            forms.setdefault(one, set()).update(alike - {one})
    return Language(
        code=code,
        name=read["name"],
        script=read["script"],
        right_to_left=read["right_to_left"],
        adjectives_follow=read["adjectives_follow"],
        functions=_functions(read),
        forms={word: tuple(sorted(others)) for word, others in forms.items()},
        numbers={key(word): number for word, number in read["numbers"].items()},
        months={key(name): number for number, names in enumerate(read["months"]["names"], 1) for name in names},
        sentences=read["sentences"],
        heads=frozenset(map(key, read["words"].get("head", ()))),
        beyond=frozenset(map(key, read["words"].get("beyond", ()))),
        commands=frozenset(map(key, read["words"]["command"])),
    )


@cache
def codes() -> tuple[str, ...]:
    """The languages that there are files for, English first."""
    found = sorted(path.name[:-5] for path in files(__name__).iterdir() if path.name.endswith(".toml") and len(path.name) == 7)
    return ("en", *(code for code in found if code != "en"))


def language_of(text: str) -> Language:
    """The language of a question: the one with the most of its function words, its script where that does not decide."""
    words = [word.folded for word in words_of(text)]
    letters = "".join(c for c in text if c.isalpha())
    known = [language(code) for code in codes()]

    def worth(one: Language) -> tuple[float, float, bool]:
        said = sum(word in one.functions for word in words) + (0.5 if one.code == "es" and "¿" in text else 0)
        written = len(_SCRIPTS[one.script].findall(letters))
        return (said if written else 0, written, one.code == "en")

    return max(known, key=worth)
