"""Words that every organisation uses for the same thing, from one data file: any phrase of a group finds any other."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from engine.fold import key, stems


@dataclass(frozen=True, slots=True)
class Synonyms:
    """groups: the stems of each group's phrases, the weaker ones apart; of: for the stems of a phrase the groups that it stands in."""

    groups: tuple[tuple[str, ...], ...]
    topics: tuple[str, ...]
    lean: tuple[frozenset[str], ...]
    of: dict[str, tuple[int, ...]]

    def others(self, stemmed: str, column_names: bool) -> tuple[str, ...]:
        """The other phrases (stems) of the groups that a phrase stands in, among names of columns or among everything else."""
        found: dict[str, None] = {}
        for group in self.of.get(stemmed, ()):
            if (self.topics[group] == "column") == column_names:
                found |= dict.fromkeys(self.groups[group])
        found.pop(stemmed, None)
        return tuple(found)

    def only_hints(self, one: str, other: str) -> bool:
        """Whether two phrases share groups in which one of them is only a hint."""
        shared = set(self.of.get(one, ())) & set(self.of.get(other, ()))
        return bool(shared) and all(self.lean[group] & {one, other} for group in shared)


@cache
def synonyms() -> Synonyms:
    """The general data file, read once."""
    read = tomllib.loads((files("engine.language") / "synonyms.toml").read_text(encoding="utf-8"))
    groups, topics, lean, of = [], [], [], {}
    for number, group in enumerate(read.get("group", [])):
        phrases = dict.fromkeys(stems(key(phrase)) for code in ("en", "he", "ru", "es") for phrase in group.get(code, []))
        groups.append(tuple(phrases))
        topics.append(str(group["topic"]))
        lean.append(frozenset(stems(key(phrase)) for phrase in group.get("lean", [])))
        for phrase in phrases:
            of.setdefault(phrase, []).append(number)
    return Synonyms(tuple(groups), tuple(topics), tuple(lean), {phrase: tuple(numbers) for phrase, numbers in of.items()})
