"""Reads one cover of a question as a plan: what is asked for, which rows, which figure, in which order."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.build.facts import TableFacts
from engine.plan.asked import is_answered, is_inspected, read_question_words, read_slots
from engine.plan.condition import Condition, clauses
from engine.plan.conditions import read_conditions
from engine.plan.draft import Draft
from engine.plan.groups import read_aggregates, read_count, read_grouping, read_having
from engine.plan.nodes import Node, Nodes
from engine.plan.order import read_limit, read_sorting, read_superlatives
from engine.types import Sort, TablePlan

_BOUNDS = ("more", "less", "at_least", "at_most")


@dataclass(slots=True)
class Parsed:
    """A plan with what made it; trouble speaks against the reading, left are words (token indexes) that it does not use."""

    plan: TablePlan
    conditions: list[Condition]
    trouble: float
    left: list[int] = field(default_factory=list)
    said: list[tuple[int, int, str, str]] = field(default_factory=list)  # (start, end, column, what): for the receipt
    inspected: bool = False
    asked: bool = False  # a question word is followed by the column that it asks for


def parse(nodes: Nodes, facts: TableFacts) -> Parsed:
    """The plan of a row of nodes over one table."""
    draft = Draft(nodes, facts)
    read_limit(draft)
    conditions, trouble = read_conditions(draft.nodes, draft.facts)
    draft.trouble += trouble
    read_having(draft, conditions)
    read_sorting(draft)
    read_grouping(draft)
    read_superlatives(draft)
    read_aggregates(draft)
    read_slots(draft)
    inspected = is_inspected(draft, conditions)
    read_count(draft, conditions)
    read_question_words(draft, conditions)
    weigh_strays(draft, conditions)
    plan = TablePlan(
        table=draft.facts.name,
        where=clauses(conditions),
        group_by=tuple(dict.fromkeys(draft.group)),
        measures=tuple(dict.fromkeys(draft.measures)),
        having=tuple(draft.having),
        sort=tuple(draft.sort),
        limit=draft.limit,
        select=tuple(dict.fromkeys(draft.select)),
        distinct=draft.distinct,
    )
    left = [node.mention.start for node in draft.nodes if node.kind == "unknown" and not node.used]
    return Parsed(plan, conditions, draft.trouble, left, draft.said, inspected, is_answered(draft))


def is_unheard(draft: Draft, node: Node) -> bool:
    """Whether a word that should order, compare or average did nothing."""
    if node.mention.does("superlative", "common", "rare", "starts_with", "ends_with"):
        return True
    if node.mention.does("compare"):
        behind = draft.nodes.right(node.place, 1)
        figure = (
            behind is not None
            and behind.number is not None
            and any(f.detail[0] in _BOUNDS for f in node.mention.functions if f.kind == "compare")
        )
        return figure or not node.mention.does("link", "stop", "place", "and")
    if node.mention.does_only("top"):
        return True
    if node.mention.does_only("sum"):
        return not draft.measures
    return node.mention.does("average") and all(m.function in ("count", "count_distinct") for m in draft.measures)


def weigh_strays(draft: Draft, conditions: list[Condition]) -> None:
    """Columns that are only mentioned speak a little against the reading; function words that found nothing to do, more."""
    if draft.limit is not None and not draft.sort and len(draft.asked) == 1 and draft.asked[0].columns[0].numeric:
        draft.sort.append(Sort(by=draft.asked[0].columns[0].name, descending=True))  # "top 5 salaries"
    if draft.ranked and not draft.sort:
        draft.trouble += 1.0
    if draft.group and any(isinstance(sort.by, str) and sort.by not in draft.group for sort in draft.sort):
        draft.trouble += 1.5  # the cheapest of each: more than one plan
    if len(draft.select) == 1 and not (conditions or draft.sort or draft.limit) and draft.facts.column(draft.select[0]).kind == "category":
        draft.distinct = draft.facts.column(draft.select[0]).list_separator is None  # "list of departments"
    for node in draft.nodes:
        if node.used:
            continue
        if node.kind == "column":
            draft.trouble += 0.05 if draft.is_naming(node) else 0.3
        elif node.kind == "number":
            draft.trouble += 1.5
        elif node.kind == "date":
            draft.trouble += 2.0
        elif node.kind == "function" and node.mention.does("negation") and not node.mention.does("link", "stop"):
            draft.trouble += 1.5
        elif node.kind == "function" and is_unheard(draft, node):
            draft.trouble += 1.0
        elif node.kind == "function" and node.mention.does("how_much") and not (draft.select or draft.measures):
            draft.trouble += 1.5
