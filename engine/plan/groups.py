"""Figures and groups: counts, sums, averages, "per city", "with at least two"."""

from __future__ import annotations

from engine.build.facts import ColumnFacts
from engine.plan.condition import Condition
from engine.plan.draft import Draft
from engine.plan.nodes import Node
from engine.plan.order import order_rows, rank_by_count
from engine.types import Having, Measure


def read_having(draft: Draft, conditions: list[Condition]) -> None:
    """ "with at least two paragraphs": a comparison of a number with rows that no column takes."""
    for node in draft.nodes:
        if not node.does("compare") or node.used:
            continue
        (literal,) = [draft.nodes.right(node.place, 1)]
        if literal is None or literal.number is None or (literal.used and literal.as_what != "compared"):
            continue
        counted = draft.nodes.right(literal.place, 1)
        if counted is not None and counted.kind in ("noun",) and node.detail("compare")[0] in ("more", "less", "at_least", "at_most"):
            draft.having.append(Having(measure=Measure(function="count"), op=node.detail("compare")[0], value=literal.number))  # type: ignore[arg-type]
            for used in (node, literal, counted):
                used.used, used.as_what = True, "having"
            draft.trouble = max(0.0, draft.trouble - 2.0)


def read_grouping(draft: Draft) -> None:
    for node in draft.nodes:
        if not node.does("each"):
            continue
        target = draft.nodes.right(node.place, 2)
        if target is None or target.kind != "column" or target.used:
            if draft.limit is not None and target is not None and target.does("count"):
                rank_by_count(draft, node, target)
            continue
        if not is_figured(draft) and not (node.mention.does_only("each") and has_rows_before(draft, node)):
            continue  # "each" or "by" without a figure is no grouping; "films per country" are counted
        column = target.columns[0]
        target.used = node.used = True
        if draft.limit is not None and (column.numeric or column.temporal) and not node.mention.does_only("each"):
            target.as_what = "sort"  # "top 3 films by gross"
            order_rows(draft, column, True, node)
            continue
        target.as_what = "group"
        draft.group.append(column.name)
        draft.said.append((node.mention.start, target.mention.end, column.name, "column"))
        for other in draft.coordinated(target):  # "per team and office"
            other.used, other.as_what = True, "group"
            draft.group.append(other.columns[0].name)


def has_rows_before(draft: Draft, node: Node) -> bool:
    before = draft.nodes.left(node.place, 2)
    return before is not None and before.kind == "noun"


def is_figured(draft: Draft) -> bool:
    return any(
        node.mention.does("count", "average", "sum", "minimum", "maximum", "superlative") for node in draft.nodes if node.kind == "function"
    )


def read_aggregates(draft: Draft) -> None:
    for node in draft.nodes:
        kind = next((k for k in ("average", "sum", "minimum", "maximum") if node.does(k)), None)
        if kind is None:
            continue
        target, column = averaged_column(draft, node, kind)
        if target is None or column is None:
            continue
        node.used = target.used = True
        target.as_what = "measure"
        function = {"average": "average", "sum": "sum", "minimum": "min", "maximum": "max"}[kind]
        draft.measures.append(Measure(function=function, column=column.name))  # type: ignore[arg-type]
        draft.said.append((node.mention.start, target.mention.end, column.name, "measure"))
        for other in draft.coordinated(target):  # "average price and quantity"
            if other.columns[0].numeric:
                other.used, other.as_what = True, "measure"
                draft.measures.append(Measure(function=function, column=other.columns[0].name))  # type: ignore[arg-type]


def averaged_column(draft: Draft, node: Node, kind: str) -> tuple[Node | None, ColumnFacts | None]:
    """The column that an average or sum is of: behind it, or, as adjectives stand in some languages, right before it."""
    before = draft.nodes.row[node.place - 1] if node.place else None
    for target in (draft.nodes.right(node.place, 3), before):
        if target is not None and target.kind == "column" and not target.used:
            column = next((c for c in target.columns if c.numeric or (c.temporal and kind in ("minimum", "maximum"))), None)
            if column is not None:
                return target, column
    return None, None


def read_count(draft: Draft, conditions: list[Condition]) -> None:
    node = next((n for n in draft.nodes if n.does("count")), None)
    if node is None:
        return
    if node.place and draft.nodes.row[node.place - 1].kind == "column":
        draft.trouble += 1.0  # "phone number of" counts nothing
    node.used = True
    said = draft.nodes.tokens[node.mention.start : node.mention.end]
    several = draft.distinct or any(draft.nodes.language.does(token.word.folded, "different") for token in said)
    behind = [a for a in draft.asked if a.place > node.place and all(n.kind != "value" for n in draft.nodes.between(node.place, a.place))]
    counted = (
        behind[0]
        if behind
        and all(
            draft.nodes.tying(n) or n.kind == "noun" or n.mention.does("different") or n.as_what == "asked"
            for n in draft.nodes.between(node.place, behind[0].place)
        )
        else None
    )
    if counted is None:
        draft.measures.append(Measure(function="count"))
        if draft.asked and not draft.group:  # "list each language and the number of channels"
            draft.group = [asked.columns[0].name for asked in draft.asked]
        draft.select = []
        return
    column = counted.columns[0]
    if column.numeric and not several and not draft.group and not is_identifier(draft, column):
        summed = next((n for n in draft.nodes if n.does("sum")), None)
        if summed is not None or any(condition.joined for condition in conditions):
            add_sum(draft, column, summed)
        return  # "how many points": the figure stands in the column
    draft.select = [name for name in draft.select if name != column.name]
    whole = (column.name == draft.facts.naming and not several) or draft.group
    further = [a for a in draft.asked if a is not counted and a.place > counted.place] if several else []
    draft.measures.append(Measure(function="count") if whole else Measure(function="count_distinct", column=column.name))
    for other in further:
        draft.measures.append(Measure(function="count_distinct", column=other.columns[0].name))
        draft.select = [name for name in draft.select if name != other.columns[0].name]
    if draft.select and not draft.group:
        draft.group, draft.select = list(draft.select), []
    draft.distinct = False


def add_sum(draft: Draft, column: ColumnFacts, summed: Node | None) -> None:
    """ "how many points have A and B together"."""
    if summed is not None:
        summed.used = True
    draft.select = [name for name in draft.select if name != column.name]
    draft.measures.append(Measure(function="sum", column=column.name))


def is_identifier(draft: Draft, column: ColumnFacts) -> bool:
    return column.distinct == draft.facts.rows and bool({"id", "code", "nr", "no"} & set(column.key.split()))
