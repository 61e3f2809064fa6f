"""Words that every organisation uses for the same thing, from one data file: any phrase of a group finds any other."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import Literal

from engine.fold import key, stems

VERSION = "1"  # of the names and codes of engine.language.codelists.py
About = Literal["column", "other"]
Group = tuple[About, tuple[str, ...], tuple[str, ...]]  # phrases that mean the same, and those of them that are hints


@dataclass(frozen=True, slots=True)
class Alike:
    """Two phrases (stems) that mean the same, said of names of columns or of anything else; hint: one is only a hint at the other."""

    phrase: str
    means: str
    about: About
    hint: bool


LANGUAGES = ("en", "he", "ru", "es")


@cache
def fingerprint() -> str:
    """Of the data file: what was built with another is built anew."""
    return f"{blake2b(_file(), digest_size=8).hexdigest()}-{VERSION}"


def alike(columns: Collection[str], others: Collection[str], groups: Iterable[Group] | None = None) -> Iterator[Alike]:
    """For what a table has (stems of its columns' names, and of its terms and nouns), the other phrases of the groups that they stand in.

    groups: those of `stemmed_groups`, where they are at hand.
    """
    for about, phrases, lean in stemmed_groups() if groups is None else groups:
        hints = set(lean)
        for means in phrases:
            if means in (columns if about == "column" else others):
                for phrase in phrases:
                    if phrase != means:
                        yield Alike(phrase, means, about, bool(hints & {phrase, means}))


def stemmed_groups() -> list[Group]:
    """Every group, its phrases as stems, each once: half a second of work, the same until `fingerprint` changes."""
    return [(about, tuple(dict.fromkeys(map(_stems, group))), tuple(dict.fromkeys(map(_stems, lean)))) for about, group, lean in _groups()]


def _groups() -> Iterator[tuple[About, Iterable[str], Iterable[str]]]:
    for group in tomllib.loads(_file().decode())["group"]:
        about: About = "column" if group["topic"] == "column" else "other"
        yield about, [phrase for code in LANGUAGES for phrase in group.get(code, ())], group.get("lean", ())
    from engine.language.codelists import code_groups  # only a build needs the libraries of names

    for phrases, lean in code_groups(LANGUAGES):
        yield "other", phrases, lean


def _stems(phrase: str) -> str:
    return stems(key(phrase))


def _file() -> bytes:
    return (files("engine.language") / "synonyms.toml").read_bytes()
