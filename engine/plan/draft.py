"""A plan in the making."""

from __future__ import annotations

from engine.build.facts import ColumnFacts, TableFacts
from engine.plan.condition import Condition
from engine.plan.nodes import Node, Nodes
from engine.types import Having, Measure, Sort


class Draft:
    """What has been read of a question so far, over one table; trouble speaks against the reading."""

    def __init__(self, nodes: Nodes, facts: TableFacts) -> None:
        self.nodes = nodes
        self.facts = facts
        self.trouble = 0.0
        self.asked: list[Node] = []
        self.select: list[str] = []
        self.group: list[str] = []
        self.measures: list[Measure] = []
        self.having: list[Having] = []
        self.sort: list[Sort] = []
        self.limit: int | None = None
        self.ranked = False  # "top 3" wants an order, "first 3" takes what comes
        self.distinct = False
        self.said: list[tuple[int, int, str, str]] = []
        self.counting = any(node.does("count") for node in nodes)

    def ask(self, node: Node) -> None:
        """Asks for a column."""
        node.used, node.as_what = True, "asked"
        self.asked.append(node)
        self.select.append(node.columns[0].name)
        self.said.append((node.mention.start, node.mention.end, node.columns[0].name, "column"))

    def is_naming(self, node: Node) -> bool:
        """Whether a column names the rows."""
        return node.columns[0].name == self.facts.naming

    def coordinated(self, node: Node) -> list[Node]:
        """The columns that follow one by "and"."""
        found = []
        place = node.place
        while place + 2 < len(self.nodes.row):
            joining, other = self.nodes.row[place + 1 : place + 3]
            if not (joining.kind == "function" and joining.mention.does("and") and other.kind == "column" and not other.used):
                break
            found.append(other)
            place = other.place
        return found

    def is_dated(self, column: ColumnFacts) -> bool:
        """Whether a column tells when."""
        return column.temporal or bool({"date", "year", "season", "time"} & set(column.key.split()))

    def is_placed(self, condition: Condition) -> bool:
        """Whether a condition stands behind "in", "at", "near"."""
        before = self.nodes.row[condition.place - 1] if condition.place else None
        return before is not None and before.kind == "function" and before.mention.does("place")
