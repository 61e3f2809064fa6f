"""What the rows must hold: every condition of a reading, in the order of the question."""

from __future__ import annotations

from itertools import groupby

from engine.build.facts import TableFacts
from engine.hours import written
from engine.plan.absence import read_blanks, read_marks, read_negations, read_owned
from engine.plan.beginnings import read_beginnings
from engine.plan.comparisons import read_comparisons, read_ranges
from engine.plan.condition import Condition, Reader
from engine.plan.joins import join_alternatives
from engine.plan.nodes import Nodes
from engine.plan.values import read_terms
from engine.types import Operator


def read_conditions(nodes: Nodes, facts: TableFacts) -> tuple[list[Condition], float]:
    """All conditions, in the order of the question, and what speaks against them."""
    reader = Reader(nodes, facts)
    read_hours(reader)
    read_comparisons(reader)
    read_ranges(reader)
    read_beginnings(reader)
    read_terms(reader)
    read_blanks(reader)
    read_marks(reader)
    read_owned(reader)
    reader.found.sort(key=lambda condition: condition.start)
    read_negations(reader)
    join_alternatives(reader)
    return reader.found, reader.trouble


def read_hours(reader: Reader) -> None:
    column = next((column for column in reader.facts.columns if column.hours), None)
    for node in reader.nodes:
        if column is None or node.kind != "hours":
            continue
        beside = reader.nodes.left(node.place, 2)
        named = [beside] if beside is not None and beside.kind == "column" and beside.columns[0].name == column.name else []
        for (*_, closed, alternative), whens in groupby(node.mention.whens, lambda w: (w.start, w.end, w.whole, w.closed, w.alternative)):
            op: Operator = "closed" if closed else "open"
            time = written(list(whens))
            condition = Condition(column, op, [time], node.mention.start, node.mention.end, joined=alternative, place=node.place)
            reader.add(condition, node, *(other for other in named if not reader.asked_for(other)))
