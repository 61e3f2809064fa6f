"""Which words of a question a query stands for, and which it leaves without a place."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import cached_property
from typing import Final

from engine.fold import words_of
from engine.language import Language
from engine.letters import likeness
from engine.plan.decide import MOST_LOST
from engine.plan.find import finder
from engine.plan.literals import numbers
from engine.plan.mentions import Token, span_text, tokens_of
from engine.table import OpenTable

_NAMED: Final = 0.8  # how well a phrase must name a column to be shown as its name
_TYING: Final = ("stop", "link", "place", "ask", "which", "who", "whose", "and", "or", "verb", "having")
_ALIKE: Final = 0.7  # likeness of a word to a word of a column's name


class QuestionWords:
    """The words of one question over one table."""

    def __init__(self, text: str, language: Language, table: OpenTable, now: datetime) -> None:
        self.text = text
        self._language = language
        self._declared = table.facts.declared
        self._tokens = tokens_of(text, language)
        self._content = sum(token.content for token in self._tokens)
        self._mentions = finder(table, language, text, self._tokens, now).certain()

    def places(self, words: str) -> frozenset[int]:
        """Where these words stand: side by side where they do, else each by itself; none where the question does not have them."""
        wanted = [word.folded for word in words_of(words)]
        there = [token.word.folded for token in self._tokens]
        for start in range(len(there) - len(wanted) + 1):
            if wanted and there[start : start + len(wanted)] == wanted:
                return frozenset(range(start, start + len(wanted)))
        bare = set(wanted)
        return frozenset(at for at, token in enumerate(self._tokens) if token.word.folded in bare or bare & set(token.word.bare))

    def phrase(self, places: Iterable[int]) -> str:
        """The words at these places as they were written, with what stands between."""
        at = sorted(places)
        return span_text(self.text, self._tokens, at[0], at[-1] + 1) if at else ""

    def names(self, places: Iterable[int]) -> bool:
        """Whether a name, a figure or something in quotation marks is among the words, which never says nothing."""
        chosen = set(places)
        return any(token.proper or token.quote for token in self._tokens if token.index in chosen)

    @cached_property
    def needing(self) -> int:
        """How many words need a place, 1 at least."""
        return len(self.lost((), ())) or 1

    def spots(self, kind: str) -> list[int]:
        """Where the function words of a kind stand: "not" of the kind "negation", but not within "not less than"."""
        spans = [mention for mention in self._mentions if mention.kind == "function"]
        found = set[int]()
        for one in spans:
            inside = any(o.start <= one.start and one.end <= o.end and o.end - o.start > one.end - one.start for o in spans)
            if one.does(kind) and not inside:
                found |= set(range(one.start, one.end))
        return sorted(found)

    def says(self, kind: str, places: Iterable[int] | None = None) -> bool:
        """Whether a function word of a kind stands there, or anywhere."""
        spots = self.spots(kind)
        return bool(spots if places is None else set(spots) & set(places))

    def number(self, wanted: float) -> frozenset[int]:
        """Where this number stands, in digits or in letters."""
        known = self._language.numbers
        return frozenset(
            token.index
            for token in self._tokens
            if known.get(token.word.folded) == wanted or [one.value for one in numbers(token.word.text)] == [wanted]
        )

    def hollow(self, places: Iterable[int]) -> bool:
        """Whether nothing but words stands there that tie others together."""
        chosen = [self._tokens[place] for place in places]
        return (
            bool(chosen)
            and not any(token.content or token.proper or token.quote for token in chosen)
            and not any(
                mention.start in {token.index for token in chosen} and (mention.kind != "function" or not mention.does_only(*_TYING))
                for mention in self._mentions
            )
        )

    def exact(self, places: Iterable[int]) -> list[tuple[str, str, str]]:
        """The terms that stand word for word at these places, as (phrase, column, term); of a phrase within another none."""
        inside, found = set(places), list[tuple[int, int, str, str]]()
        for mention in self._mentions:
            if mention.kind == "value" and set(range(mention.start, mention.end)) <= inside:
                found += [(mention.start, mention.end, one.column.name, str(one.value)) for one in mention.options if one.how == "exact"]
        whole = [one for one in found if not any(o[0] <= one[0] and one[1] <= o[1] and o[:2] != one[:2] for o in found)]
        return [(span_text(self.text, self._tokens, start, end), column, term) for start, end, column, term in whole]

    def columns(self) -> dict[str, str]:
        """For the phrases that name a column, its name."""
        found: dict[str, tuple[float, str]] = {}
        for mention in self._mentions:
            if mention.kind == "column" and mention.columns[0][0].sent:
                phrase = span_text(self.text, self._tokens, mention.start, mention.end)
                column, quality = mention.columns[0]
                found[phrase] = max(found.get(phrase, (0.0, "")), (quality, column.name))
        named = {phrase: column for phrase, (quality, column) in found.items() if quality >= _NAMED}
        return {phrase: column for phrase, column in named.items() if not any(phrase != other and phrase in other for other in named)}

    def naming(self) -> frozenset[int]:
        """Where words stand that name columns, tie others, or carry nothing."""
        named = frozenset().union(*(self.places(phrase) for phrase in self.columns()))
        return named | {token.index for token in self._tokens if not token.content}

    def joined(self, places: Iterable[int]) -> bool:
        """Whether words or marks among these say that there are several things."""
        inside = set(places)
        said = any(mention.does("or", "and") and mention.start in inside for mention in self._mentions)
        return said or any(token.breaks or "/" in token.after for token in self._tokens if token.index in inside)

    def lost(self, used: Iterable[int], columns: Iterable[str]) -> list[str]:
        """The content words that stand at no used place, tie nothing, name no row and none of these columns."""
        taken, named = set(used), set(columns)
        for mention in self._mentions:
            inside = range(mention.start, mention.end)
            if mention.kind in ("noun", "function") or (
                mention.kind == "column" and any(column.name in named and quality >= 0.6 for column, quality in mention.columns)
            ):
                taken |= set(inside)
        spoken = [word.folded for name in named for word in words_of(name)]
        heads = self._language.heads
        left = [
            token
            for token in self._tokens
            if token.content
            and token.index not in taken
            and not (token.word.folded in heads and not token.proper)
            and not any(likeness(token.word.folded, word) >= _ALIKE for word in spoken)  # "Romanji" of the column "romaji title"
        ]
        if not self._declared and all(not self._says(token) for token in left) and len(left) <= max(1, MOST_LOST * self._content):
            return []  # where nobody says what a row is called, a word may be that
        return [token.word.text for token in left]

    def _says(self, token: Token) -> bool:
        return token.proper or token.quote > 0 or token.word.folded in self._language.beyond
