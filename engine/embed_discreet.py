"""Meaning without telling: an embedder elsewhere is never sent a value that may not go to a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.embedder import Calibration, Embedder
from engine.fold import key, stem
from engine.table import FoundTerm, OpenTable

if TYPE_CHECKING:
    from engine.embedder import Vectors


class DiscreetEmbedder:
    """Another embedder over the phrases of one table's questions; a phrase that holds a value of a column that is not sent has length 0."""

    def __init__(self, embedder: Embedder, table: OpenTable) -> None:
        self._embedder = embedder
        self._table = table
        self._unsent = frozenset(column.position for column in table.facts.columns if not column.sent)

    @property
    def name(self) -> str:
        """That of the other."""
        return self._embedder.name

    @property
    def address(self) -> str:
        """That of the other."""
        return self._embedder.address

    @property
    def dimensions(self) -> int:
        """Those of the other."""
        return self._embedder.dimensions

    @property
    def calibration(self) -> Calibration:
        """That of the other."""
        return self._embedder.calibration

    def embed(self, phrases: Sequence[str]) -> Vectors:
        """Shape (phrases, dimensions)."""
        return self._embedder.embed(["" if self._holds_unsent(phrase) else phrase for phrase in phrases])

    def _holds_unsent(self, phrase: str) -> bool:
        """Whether the phrase, or some words of it, are a value, or a word of one, that stands only in columns that are not sent.

        Figures are written in many ways ("052-712", "3 February 1967"): they are taken for such a value unless a column that is sent has them.
        """
        words = key(phrase).split()
        if sum(word.isdecimal() for word in words) > 1:
            return True
        spans = {" ".join(words[start:end]) for start in range(len(words)) for end in range(start + 1, len(words) + 1)}
        by_key: dict[str, list[FoundTerm]] = {}
        for term in self._table.terms_with_keys(spans):
            by_key.setdefault(term.key, []).append(term)
        if any(self._only_unsent(terms) for terms in by_key.values()):
            return True
        return any(self._is_unsent(word) for word in words)

    def _is_unsent(self, word: str) -> bool:
        terms = self._table.terms_with_words([stem(word)], limit=50)
        return self._only_unsent(terms) or (not terms and any(letter.isdecimal() for letter in word))

    def _only_unsent(self, terms: Sequence[FoundTerm]) -> bool:
        return bool(terms) and all(term.column.position in self._unsent for term in terms)


def discreet(embedder: Embedder, table: OpenTable) -> Embedder:
    """The embedder itself where nothing leaves this machine or everything may, else one that keeps the table's secrets."""
    if not embedder.address or len(table.facts.sent) == len(table.facts.columns):
        return embedder
    return DiscreetEmbedder(embedder, table)
