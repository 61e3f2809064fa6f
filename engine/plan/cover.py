"""Chooses mentions that do not overlap and leave as few content words as possible without a place: the best few covers of a question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.plan.mentions import Mention, Token

BEAM = 10
# Words that turn an answer round or put it in order: a question is not answered as if they were not there.
_TURNING = ("negation", "superlative", "top", "common", "rare", "maximum", "minimum", "average", "sum", "blank", "starts_with", "ends_with")
_TURNED = 2.5
_WHOLE = ("compare", "superlative", "common", "rare")  # phrases that are not taken apart
_BOUNDS = ("more", "less", "at_least", "at_most")


@dataclass(frozen=True, slots=True)
class Cover:
    """Mentions in order; left are the indexes of content words that no mention takes."""

    score: float
    mentions: tuple[Mention, ...]
    left: tuple[int, ...]


def worth(mention: Mention, tokens: Sequence[Token]) -> float:
    """What a mention adds to a cover: its quality for each content word, a little for each further word."""
    part = tokens[mention.start : mention.end]
    content = sum(token.content for token in part) if mention.kind != "hours" else len(part)
    if mention.kind == "function":
        return 0.2 * len(part) + 0.06 * (len(part) - 1) + content
    if mention.kind == "value":
        content = sum(token.content or token.proper for token in part)
    whole = any(option.how == "exact" for option in mention.options)
    edges = (not part[0].content) + (not part[-1].content) if content and mention.kind == "value" and not whole else 0
    weight = max(content, 0.6) + 0.3 * (len(part) - content) - 0.25 * edges + 0.12 * (len(part) - 1)
    if mention.kind == "value" and part[0].quote and all(token.quote == part[0].quote for token in part):
        weight += 0.3
    if mention.kind == "noun":
        weight += 0.08
    if mention.kind == "hours":
        weight += 0.6
    if mention.kind in ("number", "date"):
        return mention.quality * weight * (0.9 if mention.kind == "number" else 1.0)
    if mention.kind == "column":
        return mention.quality * weight * 0.96
    return mention.quality * weight


def covers(mentions: Iterable[Mention], tokens: Sequence[Token]) -> list[Cover]:
    """The best covers, best first; one for each way to divide the question."""
    starting: dict[int, list[Mention]] = defaultdict(list)
    turning: set[int] = set()
    mentions = list(mentions)
    joints = {m.start for m in mentions if m.does("or", "and") and m.end == m.start + 1}
    wholes = [m for m in mentions if m.kind == "function" and m.end - m.start > 1 and m.does(*_WHOLE) and m.start not in joints]
    for mention in mentions:
        if mention.kind == "function" and any(m.start <= mention.start and mention.end <= m.end and m != mention for m in wholes):
            continue  # "at least" is no "at" and "least"
        starting[mention.start].append(mention)
        if mention.does_only(*_TURNING):
            turning.add(mention.end - 1)
        if any(function.kind == "compare" and function.detail[0] in _BOUNDS for function in mention.functions):
            turning |= {mention.start, mention.end - 1}
    best: list[list[Cover]] = [[] for _ in range(len(tokens) + 1)]
    best[0] = [Cover(0.0, (), ())]
    for place, token in enumerate(tokens):
        kept = sorted(best[place], key=lambda cover: -cover.score)[:BEAM]
        best[place] = kept
        for cover in kept:
            skipped = 1.3 if token.proper or token.quote else 1.0
            left = (*cover.left, place) if token.content else cover.left
            lost = skipped if token.content else _TURNED if place in turning else 0.6
            best[place + 1].append(Cover(cover.score - lost, cover.mentions, left))
            for mention in starting[place]:
                if any(t.quote != token.quote for t in tokens[place : mention.end]) and mention.kind != "function":
                    continue
                best[mention.end].append(Cover(cover.score + worth(mention, tokens), (*cover.mentions, mention), cover.left))
    return sorted(best[len(tokens)], key=lambda cover: -cover.score)[:BEAM]
