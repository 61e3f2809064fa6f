"""Which columns a phrase of a question may name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from engine.build.facts import ColumnFacts, TableFacts
from engine.fold import key, stem, stems
from engine.language import Language
from engine.letters import likeness

_PLACES = (  # what columns of places are called
    *("city", "town", "place", "village", "municipality", "district", "region", "country", "state", "county", "area", "location"),
    *("עיר", "יישוב", "מחוז", "אזור", "מדינה", "город", "район", "область", "регион", "страна"),
    *("ciudad", "pueblo", "municipio", "distrito", "region", "provincia", "pais"),
)
NEAR = 0.72  # likeness of a misspelled column name
_DIGITS = re.compile(r"\d+")
_PLURAL_MARK = re.compile(r"\s*\(\s*(e?s)\s*\)")


@dataclass(slots=True)
class ColumnNames:
    """The names of a table's columns, by stems, and the words that occur in them."""

    whole: dict[str, list[tuple[ColumnFacts, float]]] = field(default_factory=dict)
    by_word: dict[str, list[ColumnFacts]] = field(default_factory=dict)
    weights: dict[str, dict[str, float]] = field(default_factory=dict)  # column name -> word stem -> share of the name's meaning
    columns: tuple[ColumnFacts, ...] = ()

    def add(self, phrase: str, column: ColumnFacts, quality: float) -> None:
        """Lets a phrase (stems) name the column; the best quality counts."""
        named = self.whole.setdefault(phrase, [])
        for place, (known, before) in enumerate(named):
            if known.name == column.name:
                named[place] = (known, max(before, quality))
                return
        named.append((column, quality))


def column_names(facts: TableFacts, language: Language, synonyms: Iterable[tuple[str, str]]) -> ColumnNames:
    """Gathers what each column may be called: its name, the catalog's names, general synonyms, other forms of its words."""
    names = ColumnNames(columns=facts.columns)
    alike: dict[str, list[str]] = {}
    for phrase, means in synonyms:
        alike.setdefault(means, []).append(phrase)
    counts: dict[str, int] = {}
    for column in facts.columns:
        for word in set(_name_stems(column).split()):
            counts[word] = counts.get(word, 0) + 1
    for column in facts.columns:
        own = _name_stems(column)
        names.add(own, column, 1.0)
        names.add(stems(column.key), column, 1.0)
        names.add(stem(column.key.replace(" ", "")), column, 0.96)
        for other in column.other_names:
            names.add(stems(other), column, 0.97)
            for phrase in alike.get(stems(other), ()):
                names.add(phrase, column, 0.8)
        for phrase in alike.get(own, ()):
            names.add(phrase, column, 0.9)
        words = [word for word in own.split() if not _empty_word(word, language)] or own.split()
        shares = {word: (0.4 if _vague(word, language) else 1.0) / counts.get(word, 1) ** 0.5 for word in words}
        whole = sum(shares.values()) or 1.0
        names.weights[column.name] = {word: share / whole for word, share in shares.items()}
        for word in dict.fromkeys(words):
            names.by_word.setdefault(word, []).append(column)
            if len(word) > 5 and word.isascii() and word.endswith(("er", "or")):  # "teaches" asks for the teacher
                names.add(stem(word[:-2]), column, 0.85)
    return names


def _name_stems(column: ColumnFacts) -> str:
    return stems(key(_PLURAL_MARK.sub("", column.name.replace("_", " ")))) if "(" in column.name else stems(column.key)


def _empty_word(word: str, language: Language) -> bool:
    return any(language.does(word, kind) for kind in ("link", "stop", "place", "and"))


def _vague(word: str, language: Language) -> bool:
    return (
        word.isdigit()
        or any(language.does(word, kind) for kind in ("count", "name_of", "sum"))
        or word in ("number", "date", "name", "id", "code", "total")
    )


def named_columns(names: ColumnNames, phrase: str, language: Language) -> list[tuple[ColumnFacts, float]]:
    """The columns that a phrase (a key) may name, with the quality of the match; best first."""
    stemmed = stems(phrase)
    found = dict[str, tuple[ColumnFacts, float]]()

    def add(column: ColumnFacts, quality: float) -> None:
        if column.name not in found or found[column.name][1] < quality:
            found[column.name] = (column, quality)

    for column, quality in names.whole.get(stemmed, ()):
        add(column, quality if phrase == column.key or quality < 1.0 else 0.96)
    for column, quality in names.whole.get(stem(phrase.replace(" ", "")), ()):
        add(column, quality * 0.98)
    words = [word for word in stemmed.split() if not _empty_word(word, language)]
    if words:
        for column, share in _holding(names, words):
            add(column, 0.5 + 0.42 * share)
    if len(words) == 1 or not found:
        for form in _forms(phrase, language):
            for column, quality in names.whole.get(stems(form), ()):
                add(column, quality * 0.88)
            for column, share in _holding(names, stems(form).split()):
                add(column, (0.5 + 0.42 * share) * 0.9)
    return sorted(found.values(), key=lambda named: -named[1])


def _holding(names: ColumnNames, words: Sequence[str]) -> Iterable[tuple[ColumnFacts, float]]:
    """Columns whose names hold all of these words, with the share of the name that they make."""
    if not words or words[0] not in names.by_word:
        return
    for column in names.by_word[words[0]]:
        weights = names.weights[column.name]
        if all(word in weights for word in words):
            yield column, min(1.0, sum(weights[word] for word in set(words)))


def _forms(phrase: str, language: Language) -> list[str]:
    words = phrase.split()
    formed = []
    for place, word in enumerate(words):
        for other in language.forms.get(word, ()):
            formed.append(" ".join([*words[:place], other, *words[place + 1 :]]))
    return formed


def near_columns(names: ColumnNames, phrase: str) -> list[tuple[ColumnFacts, float]]:
    """Columns whose name is spelled nearly so; for phrases that are nothing else."""
    if len(phrase) < 5 or phrase[0].isdigit():
        return []
    near = [
        (column, likeness(phrase, column.key))
        for column in names.columns
        if abs(len(column.key) - len(phrase)) <= 4 and same_figures(phrase, column.key)
    ]
    return sorted(((column, 0.9 * score) for column, score in near if score >= NEAR), key=lambda named: -named[1])[:3]


def is_place(column: ColumnFacts) -> bool:
    """Whether a column is called by a word for places: city, district, country."""
    return any(word in _PLACES for name in (column.key, *column.other_names) for word in name.split())


def same_figures(one: str, other: str) -> bool:
    """Whether two phrases have the same digits: another figure is no slip of the pen."""
    return _DIGITS.findall(one) == _DIGITS.findall(other)


def names_place(names: ColumnNames, column: ColumnFacts) -> bool:
    """Whether a column answers to "city", "district", "country" or the like."""
    return any(known.name == column.name and quality > 0.95 for word in _PLACES for known, quality in names.whole.get(stem(word), ()))
