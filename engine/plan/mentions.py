"""What the words of a question may be: function words, columns, terms, row nouns, numbers, dates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.build.facts import ColumnFacts
from engine.fold import Word, stem, words_of
from engine.hours import When
from engine.language import Function, Language
from engine.types import How, Operator

MOST_WORDS = 160
_SYMBOL = re.compile(r"[<>=!]=|=[<>]|<>|[<>=≥≤≠]|!(?=\w)|(?<!\S)[%#*]+(?!\S)")
LONGEST_SPAN = 10


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the question; content says that it is no function word, proper that it is written like a name."""

    index: int
    word: Word
    stem: str
    content: bool
    proper: bool
    quote: int  # number of the quotation that it stands in, 0 for none
    after: str  # the punctuation between it and the next word, blanks off

    @property
    def breaks(self) -> bool:
        """Whether a clause ends behind it; a point behind a short word is an abbreviation's."""
        return any(mark in self.after for mark in ",;?!") or ("." in self.after and len(self.word.folded) > 4)


@dataclass(frozen=True, slots=True)
class Option:
    """One condition that a phrase may mean; value is the term's text, or the phrase where a part of the cell is meant."""

    column: ColumnFacts
    op: Operator
    value: str | float
    folded: str
    how: How
    quality: float
    rows: int


Kind = Literal["function", "column", "value", "noun", "number", "date", "hours"]


@dataclass(frozen=True, slots=True)
class Mention:
    """What tokens[start:end] may be; quality is 0 to 1."""

    start: int
    end: int
    kind: Kind
    quality: float
    functions: tuple[Function, ...] = ()
    columns: tuple[tuple[ColumnFacts, float], ...] = ()
    options: tuple[Option, ...] = ()
    number: float | None = None
    dates: tuple[str, str] | None = None
    whens: tuple[When, ...] = ()

    def does(self, *kinds: str) -> bool:
        """Whether it is a function phrase of one of these kinds."""
        return any(function.kind in kinds for function in self.functions)

    def does_only(self, *kinds: str) -> bool:
        """Whether it is a function phrase of these kinds and of no other."""
        return bool(self.functions) and all(function.kind in kinds for function in self.functions)


def tokens_of(text: str, language: Language) -> list[Token]:
    """The words of a question, at most 160."""
    words = sorted((*words_of(text), *_symbols(text)), key=lambda word: word.start)[:MOST_WORDS]
    tokens = []
    for index, word in enumerate(words):
        between = text[word.end : words[index + 1].start if index + 1 < len(words) else len(text)]
        function = word.folded in language.functions and not (word.folded in language.months and word.text[:1].isupper() and index > 0)
        capital = word.text[:1].isupper() and (index > 0 or len(words) == 1)
        proper = (capital and not all(w.text[:1].isupper() for w in words)) or any(c.isdigit() for c in word.text)
        tokens.append(Token(index, word, stem(word.folded), not function, proper, _quotation(text, word), between.strip()))
    return tokens


def _symbols(text: str) -> Iterator[Word]:
    """The signs that compare, and a "%" that stands alone, as words."""
    for found in _SYMBOL.finditer(text):
        yield Word(found.group(), found.group(), found.start(), found.end())


def _quotation(text: str, word: Word) -> int:
    """Which quotation a word stands in: quotes are double, or single ones that open after a blank and close before one."""
    opened, number, closing = False, 0, ""
    for place, c in enumerate(text[: word.start + 1]):
        if place == word.start:
            break
        if not opened and (
            c in '"“«„' or (c in "'‘" and (place == 0 or not text[place - 1].isalnum()) and "'" in text[place + 2 :].replace("’", "'"))
        ):
            opened, number = True, number + 1
            closing = {"“": '”"', "«": "»", "„": "“”"}.get(c, c + "’")
        elif opened and c in closing and not (c in "'’" and place + 1 < len(text) and text[place + 1].isalnum()):
            opened = False
    return number if opened else 0


def span_keys(tokens: Sequence[Token], start: int, end: int) -> list[str]:
    """The keys of tokens[start:end]: as they stand, and without endings and prefixes that are attached to the words."""
    words = [token.word for token in tokens[start:end]]
    keys = [" ".join(word.folded for word in words)]
    if any(word.bare for word in words):
        keys.append(" ".join(word.bare[0] if word.bare else word.folded for word in words))
        rest = [word.folded for word in words[1:]]
        keys += [" ".join([bare, *rest]) for bare in words[0].bare]
    return list(dict.fromkeys(keys))


def span_text(text: str, tokens: Sequence[Token], start: int, end: int) -> str:
    """The words of the question as they were written."""
    return text[tokens[start].word.start : tokens[end - 1].word.end]
