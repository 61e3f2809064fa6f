"""The offline planner: a question becomes a plan where every content word finds its place, and nothing is guessed where it does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import reduce

from engine.embed_discreet import discreet
from engine.embedder import Embedder
from engine.language import Language
from engine.plan.cover import Cover, covers
from engine.plan.find import Finder, finder
from engine.plan.mentions import Token, tokens_of
from engine.plan.nodes import nodes_of
from engine.plan.parse import Parsed, parse
from engine.table import OpenTable
from engine.types import Chosen

WEAK = 0.6  # mentions of a lower quality are searched again among near terms


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a question over one table; score compares readings of one question."""

    table: OpenTable
    parsed: Parsed
    cover: Cover
    score: float
    lost: tuple[int, ...]  # content words without a place
    tokens: tuple[Token, ...] = field(repr=False, default=())


def readings(
    text: str, language: Language, tables: Sequence[OpenTable], embedder: Embedder, now: datetime, chosen: Sequence[Chosen] = ()
) -> list[Reading]:
    """The readings of a question over all tables, best first."""
    tokens = tokens_of(text, language)
    found: list[Reading] = []
    embedder = reduce(discreet, tables, embedder)  # what is a secret of one table is not sent for another
    for table in tables:
        found += _over(finder(table, language, text, tokens, now, chosen), embedder)
    return sorted(found, key=lambda reading: -reading.score)


def _over(finder: Finder, embedder: Embedder) -> list[Reading]:
    mentions = list(finder.certain())
    best = covers(mentions, finder.tokens)
    spans = _to_search(best[0], finder.tokens, finder.language) if best else []
    if spans:
        mentions += finder.near(spans, embedder, frozenset(best[0].left))
        best = covers(mentions, finder.tokens)
    return [_read(cover, finder) for cover in best]


def _to_search(cover: Cover, tokens: Sequence[Token], language: Language) -> list[tuple[int, int]]:
    """The phrases that hold words without a place, or with a weak one: with their neighbours, longest first."""
    weak = set(cover.left)
    for mention in cover.mentions:
        if mention.kind in ("value", "column", "noun") and mention.quality < WEAK:
            weak |= {place for place in range(mention.start, mention.end) if tokens[place].content}
    ends = {
        place
        for mention in cover.mentions
        if (mention.kind == "function" and not mention.does("stop", "and", "place", "name_of", "verb", "row"))
        or mention.kind in ("number", "date")
        for place in range(mention.start, mention.end)
    }
    spans = []
    for start in range(len(tokens)):
        for end in range(start + 1, min(len(tokens), start + 6) + 1):
            inside = range(start, end)
            edges = tokens[start].content and tokens[end - 1].content
            if edges and weak & set(inside) and not ends & set(inside) and not any(token.breaks for token in tokens[start : end - 1]):
                spans.append((start, end))
    outside = [span for span in spans if set(range(*span)) <= weak]
    return [*outside, *sorted((span for span in spans if span not in outside), key=lambda span: span[1] - span[0])]


def _adds_nothing(place: int, cover: Cover, finder: Finder) -> bool:
    """Whether a word without a place is one like "scan" or "specialist" beside a term of a category."""
    if finder.tokens[place].word.folded not in finder.language.heads:
        return False
    side = {place + 1} if finder.language.adjectives_follow else {place}
    return any(
        mention.kind == "value" and {mention.end, mention.start} & side and mention.options[0].column.kind == "category"
        for mention in cover.mentions
    )


def _read(cover: Cover, finder: Finder) -> Reading:
    facts = finder.table.facts
    nodes = nodes_of(cover, finder.tokens, finder.language)
    parsed = parse(nodes, facts)
    lost = [place for place in parsed.left if not _adds_nothing(place, cover, finder)]
    strict = 1.4 if facts.declared else 0.7
    score = cover.score - parsed.trouble - strict * len(lost) + (0.25 if parsed.asked else 0.0)
    return Reading(finder.table, parsed, cover, score, tuple(lost), tuple(finder.tokens))
