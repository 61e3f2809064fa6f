"""The terms that the phrases of a question may mean, best first: what a planner, or a person who corrects one, chooses from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from engine.embed_discreet import discreet
from engine.embedder import Embedder
from engine.language import Language
from engine.letters import likeness
from engine.plan.find import Finder, finder
from engine.plan.mentions import Token, span_text, tokens_of
from engine.table import Example, OpenTable
from engine.types import How, Match, Term

LONGEST_PHRASE = 5  # words
MOST_PHRASES = 40
SHORTER = 0.04  # what each word less costs: "eye doctor" says more than "doctor"


def retrieve(text: str, language: Language, table: OpenTable, embedder: Embedder, now: datetime, limit: int = 5) -> list[Match]:
    """For each column the best `limit` terms that any phrase of the question may mean, with how each was matched; scores are 0 to 1, the best first."""
    tokens = tokens_of(text, language)
    found = finder(table, language, text, tokens, now)
    best: dict[tuple[str, str], Match] = {}

    def offer(match: Match) -> None:
        mark = (match.term.column, match.term.text)
        if mark not in best or best[mark].score < match.score:
            best[mark] = match

    for mention in found.certain():
        for option in mention.options:
            words = mention.end - mention.start
            phrase = span_text(text, tokens, mention.start, mention.end)
            term = Term(column=option.column.name, text=str(option.value), rows=option.rows)
            if option.op not in ("words", "starts_with"):
                offer(Match(phrase=phrase, term=term, how=option.how, score=min(1.0, option.quality) - SHORTER / words))
    for match in _near(text, tokens, found, embedder):
        offer(match)
    columns: dict[str, list[Match]] = defaultdict(list)
    for match in sorted(best.values(), key=lambda match: -match.score):
        if len(columns[match.term.column]) < limit:
            columns[match.term.column].append(match)
    return sorted((match for matches in columns.values() for match in matches), key=lambda match: -match.score)


def nearest_examples(text: str, table: OpenTable, embedder: Embedder, limit: int = 3) -> list[Example]:
    """The worked examples of the table whose questions mean most nearly what is asked, the nearest first."""
    examples = [example for example in table.words.examples if example.plan.table == table.name]
    if not examples:
        return []
    embedder = discreet(embedder, table)
    known = table.remembered(("example vectors", embedder.name), lambda: embedder.embed([example.question for example in examples]))
    likeness_of = (known @ embedder.embed([text])[0]).tolist()
    return [examples[place] for place in sorted(range(len(examples)), key=lambda place: -likeness_of[place])[:limit]]


def _near(text: str, tokens: Sequence[Token], found: Finder, embedder: Embedder) -> list[Match]:
    from engine.lance import joint_vectors, near_terms  # seconds to import

    spans = [
        (start, end)
        for start in range(len(tokens))
        for end in range(start + 1, min(len(tokens), start + LONGEST_PHRASE) + 1)
        if tokens[start].content and tokens[end - 1].content and not any(token.breaks for token in tokens[start : end - 1])
    ][:MOST_PHRASES]
    phrases = [(span, phrase) for span in spans for phrase in found.searched(*span) if len(phrase) > 1]
    if not phrases:
        return []
    embedder = discreet(embedder, found.table)
    vectors = joint_vectors([phrase for _, phrase in phrases], [True] * len(phrases), embedder)
    nearest = near_terms(found.table.index, vectors, embedder.calibration.nearest)
    terms = {term.id: term for term in found.table.terms_with_ids(near.id for one in nearest for near in one)}
    matches, weighs = [], embedder.calibration
    for (span, phrase), near in zip(phrases, nearest, strict=True):
        for one in near:
            if (term := terms.get(one.id)) is None:
                continue
            letters = likeness(phrase, term.key)
            score = weighs.letters * letters + weighs.joint * min(1.0, max(0.0, one.score)) - SHORTER / (span[1] - span[0])
            shown = Term(column=term.column.name, text=term.text, rows=term.rows)
            how: How = "near" if letters > 0.5 else "meant"
            matches.append(Match(phrase=span_text(text, tokens, *span), term=shown, how=how, score=max(0.0, score)))
    return matches
