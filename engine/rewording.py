"""Tells which questions only say the same otherwise: in another case of letters, with other question words, with more or less politeness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from engine.embedder import Embedder
from engine.fold import key, stems
from engine.hours import asked
from engine.language import LONGEST_PHRASE, Language, language_of
from engine.plan.decide import Decision
from engine.plan.examples import may_follow
from engine.plan.mentions import Token, tokens_of
from engine.table import OpenTable
from engine.types import Binding

# In a plain question everything is a term, a word for the rows or a tie: nothing counts, compares, orders, denies or joins.
_PLAIN = frozenset({"stop", "link", "place", "verb"})
_LEADING = frozenset({"ask", "which", "stop", "link", "verb"})
_COPULA = frozenset({"link", "yes_no"})
_SURE = frozenset({"exact", "spelling", "synonym", "number", "date"})


@dataclass(frozen=True, slots=True)
class Wording:
    """What is decisive in a question, as a key; places are where the words that made it stand in the text, plain whether it is a plain one."""

    key: str
    places: tuple[tuple[int, int], ...]
    plain: bool


def wording_of(text: str, tables: Sequence[OpenTable], embedder: Embedder, now: datetime) -> Wording | None:
    """The wording of a question; None where it quotes, asks for a time, or may follow a worked example, whose words all count.

    Words are left out only where they are no part of anything that the tables or the catalog say. The order of the rest counts, and so does
    every word that counts, compares, orders, denies or joins.
    """
    language = language_of(text)
    tokens = tokens_of(text, language)
    if not tokens or any(token.quote for token in tokens) or asked(text, language.code, now):
        return None
    if any(may_follow(table, {token.stem for token in tokens}, embedder, now) for table in tables):
        return None
    free = _Free(tokens, language, tables)
    lead = free.leading()
    end = free.trailing(lead)
    plain = free.is_plain(lead, end)
    if not plain:
        lead = 0
    kept = [place for place in range(lead, end) if not (plain and lead < place < end - 1 and free.between(place))]
    if not kept or tokens[kept[0]].word.folded in language.commands:
        return None
    asks = lead > 0 and any(language.does(phrase, "ask") for phrase in free.phrases(0, lead))
    parts = [language.code, "asks" if asks else "", text[: tokens[0].word.start].strip(" \t\n¿¡")]
    for place, token in enumerate(tokens):
        if place in kept:
            parts.append(_mark(token))
        after = token.after if place < len(tokens) - 1 else token.after.strip("?.! ")
        parts += [f"after {after}"] if after else []
    return Wording("\n".join(parts), tuple((tokens[place].word.start, tokens[place].word.end) for place in kept), plain)


def spans_in(wording: Wording, decision: Decision, bindings: Sequence[Binding], text: str) -> tuple[tuple[int, int], ...] | None:
    """The first and last of the wording's words for each line of the receipt of a question.

    None where the decision is not sure, or stands on anything but what the wording keeps: then it is good for the question alone.
    """
    reading = decision.reading
    if reading is None or decision.unused or any(binding.how not in _SURE for binding in bindings):
        return None
    if wording.plain and any(mention.kind not in ("function", "noun", "value") for mention in reading.cover.mentions):
        return None
    spans = [_span(binding.phrase, text, wording) for binding in bindings]
    return tuple(span for span in spans if span) if all(spans) else None


def reworded(bindings: Sequence[Binding], spans: Sequence[tuple[int, int]], text: str, wording: Wording) -> tuple[Binding, ...]:
    """The receipt of a question in the words of another one of the same wording; raises IndexError for spans of another wording."""
    phrases = [text[wording.places[first][0] : wording.places[last][1]] for first, last in spans]
    return tuple(line.model_copy(update={"phrase": phrase}) for line, phrase in zip(bindings, phrases, strict=True))


def _span(phrase: str, text: str, wording: Wording) -> tuple[int, int] | None:
    """The first and last of the wording's words that a phrase is made of; None where it is not, or stands in the text more than once."""
    start = text.find(phrase)
    if not phrase or start < 0 or text.find(phrase, start + 1) >= 0:
        return None
    first = next((at for at, place in enumerate(wording.places) if place[0] == start), None)
    last = next((at for at, place in enumerate(wording.places) if place[1] == start + len(phrase)), None)
    return (first, last) if first is not None and last is not None else None


def _mark(token: Token) -> str:
    """A word as it counts: whether it means something, and how it is looked up."""
    if not token.content and token.proper:  # "Will", "US": perhaps a name
        return f"name {token.word.text}"
    figures = token.word.text if any(c.isdigit() for c in token.word.text) else ""
    return " ".join(["word" if token.content else "tie", token.word.folded, *token.word.bare, figures])


