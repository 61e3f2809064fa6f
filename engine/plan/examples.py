"""Worked examples of the catalog: a question that is one of them but for its terms gets its plan with the terms exchanged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import datetime

from engine.embedder import Embedder
from engine.fold import fold
from engine.language import Language, language_of
from engine.plan.condition import Condition, figure
from engine.plan.mentions import Mention, span_text
from engine.plan.offline import Reading, readings
from engine.table import OpenTable
from engine.types import Comparison, TablePlan, Value

MOST_READINGS = 5


@dataclass(frozen=True, slots=True)
class Worked:
    """A plan made from an example, the reading of the question that it stands on, and what its terms became."""

    plan: TablePlan
    reading: Reading
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class _Shape:
    """A question without its terms: stems of the words that mean something, the columns of the terms; and the terms apart."""

    words: tuple[str, ...]
    mentions: tuple[Mention, ...]


def worked(found: Sequence[Reading], embedder: Embedder, now: datetime) -> Worked | None:
    """The plan of the first example that the question follows word for word but for its terms; None where there is none."""
    for reading in found[:MOST_READINGS]:
        shape = _shape(reading)
        for example, plan in _examples(reading.table, embedder, now):
            if example.words == shape.words and len(example.mentions) == len(shape.mentions):
                exchanged = {_term(old): _value(new) for old, new in zip(example.mentions, shape.mentions, strict=True)}
                made = _exchange(plan, exchanged)
                return Worked(made, reading, tuple(_conditions(made, shape.mentions, reading.table)))
    return None


def may_follow(table: OpenTable, stems: Set[str], embedder: Embedder, now: datetime) -> bool:
    """Whether a question of these words (stems) could follow an example: it has all that the example says besides its terms."""
    if not table.words.examples:
        return False
    return any({word.lstrip("?") for word in shape.words if word[:1] != "<"} <= stems for shape, _ in _examples(table, embedder, now))


def _examples(table: OpenTable, embedder: Embedder, now: datetime) -> list[tuple[_Shape, TablePlan]]:
    def read() -> list[tuple[_Shape, TablePlan]]:
        shapes = []
        for question, plan, _ in table.words.examples:
            if plan.table == table.name and (best := readings(question, _language(question), [table], embedder, now)):
                shapes.append((_shape(best[0]), plan))
        return shapes

    return table.remembered(("examples",), read)


def phrases_of(question: str, table: OpenTable, embedder: Embedder, now: datetime) -> dict[str, str]:
    """For the columns that an example's question has conditions on, its words for them."""

    def read() -> dict[str, str]:
        found = readings(question, language_of(question), [table], embedder, now)
        if not found:
            return {}
        conditions = found[0].parsed.conditions
        return {one.column.name: span_text(question, found[0].tokens, one.start, one.end) for one in conditions}

    return table.remembered(("example phrases", question), read)


def _language(question: str) -> Language:
    return language_of(question)


def _shape(reading: Reading) -> _Shape:
    words: list[str] = []
    mentions: list[Mention] = []
    taken: set[int] = set()
    for mention in reading.cover.mentions:
        if mention.kind in ("value", "number", "date"):
            mentions.append(mention)
            words.append(f"<{mention.options[0].column.name if mention.options else mention.kind}>")
            taken |= set(range(mention.start, mention.end))
        elif mention.kind == "function" and mention.does("stop"):
            taken |= set(range(mention.start, mention.end))
        else:
            words += [reading.tokens[place].stem for place in range(mention.start, mention.end)]
    words += [f"?{reading.tokens[place].stem}" for place in reading.cover.left]
    return _Shape(tuple(words), tuple(mentions))


def _term(mention: Mention) -> str:
    """What a mention stands for, in the form in which a plan's values are compared."""
    if mention.number is not None:
        return str(figure(mention.number))
    if mention.options:
        return fold(str(mention.options[0].value))
    return mention.dates[0] if mention.dates else ""


def _value(mention: Mention) -> str:
    """The term that a mention stands for, as the source spells it."""
    return str(mention.options[0].value) if mention.number is None and mention.options else _term(mention)


def _condition(mention: Mention) -> Condition:
    option = mention.options[0]
    value: Value = figure(mention.number) if option.column.numeric else option.value
    return Condition(option.column, option.op, [value], mention.start, mention.end, option.how, list(mention.options))


def _conditions(plan: TablePlan, mentions: Sequence[Mention], table: OpenTable) -> Iterator[Condition]:
    """What the terms of the question became: the plan's own tests, one that the plan has in the place of a mention's among them."""
    tests = [test for clause in plan.where for test in clause.any_of]
    read = [_condition(mention) for mention in mentions]
    own = [condition for condition in read if any(_says(test, condition) for test in tests)]
    others = [test for test in tests if not any(_says(test, condition) for condition in own)]
    for condition in read:
        if condition in own:
            yield condition
        elif others:
            test = others.pop(0)
            column = table.facts.column(test.column)
            yield Condition(column, test.op, list(test.values), condition.start, condition.end, "synonym")


def _says(test: Comparison, condition: Condition) -> bool:
    values = {fold(str(value)) for value in condition.values}
    return test.column == condition.column.name and values <= {fold(str(value)) for value in test.values}


def _exchange(plan: TablePlan, terms: dict[str, str]) -> TablePlan:
    def comparison(old: Comparison) -> Comparison:
        return old.model_copy(update={"values": tuple(_exchanged(value, terms) for value in old.values)})

    where = tuple(clause.model_copy(update={"any_of": tuple(map(comparison, clause.any_of))}) for clause in plan.where)
    return plan.model_copy(update={"where": where})


def _exchanged(value: Value, terms: dict[str, str]) -> Value:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        new = terms.get(str(figure(float(value))))
        return figure(float(new)) if new is not None else value
    return terms.get(fold(str(value)), value)
