"""Terms, and numbers and dates that stand beside a column: which of the columns that hold them is meant."""

from __future__ import annotations

from engine.plan.columns import is_place
from engine.plan.comparisons import add_within
from engine.plan.condition import Condition, Reader, figure
from engine.plan.mentions import Option
from engine.plan.nodes import Node
from engine.types import Value

DOMINANT = 2.5  # a term of one column is meant rather than the same in another that holds it so many times less


def read_terms(reader: Reader) -> None:
    for node in reader.nodes:
        if node.used or (node.kind != "value" and node.kind not in ("number", "date")):
            continue
        if node.kind == "value":
            read_term(reader, node)
        else:
            read_literal(reader, node)


def read_term(reader: Reader, node: Node) -> None:
    options = list(node.options)
    chosen: Option | None = None
    qualifier: Node | None = None
    for beside in reader.beside(node):
        match = next((o for column in beside.columns for o in options if o.column.name == column.name and o.quality > 0.5), None)
        if match is not None:
            chosen, qualifier = match, beside
            break
    if chosen is None and node.number is not None and is_number_of_column(reader, node):
        return
    if chosen is None:
        chosen = as_before(reader, node)
    if chosen is None and is_belied(reader, node):
        reader.trouble += 1.2
    ambiguous = False
    if chosen is None:
        best = max(option.quality for option in options)
        close = [option for option in options if option.quality >= best - 0.12]
        before = reader.nodes.row[node.place - 1] if node.place else None
        if before is not None and before.mention.does("place"):  # "in Paris" is nobody's name
            close = [option for option in close if "name" not in option.column.key.split()] or close
            if not any(option.column.determines for option in close):
                close = [option for option in close if is_place(option.column)] or close
        chosen, ambiguous = narrowest(reader, close)
        if ambiguous and node.number is not None:
            years = [o for o in close if {"year", "season", "date"} & set(o.column.key.split())] if 1000 <= node.number <= 2999 else []
            if len(years) == 1:
                chosen, ambiguous = years[0], False
    ordered = [chosen, *(option for option in options if option is not chosen)]
    value: Value = chosen.value if not chosen.column.numeric else figure(node.number)
    condition = Condition(
        chosen.column,
        chosen.op,
        [value],
        node.mention.start,
        node.mention.end,
        chosen.how,
        ordered,
        ambiguous=ambiguous,
        place=node.place,
    )
    if chosen.column.temporal:
        condition.values = [chosen.folded]
    reader.trouble += 1.2 if ambiguous and node.number is not None else 0.0
    reader.add(condition, node, *([qualifier] if qualifier else []))


def as_before(reader: Reader, node: Node) -> Option | None:
    """ "London or Paris": the second term is of the first one's column, where that holds it."""
    joining = reader.nodes.row[node.place - 1] if node.place else None
    if (
        joining is None
        or joining.kind != "function"
        or not joining.mention.does("or", "and")
        or joining.mention.does("having")
        or not reader.found
    ):
        return None
    last = reader.found[-1]
    if last.end != joining.mention.start:
        return None
    return next((option for option in node.options if option.column.name == last.column.name and option.how != "part"), None)


def is_belied(reader: Reader, node: Node) -> bool:
    """Whether a column right before a term, or before "by" or "to", is none that holds it: "assigned to" somebody who only requested."""
    before = reader.nodes.row[node.place - 1] if node.place else None
    if before is not None and before.kind == "function" and reader.key(before) in ("by", "to") and before.place:
        before = reader.nodes.row[before.place - 1]
    return before is not None and before.kind == "column" and not before.used and before.columns[0].textual and not reader.asked_for(before)


def narrowest(reader: Reader, close: list[Option]) -> tuple[Option, bool]:
    """The option that is meant, and whether that is open: the column that determines the others, a whole term before a part, the naming column last."""
    if len(close) == 1:
        return close[0], False
    sure = [option for option in close if option.how in ("exact", "spelling", "number", "date", "part")]
    if sure and len(sure) < len(close):
        return narrowest(reader, sure)
    for option in close:
        others = [o for o in close if o is not option and o.column.name != option.column.name and o.how != "part"]
        if others and all(other.column.name in option.column.determines for other in others):
            return option, False
    whole = [option for option in close if option.how != "part"]
    if whole and len(whole) < len(close):
        return narrowest(reader, whole)
    same = {option.column.name for option in close}
    if len(same) == 1:
        return close[0], len(close) > 1 and close[0].quality - close[1].quality < {"near": 0.03, "meant": 0.06}.get(close[0].how, 0.0)
    equal = [option for option in close if option.rows == close[0].rows]
    if len(equal) == len(close):  # one word for the same rows, as far as can be told
        plain = [option for option in close if option.column.list_separator is None]
        return (plain or close)[0], len(same) > 1  # whether they are the same rows is seen when they are counted
    categories = [option for option in close if option.column.kind == "category"]
    if categories and len(categories) < len(close):
        return narrowest(reader, categories)
    naming = [option for option in close if option.column.name == reader.facts.naming]
    if naming and len(naming) < len(close):
        return naming[0], False
    ranked = sorted(close, key=lambda option: -option.rows)
    if ranked[0].rows >= DOMINANT * ranked[1].rows and not ranked[0].column.numeric:
        return ranked[0], False
    return max(close, key=lambda option: (option.quality, option.rows)), True


def is_number_of_column(reader: Reader, node: Node) -> bool:
    """A number beside a numeric column that does not hold it: a condition that nothing meets."""
    row = reader.nodes.row
    before = row[node.place - 1] if node.place else None
    if before is not None and before.kind == "column" and not before.used and before.columns[0].numeric and not node.options:
        reader.add(
            Condition(before.columns[0], "is", [figure(node.number)], node.mention.start, node.mention.end, "number", place=node.place),
            node,
            before,
        )
        return True
    return False


def read_literal(reader: Reader, node: Node) -> None:
    """A number or date that is no term: of the column beside it, or for a year the one column of dates."""
    beside = [other for other in reader.beside(node) if not other.used and not reader.asked_for(other)]
    if node.dates is not None:
        columns = [c for other in beside for c in other.columns if c.temporal] or [c for c in reader.facts.columns if c.temporal]
        if columns and (beside or len(columns) == 1):
            add_within(reader, columns[0], node, [other for other in beside if columns[0] in other.columns][:1])
            return
        reader.trouble += 2.0
        return
    assert node.number is not None
    for other in beside:
        for column in other.columns:
            if column.numeric and abs(other.place - node.place) <= 2:
                reader.add(
                    Condition(column, "is", [figure(node.number)], node.mention.start, node.mention.end, "number", place=node.place),
                    node,
                    other,
                )
                return
    if 1000 <= node.number <= 2999 and node.number.is_integer():
        temporal = [c for other in beside for c in other.columns if c.temporal] or [
            c for c in reader.facts.columns if c.temporal and c.type != "time"
        ]
        if len(temporal) == 1 or (temporal and beside):
            add_within(reader, temporal[0], node, [other for other in beside if temporal[0] in other.columns][:1])