class _Free:
    """Which words of a question may be left out without leaving out anything that is said in the tables."""

    def __init__(self, tokens: Sequence[Token], language: Language, tables: Sequence[OpenTable]) -> None:
        self.tokens = tokens
        self.language = language
        self.tables = tables

    def leading(self) -> int:
        """How many words at the beginning only ask: "please show me the", "which"."""
        place = 0
        while place < len(self.tokens):
            for end in range(min(len(self.tokens), place + LONGEST_PHRASE), place, -1):
                kinds = self._kinds(place, end)
                asks = kinds <= _LEADING and ("ask" in kinds or kinds == {"stop"})
                if kinds and asks and all(self._is_free(at) and not self.tokens[at].after for at in range(place, end)):
                    break
            else:
                return place
            if end == len(self.tokens):
                return place
            place = end
        return place

    def trailing(self, lead: int) -> int:
        """Where the words at the end begin that carry nothing: "please"."""
        end = len(self.tokens)
        while end - 1 > lead and self._kinds(end - 1, end) == {"stop"} and self._is_free(end - 1) and not self.tokens[end - 2].after:
            end -= 1
        return end

    def is_plain(self, start: int, end: int) -> bool:
        """Whether a stretch of words is a plain question: terms, words for the rows, and ties."""
        for first in range(start, end):
            token = self.tokens[first]
            word = token.word.folded
            if any(c.isdigit() for c in word) or word in self.language.numbers or word in self.language.beyond:
                return False
            for last in range(first + 1, min(end, first + LONGEST_PHRASE) + 1):
                if not self._kinds(first, last) <= _PLAIN and not (last == first + 1 and self.is_copula(first)):
                    return False
        return True

    def is_copula(self, place: int) -> bool:
        """Whether a word is the "are" of "doctors are in Haifa"."""
        if not 0 < place < len(self.tokens) - 1:
            return False
        before, behind = self.tokens[place - 1], self.tokens[place + 1].word.folded
        return self._kinds(place, place + 1) == _COPULA and before.content and self.language.does(behind, "place")

    def between(self, place: int) -> bool:
        """Whether a word between others may be left out: the "are" of "doctors are in Haifa", the "the" of "in the north"."""
        before, behind = self.tokens[place - 1], self.tokens[place + 1]
        article = self._kinds(place, place + 1) == {"stop"} and self.language.does(before.word.folded, "place") and behind.content
        return (article or self.is_copula(place)) and self._is_free(place) and not (before.after or self.tokens[place].after)

    def phrases(self, start: int, end: int) -> Iterator[str]:
        """The phrases of a stretch of words."""
        for first in range(start, end):
            for last in range(first + 1, end + 1):
                yield self._phrase(first, last)

    def _phrase(self, start: int, end: int) -> str:
        return " ".join(token.word.folded for token in self.tokens[start:end])

    def _kinds(self, start: int, end: int) -> frozenset[str]:
        return frozenset(function.kind for function in self.language.functions.get(self._phrase(start, end), ()))

    def _is_free(self, place: int) -> bool:
        token = self.tokens[place]
        word = token.word.folded
        lists = (self.language.beyond, self.language.heads, self.language.commands, self.language.months, self.language.numbers)
        if token.content or token.proper or any(word in some for some in lists):
            return False
        start, end = place, place + 1
        while start > 0 and (start == place or not self.tokens[start].content):
            start -= 1
        while end < len(self.tokens) and (end == place + 1 or not self.tokens[end - 1].content):
            end += 1
        if any(token.word.bare for token in self.tokens[start:end]):
            return False  # with or without what is attached to it
        return not any(self._said(start, place, end, table) for table in self.tables)

    def _said(self, start: int, place: int, end: int, table: OpenTable) -> bool:
        """Whether the table says the word at a place together with its neighbours, as far as the next ones that mean something (start, end)."""
        named = _named(table)
        for first, last in ((start, place + 1), (place, end)):
            part = [token.stem for token in self.tokens[first:last]]
            if last - first > 1 and (f" {' '.join(part)} " in named or table.terms_with_words(part, phrase=True, limit=1)):
                return True
        around = [(first, last) for first in range(start, place + 1) for last in range(place + 1, end + 1)]
        said = [self._phrase(*span) for span in around]
        if any(f"| {stems(phrase)} |" in named for phrase in said):
            return True
        return bool(table.terms_with_keys(said) or table.terms_joined(phrase.replace(" ", "") for phrase in said if " " in phrase))


def _named(table: OpenTable) -> str:
    """The phrases that name columns, rows and meanings of a table, as stems, each between two bars."""

    def read() -> str:
        facts = table.facts
        phrases = [*facts.nouns, *(name for column in facts.columns for name in (column.key, *column.other_names))]
        phrases += [*table.words.terms, *(phrase for (phrase,) in table.connection().execute("SELECT DISTINCT phrase FROM synonym"))]
        return "| " + " | ".join(stems(key(phrase)) for phrase in phrases) + " |"

    return table.remembered(("named",), read)
