"""Words that every organisation uses for the same thing, from one data file: any phrase of a group finds any other."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import Literal

from engine.fold import key, stems

About = Literal["column", "other"]


@dataclass(frozen=True, slots=True)
class Alike:
    """Two phrases (stems) that mean the same, said of names of columns or of anything else; hint: one is only a hint at the other."""

    phrase: str
    means: str
    about: About
    hint: bool


@cache
def fingerprint() -> str:
    """Of the data file: what was built with another is built anew."""
    return blake2b(_file(), digest_size=8).hexdigest()


def alike(columns: Collection[str], others: Collection[str]) -> Iterator[Alike]:
    """For what a table has (stems of its columns' names, and of its terms and nouns), the other phrases of the groups that they stand in."""
    read = tomllib.loads(_file().decode())
    for group in read["group"]:
        about: About = "column" if group["topic"] == "column" else "other"
        phrases = dict.fromkeys(stems(key(phrase)) for code in ("en", "he", "ru", "es") for phrase in group.get(code, ()))
        lean = {stems(key(phrase)) for phrase in group.get("lean", ())}
        for means in phrases:
            if means in (columns if about == "column" else others):
                for phrase in phrases:
                    if phrase != means:
                        yield Alike(phrase, means, about, bool(lean & {phrase, means}))


def _file() -> bytes:
    return (files("engine.language") / "synonyms.toml").read_bytes()
