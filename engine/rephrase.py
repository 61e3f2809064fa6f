"""From a thread to one self-contained question, without a model: what goes on from the message before takes its conditions along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from engine.embedder import Embedder
from engine.fold import words_of
from engine.language import Language, language_of
from engine.plan.condition import Condition
from engine.plan.offline import Reading, readings
from engine.table import OpenTable
from engine.types import ChatThread, Question

MOST_TURNS = 8  # of the asker's own, the latest
_CUES = ("follow_other", "follow_more", "follow_place", "follow_them")


@dataclass(frozen=True, slots=True)
class _Said:
    """A message: its words without those that only tie it to the one before, how it is tied, and how it reads."""

    text: str
    cues: frozenset[str]
    reading: Reading | None


def rephrase(text: str, thread: ChatThread, tables: Sequence[OpenTable], embedder: Embedder, now: datetime) -> Question:
    """The question as it stands alone; only the asker's own earlier messages count."""
    language = language_of(text).code
    earlier = [turn.text for turn in thread.turns if turn.who == "asker"][-MOST_TURNS:]
    if not earlier or not tables:
        return Question(text=text, language=language)
    whole = earlier[0]
    carried: tuple[str, ...] = ()
    for message in (*earlier[1:], text):
        whole, carried = _follow(whole, message, tables, embedder, now)
    return Question(text=whole, language=language, carried=carried)


def _follow(before: str, message: str, tables: Sequence[OpenTable], embedder: Embedder, now: datetime) -> tuple[str, tuple[str, ...]]:
    """The message made whole with what it takes from the question before, and the phrases that it took."""
    said = _said(message, tables, embedder, now)
    if said.reading is None or _stands_alone(said):
        return message, ()
    old = _best(before, tables, embedder, now)
    if old is None or not (old.parsed.conditions or old.parsed.plan.select or old.parsed.plan.measures):
        return message, ()
    new = said.reading
    if not said.cues and not any(token.content for token in new.tokens) and not new.parsed.plan.measures:
        return message, ()  # "thanks!"
    replaced = dict(enumerate(new.parsed.conditions))
    asks = bool(new.parsed.plan.select or new.parsed.plan.measures or new.parsed.plan.group_by or new.parsed.plan.sort)
    columns = {condition.column.name for condition in new.parsed.conditions}
    adds = "follow_more" in said.cues
    kept = [
        condition
        for condition in old.parsed.conditions
        if condition.column.name not in columns or (adds and condition.column.list_separator is not None)
    ]
    nouns = any(mention.kind == "noun" for mention in new.cover.mentions)
    if "follow_place" in said.cues and (new.parsed.conditions or nouns):  # else "how many are there?"
        kept = [condition for condition in kept if _placed(condition, old)]
    if asks or "follow_place" in said.cues:
        phrases = [_phrase(condition, old, before, placed=True) for condition in kept]
        return _joined(said.text, phrases), tuple(phrases)
    whole, taken = before, list[Condition]()
    for condition in sorted(old.parsed.conditions, key=lambda condition: -condition.start):
        if condition in kept:
            continue
        other = next((p for p, c in replaced.items() if c.column.name == condition.column.name), None)
        start, end = _place(condition, old)
        whole = whole[:start] + (_phrase(replaced.pop(other), new, said.text) if other is not None else "") + whole[end:]
        taken.append(condition)
    rest = [_phrase(condition, new, said.text, placed=True) for condition in replaced.values()]
    rest += [new.tokens[place].word.text for place in new.lost]  # what has no place here has to be told
    return _joined(whole, rest), tuple(_phrase(condition, old, before) for condition in kept)


def _said(message: str, tables: Sequence[OpenTable], embedder: Embedder, now: datetime) -> _Said:
    language = language_of(message)
    text, cues = _without_cues(message, language)
    return _Said(text, cues, _best(text, tables, embedder, now))


def _best(text: str, tables: Sequence[OpenTable], embedder: Embedder, now: datetime) -> Reading | None:
    found = readings(text, language_of(text), tables, embedder, now) if text.strip() else []
    return found[0] if found else None


def _without_cues(message: str, language: Language) -> tuple[str, frozenset[str]]:
    """The message without the words that tie it: those at its beginning, and "there", "as well" wherever they stand."""
    words = list(words_of(message))
    cues: set[str] = set()
    dropped: list[tuple[int, int]] = []
    place, beginning = 0, True
    if words and any(
        "follow_other" in {f.kind for f in language.functions.get(words[0].folded[: -len(form)], ())} for form in words[0].bare
    ):
        cues.add("follow_other")  # a prefix that means "and"
    while place < len(words):
        for length in range(min(5, len(words) - place), 0, -1):
            phrase = " ".join(word.folded for word in words[place : place + length])
            kinds = [kind for kind in _CUES if language.does(phrase, kind)]
            if kinds and (beginning or kinds != ["follow_other"]):
                cues.update(kinds[:1])
                dropped.append((words[place].start, words[place + length - 1].end))
                place += length
                break
        else:
            beginning = beginning and language.does(words[place].folded, "stop")
            place += 1
    text = message
    for start, end in reversed(dropped):
        text = f"{text[:start]} {text[end:]}"
    return " ".join(text.split()).lstrip("!,. "), frozenset(cues)


def _stands_alone(said: _Said) -> bool:
    """Whether a message says by itself what it is about."""
    assert said.reading is not None
    parsed = said.reading.parsed
    if said.cues & {"follow_more", "follow_place", "follow_them"}:
        return False
    if said.cues:
        return len({condition.column.name for condition in parsed.conditions}) > 1
    nouns = any(mention.kind == "noun" for mention in said.reading.cover.mentions)
    if not (parsed.conditions or nouns or parsed.plan.group_by):
        return False  # "how many are there?", "their phone numbers"
    return len(parsed.conditions) != 1 or nouns or bool(parsed.plan.select or parsed.plan.measures or parsed.plan.group_by)


def _placed(condition: Condition, reading: Reading) -> bool:
    """Whether a condition stands behind "in", "at", "near"."""
    before = [m for m in reading.cover.mentions if m.end <= condition.start and m.kind == "function"]
    return any(m.does("place") for m in before if m.end >= condition.start - 1)


def _place(condition: Condition, reading: Reading) -> tuple[int, int]:
    return reading.tokens[condition.start].word.start, reading.tokens[condition.end - 1].word.end


def _phrase(condition: Condition, reading: Reading, text: str, placed: bool = False) -> str:
    """The words of a condition as they were written, with the preposition before them where that is wanted."""
    start, end = _place(condition, reading)
    if placed:
        for mention in reading.cover.mentions:
            if mention.kind == "function" and mention.does("place", "negation") and condition.start - 1 <= mention.end <= condition.start:
                start = min(start, reading.tokens[mention.start].word.start)
    return text[start:end]


def _joined(whole: str, phrases: Sequence[str]) -> str:
    ending = whole.rstrip()
    mark = ending[-1] if ending.endswith(("?", "!", ".")) else ""
    body = ending.rstrip("?!. ")
    return body + "".join(f" {phrase}" if phrase.split()[0].islower() else f", {phrase}" for phrase in phrases if phrase) + mark
