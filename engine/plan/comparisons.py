"""Comparisons with numbers and dates: "more than 5", "between 3 and 9", "before 2003", "5-9"."""

from __future__ import annotations

from engine.build.facts import ColumnFacts
from engine.fold import stem
from engine.plan.condition import Condition, Reader, figure
from engine.plan.nodes import Node
from engine.types import How, Operator, Value

_AFTER_DATES = {"after": "more", "before": "less", "since": "at_least", "until": "at_most"}


def read_comparisons(reader: Reader) -> None:
    for node in reader.nodes:
        if not node.does("compare"):
            continue
        for function in node.mention.functions:
            if function.kind == "compare" and function.detail[0] == "between" and read_between(reader, node):
                break
        else:
            first = reader.nodes.tokens[node.mention.start].word
            trailing = any(reader.nodes.language.does(form, kind) for form in (first.folded,) for kind in ("or", "and"))
            trailing = trailing and node.mention.end - node.mention.start > 1
            literal = reader.nodes.left(node.place, 1) if trailing else reader.nodes.right(node.place, 2)
            if literal is not None and literal.kind == "column" and not trailing and not literal.used:
                literal = reader.nodes.right(literal.place, 1)  # "above floor 4"
            if literal is None or literal.used or (literal.number is None and literal.dates is None):
                continue
            compare(reader, node, literal)


def read_between(reader: Reader, node: Node) -> bool:
    low = reader.nodes.right(node.place, 2)
    if low is None or low.used:
        return False
    joining = reader.nodes.row[low.place + 1] if low.place + 1 < len(reader.nodes.row) else None
    high = reader.nodes.right(joining.place, 1) if joining is not None and joining.kind == "function" else None
    if joining is None or high is None or not joining.mention.does("and", "compare"):
        return False
    for side in ("number", "dates"):
        if getattr(low, side) is not None and getattr(high, side) is not None:
            column = measured_column(reader, node, high, side == "dates")
            if column is None:
                return False
            bounds = bounds_of(reader, column, low, "at_least")[1], bounds_of(reader, column, high, "at_most")[1]
            start, end = node.mention.start, high.mention.end
            reader.add(Condition(column, "at_least", [bounds[0]], start, end, "number", place=node.place), node, low, joining, high)
            reader.add(Condition(column, "at_most", [bounds[1]], start, end, "number", place=node.place), node)
            return True
    return False


def compare(reader: Reader, node: Node, literal: Node) -> None:
    details = [f.detail for f in node.mention.functions if f.kind == "compare" and f.detail[0] not in ("to", "between")]
    details.sort(key=len, reverse=True)
    if not details:
        return
    for detail in details:  # a comparison that says what it measures comes first
        column = measured_column(reader, node, literal, literal.dates is not None, detail[1:])
        if column is not None:
            break
    if column is None:
        if detail[0] in ("since", "until", "to", "between"):
            return  # "from", "by", "to" are mostly no comparison
        reader.trouble += 2.0
        literal.used, literal.as_what = True, "compared"  # of rows, it may turn out
        return
    op, value = bounds_of(reader, column, literal, _AFTER_DATES.get(detail[0], detail[0]))
    how: How = "date" if column.temporal else "number"
    reader.add(Condition(column, op, [value], node.mention.start, literal.mention.end, how, place=node.place), node, literal)


def bounds_of(reader: Reader, column: ColumnFacts, literal: Node, op: str) -> tuple[Operator, Value]:
    """The operator and the value in the column's terms; a year or month is its first or last day."""
    if not column.temporal:
        return op, figure(literal.number)  # type: ignore[return-value]
    first, last = literal.dates or (f"{int(literal.number or 0):04d}-01-01", f"{int(literal.number or 0):04d}-12-31")
    value = last if op in ("more", "at_most") else first
    if column.type == "datetime":
        value += "T23:59:59" if op in ("more", "at_most") else "T00:00:00"
    return op, value  # type: ignore[return-value]


