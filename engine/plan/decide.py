"""Decides what the best reading is worth: a plan, a question back, or an honest "the table does not tell"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from engine.embedder import Embedder
from engine.execute import count_rows
from engine.fold import words_of
from engine.language import Language
from engine.plan.condition import Condition
from engine.plan.examples import worked
from engine.plan.offline import Reading, readings
from engine.table import OpenTable
from engine.types import Binding, Chosen, ClarifyPlan, Clause, Comparison, NoAnswerPlan, SqlPlan, TablePlan
from engine.types import Reading as Choice

MOST_TROUBLE = 0.95
WEAKEST = 0.55
MOST_LOST = 0.34  # share of the content words that a table which does not say what its rows are may leave


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided, and the reading that it stands on."""

    plan: TablePlan | SqlPlan | ClarifyPlan | NoAnswerPlan
    table: OpenTable | None = None
    reading: Reading | None = None
    unused: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    confidence: float = 0.0
    conditions: tuple[Condition, ...] = field(default=())
    receipt: tuple[Binding, ...] | None = None  # where it is known without a reading
    planner: Literal["offline", "model"] = "offline"
    notes: tuple[str, ...] = ()  # what the asker is to know besides


def decide(
    text: str,
    language: Language,
    tables: Sequence[OpenTable],
    embedder: Embedder,
    now: datetime,
    chosen: Sequence[Chosen] = (),
) -> Decision:
    """The plan of the best reading where every content word has its place."""
    words = [word.folded for word in words_of(text)]
    if not words:
        return Decision(NoAnswerPlan(reason="empty_question"), tables[0] if tables else None)
    first = next((word for word in words if not language.does(word, "stop")), words[0])
    second = words[words.index(first) + 1] if words.index(first) + 1 < len(words) else ""
    if first in language.commands and not language.does(second, "link"):  # "email of" asks for one
        return Decision(NoAnswerPlan(reason="not_a_question", words=(first,)))
    found = readings(text, language, tables, embedder, now, chosen)
    if not found:
        return Decision(NoAnswerPlan(reason="no_table"))
    if example := worked(found, embedder, now):
        alike = ("as in a worked example",)
        return Decision(example.plan, example.reading.table, example.reading, (), alike, 0.95, example.conditions)
    best = found[0]
    unused = tuple(best.tokens[place].word.text for place in best.lost)
    if not _says_something(best):
        return Decision(
            NoAnswerPlan(reason="words_without_a_place" if unused else "not_in_table", words=unused or tuple(words[:8])),
            best.table,
            best,
            unused,
        )
    if lost := _forbidden(best, language):
        return Decision(NoAnswerPlan(reason="words_without_a_place", words=lost), best.table, best, unused)
    if best.parsed.trouble > MOST_TROUBLE:
        return Decision(NoAnswerPlan(reason="not_in_table", words=unused or tuple(words[:12])), best.table, best, unused)
    for condition in best.parsed.conditions:
        if condition.ambiguous and (choices := _choices(best, condition, text)):
            return Decision(choices, best.table, best, unused)
    weakest = min((m.quality for m in best.cover.mentions if m.kind in ("value", "column", "noun")), default=1.0)
    if weakest < WEAKEST:
        weak = tuple(
            best.tokens[place].word.text
            for m in best.cover.mentions
            if m.kind in ("value", "column") and m.quality < WEAKEST
            for place in range(m.start, m.end)
        )
        return Decision(NoAnswerPlan(reason="words_without_a_place", words=weak), best.table, best, unused)
    confidence, reasons = _confidence(best, weakest, unused)
    facts = best.table.facts
    if facts.left_out:
        reasons = (*reasons, f"{len(facts.columns)} of {len(facts.columns) + facts.left_out} columns are asked")
    return Decision(best.parsed.plan, best.table, best, unused, reasons, confidence, tuple(best.parsed.conditions))


def _says_something(reading: Reading) -> bool:
    plan = reading.parsed.plan
    named = any(mention.kind == "noun" or (mention.does("row") and not reading.lost) for mention in reading.cover.mentions)
    if not named and not any(token.content or token.proper for token in reading.tokens) and not plan.where:
        return False  # "who?"
    return bool(plan.where or plan.select or plan.group_by or plan.sort or (plan.measures and (named or not reading.lost)) or named)


def _forbidden(reading: Reading, language: Language) -> tuple[str, ...]:
    """Words that may not stay without a place: all of them, or where nobody can know what a row is called, names, figures and what follows "in"."""
    if not reading.lost:
        return ()
    lost = [reading.tokens[place] for place in reading.lost]
    content = sum(token.content for token in reading.tokens)
    if reading.table.facts.declared or len(lost) > max(1, MOST_LOST * content):
        return tuple(token.word.text for token in lost)
    bad = [token for token in lost if token.proper or token.quote or token.word.folded in language.beyond]
    return tuple(token.word.text for token in bad)


def _choices(reading: Reading, condition: Condition, text: str) -> ClarifyPlan | None:
    """The readings of an ambiguous phrase with their counts; None where they give the same rows, or but one gives any."""
    phrase = text[reading.tokens[condition.start].word.start : reading.tokens[condition.end - 1].word.end]
    best = condition.options[0].quality
    seen: dict[tuple[str, str], Choice] = {}
    for option in condition.options:
        if option.quality < best - 0.12 or (option.column.name, option.folded) in seen:
            continue
        value = option.folded if option.column.temporal else condition.values[0] if option.column.numeric else option.value
        plan = _with(reading.parsed.plan, condition, Comparison(column=option.column.name, op=option.op, values=(value,)))
        rows = count_rows(plan, reading.table)
        label = f"{option.column.name} = {option.value}"
        seen[option.column.name, option.folded] = Choice(label=label, question=text, plan=plan, rows=rows)
    choices = [choice for choice in seen.values() if choice.rows]
    if len(choices) < 2 or _same_rows(reading, choices):
        return None
    return ClarifyPlan(reason="ambiguous", phrase=phrase, readings=tuple(choices[:5]))


def _same_rows(reading: Reading, choices: list[Choice]) -> bool:
    """Whether all readings give the same rows: as many as hold all of their conditions at once."""
    if len({choice.rows for choice in choices}) > 1:
        return False
    together = tuple(dict.fromkeys(clause for choice in choices for clause in choice.plan.where))
    return count_rows(choices[0].plan.model_copy(update={"where": together}), reading.table) == choices[0].rows


def _with(plan: TablePlan, condition: Condition, other: Comparison) -> TablePlan:
    old = condition.comparison()
    where = tuple(Clause(any_of=tuple(other if comparison == old else comparison for comparison in clause.any_of)) for clause in plan.where)
    return plan.model_copy(update={"where": where})


def _confidence(reading: Reading, weakest: float, unused: tuple[str, ...]) -> tuple[float, tuple[str, ...]]:
    value, reasons = 1.0, []
    if weakest < 0.95:
        value -= 0.95 - weakest
        reasons.append("a phrase was matched by likeness")
    if unused:
        value -= 0.1 * len(unused)
        reasons.append("not used: " + ", ".join(unused))
    if reading.parsed.trouble > 0:
        value -= 0.3 * reading.parsed.trouble
        reasons.append("the wording leaves room")
    return round(max(0.05, value), 2), tuple(reasons)
