"""A condition on its way into the plan, and what is known while the conditions of a question are read."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.build.facts import ColumnFacts, TableFacts
from engine.plan.mentions import Option
from engine.plan.nodes import Node, Nodes
from engine.types import Clause, Comparison, How, Operator, Value

_NEGATED: dict[str, Operator] = {
    "is": "is_not", "has": "has_none", "less": "at_least", "more": "at_most", "at_least": "less", "at_most": "more", "blank": "not_blank", "not_blank": "blank",
    "contains": "not_contains", "open": "closed", "closed": "open",
}  # fmt: skip


@dataclass(slots=True)
class Condition:
    """One test on its way into the plan; start and end are the tokens that say it."""

    column: ColumnFacts
    op: Operator
    values: list[Value]
    start: int
    end: int
    how: How = "exact"
    options: list[Option] = field(default_factory=list)  # the readings, the chosen one first
    negative: bool = False
    joined: bool = False  # with the one before it by "or"
    ambiguous: bool = False
    place: int = 0  # of its main node

    def comparison(self) -> Comparison:
        """The test as the plan has it."""
        op = _NEGATED.get(self.op, self.op) if self.negative else self.op
        return Comparison(column=self.column.name, op=op, values=tuple(self.values))

    @property
    def deniable(self) -> bool:
        """Whether a plan can say its opposite in one test."""
        return self.op in _NEGATED


def figure(number: float | None) -> int | float | None:
    """A number as it is written: whole without a point."""
    return int(number) if number is not None and number.is_integer() else number


class Reader:
    """Reads the conditions of a row of nodes; `trouble` sums up what speaks against the reading."""

    def __init__(self, nodes: Nodes, facts: TableFacts) -> None:
        self.nodes = nodes
        self.facts = facts
        self.found: list[Condition] = []
        self.trouble = 0.0

    def add(self, condition: Condition, *nodes: Node) -> None:
        """Takes a condition, and the nodes that say it."""
        for node in nodes:
            node.used = True
            node.as_what = node.as_what or "condition"
            condition.start = min(condition.start, node.mention.start)
            condition.end = max(condition.end, node.mention.end)
        self.found.append(condition)

    def key(self, node: Node) -> str:
        """The words of a node as they are looked up."""
        return " ".join(token.word.folded for token in self.nodes.tokens[node.mention.start : node.mention.end])

    def asked_for(self, node: Node) -> bool:
        """Whether a column stands right behind a question word: what is asked for is no condition."""
        for before in reversed(self.nodes.row[: node.place]):
            if before.kind != "function":
                return False
            if before.mention.does("ask", "which", "count", "who", "where", "when"):
                return True
            if not before.mention.does("stop", "link", "superlative", "different"):
                return False
        return False

    def beside(self, node: Node) -> list[Node]:
        """Column nodes beside a value, the nearest first: right behind, right before, before over ties, behind over ties."""
        row = self.nodes.row
        close = [
            row[p]
            for p in ((node.place + 1, node.place - 1) if node.number is not None else (node.place - 1, node.place + 1))
            if 0 <= p < len(row)
        ]
        near = [found for found in (self.nodes.left(node.place, 4), self.nodes.right(node.place, 4)) if found is not None]
        seen: dict[int, Node] = {}
        for other in (*close, *near):
            if (
                other.kind == "column"
                and (not other.used or other.as_what == "condition")
                and not self.nodes.broken_between(min(other.place, node.place), max(other.place, node.place))
            ):
                seen.setdefault(other.place, other)
        return list(seen.values())


def clauses(conditions: list[Condition]) -> tuple[Clause, ...]:
    """The conditions as the plan's clauses: joined ones in one, same tests of one column with several values."""
    groups: list[list[Condition]] = []
    for condition in conditions:
        if condition.joined and groups and not condition.negative:
            groups[-1].append(condition)
        else:
            groups.append([condition])
    result = []
    for group in groups:
        comparisons: list[Comparison] = []
        for condition in group:
            made = condition.comparison()
            for place, known in enumerate(comparisons):
                if known.column == made.column and known.op == made.op and made.op in ("is", "has", "starts_with", "words"):
                    comparisons[place] = known.model_copy(update={"values": tuple(dict.fromkeys((*known.values, *made.values)))})
                    break
            else:
                comparisons.append(made)
        result.append(Clause(any_of=tuple(comparisons)))
    return tuple(dict.fromkeys(result))