def measured_column(reader: Reader, node: Node, literal: Node, dated: bool, about: tuple[str, ...] = ()) -> ColumnFacts | None:
    """The column that a comparison is about: named beside it, said by the comparison itself, or the only one that fits."""
    fits = [c for c in reader.facts.columns if c.temporal or (c.numeric and dated is False)]
    if dated:
        fits = [c for c in reader.facts.columns if c.temporal]
    if literal.number is not None and not dated and not (1000 <= literal.number <= 2999):
        fits = [c for c in fits if not c.temporal]
    after = reader.nodes.row[literal.place + 1] if literal.place + 1 < len(reader.nodes.row) else None
    before = reader.nodes.left(min(node.place, literal.place), 3)  # "rating 4 or more"
    between = [other for other in reader.nodes.row[node.place + 1 : literal.place] if other.kind == "column"]
    for candidate in (*between, after, before, reader.nodes.right(literal.place, 1)):
        if candidate is None or candidate.kind != "column" or candidate.used:
            continue
        if candidate is not before and reader.nodes.broken_between(literal.place, candidate.place):
            continue
        for column in candidate.columns:
            if column in fits:
                if candidate is before and reader.asked_for(candidate):
                    break
                candidate.used, candidate.as_what = True, "condition"
                return column
    for word in about:
        for column in fits:
            if stem(word) in column.key.split() or stem(word) in [stem(w) for w in column.key.split()]:
                return column
    if about:
        return None
    named = [
        column
        for other in reader.nodes
        if other.kind == "column" and not reader.asked_for(other)
        for column in other.columns[:1]
        if column in fits
    ]
    if len({column.name for column in named}) == 1:
        for other in reader.nodes:
            if other.kind == "column" and other.columns[0].name == named[0].name:
                other.used, other.as_what = True, "condition"
        return named[0]
    compared = [condition.column for condition in reader.found if condition.column in fits and condition.how in ("number", "date")]
    if compared:
        return compared[-1]
    if dated or (literal.number is not None and 1000 <= literal.number <= 2999):
        years = [c for c in fits if c.temporal] or [c for c in fits if c.numeric and {"year", "season", "date"} & set(c.key.split())]
        return years[0] if len(years) == 1 else None
    numeric = [c for c in fits if c.numeric]
    return numeric[0] if len(numeric) == 1 else None


def read_ranges(reader: Reader) -> None:
    """ "size 5-9" and "size 250+", beside a column of numbers."""
    for node in reader.nodes:
        if node.number is None or node.used or any(option.column.textual for option in node.options):
            continue
        column = next((c for other in reader.beside(node) if not other.used for c in other.columns if c.numeric), None)
        behind = reader.nodes.row[node.place + 1] if node.place + 1 < len(reader.nodes.row) else None
        after = reader.nodes.tokens[node.mention.end - 1].after
        named = next((other for other in reader.beside(node) if column in other.columns), None)
        if column is None or named is None:
            continue
        low = Condition(column, "at_least", [figure(node.number)], node.mention.start, node.mention.end, "number", place=node.place)
        if after in ("-", "–", "—") and behind is not None and behind.number is not None and behind.number >= node.number:
            reader.add(low, node, named)
            high: list[Value] = [figure(behind.number)]
            reader.add(Condition(column, "at_most", high, behind.mention.start, behind.mention.end, "number", place=node.place), behind)
        elif after.startswith("+"):
            reader.add(low, node, named)


def add_within(reader: Reader, column: ColumnFacts, node: Node, qualifiers: list[Node]) -> None:
    low, high = bounds_of(reader, column, node, "at_least")[1], bounds_of(reader, column, node, "at_most")[1]
    if low == high:
        reader.add(Condition(column, "is", [low], node.mention.start, node.mention.end, "date", place=node.place), node, *qualifiers)
        return
    reader.add(Condition(column, "at_least", [low], node.mention.start, node.mention.end, "date", place=node.place), node, *qualifiers)
    reader.add(Condition(column, "at_most", [high], node.mention.start, node.mention.end, "date", place=node.place), node)
