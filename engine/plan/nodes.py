"""The mentions of one cover as a row of nodes, in which neighbours are looked up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from engine.build.facts import ColumnFacts
from engine.language import Language
from engine.plan.cover import Cover
from engine.plan.mentions import Mention, Option, Token

_TYING = ("stop", "link", "place", "verb", "name_of", "row")


@dataclass(slots=True)
class Node:
    """A mention in its place, or a word without one (kind "unknown"); used once something has been made of it."""

    place: int
    mention: Mention
    kind: str
    used: bool = False
    as_what: str = ""  # what was made of it

    def does(self, *kinds: str) -> bool:
        """Whether it is an unused function phrase of one of these kinds."""
        return self.kind == "function" and not self.used and self.mention.does(*kinds)

    def detail(self, kind: str) -> tuple[str, ...]:
        """The detail of its function of that kind."""
        return next((f.detail for f in self.mention.functions if f.kind == kind), ())

    @property
    def number(self) -> float | None:
        """Its number, where it is one."""
        return self.mention.number

    @property
    def dates(self) -> tuple[str, str] | None:
        """Its first and last day, where it is a date."""
        return self.mention.dates

    @property
    def columns(self) -> tuple[ColumnFacts, ...]:
        """The columns that it may name, best first."""
        return tuple(column for column, _ in self.mention.columns)

    @property
    def options(self) -> tuple[Option, ...]:
        """The terms that it may mean, best first."""
        return self.mention.options


@dataclass(slots=True)
class Nodes:
    """The row of nodes of a question."""

    tokens: Sequence[Token]
    language: Language
    row: list[Node] = field(default_factory=list)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.row)

    def tying(self, node: Node) -> bool:
        """Whether a node only ties its neighbours together."""
        if node.kind == "function":
            return node.mention.does(*_TYING) and not node.mention.does("negation")
        return False

    def right(self, place: int, skip: int = 3) -> Node | None:
        """The next node that is more than a tie, over at most `skip` ties."""
        for node in self.row[place + 1 : place + 2 + skip]:
            if not self.tying(node):
                return node
            if self._broken(node):
                return None
        return None

    def left(self, place: int, skip: int = 3) -> Node | None:
        """The node before that is more than a tie, over at most `skip` ties."""
        for node in reversed(self.row[max(0, place - 1 - skip) : place]):
            if self._broken(node):
                return None
            if not self.tying(node):
                return node
        return None

    def broken_between(self, one: int, other: int) -> bool:
        """Whether a comma, semicolon or full stop stands between two nodes."""
        low, high = sorted((one, other))
        return any(self._broken(node) for node in self.row[low:high])

    def _broken(self, node: Node) -> bool:
        return self.tokens[node.mention.end - 1].breaks

    def between(self, one: int, other: int) -> list[Node]:
        """The nodes between two places."""
        low, high = sorted((one, other))
        return self.row[low + 1 : high]


def nodes_of(cover: Cover, tokens: Sequence[Token], language: Language) -> Nodes:
    """A cover's mentions, and its left words as unknown nodes, in order."""
    mentions = [*cover.mentions, *(Mention(index, index + 1, "function", 0.0) for index in cover.left)]
    nodes = Nodes(tokens, language)
    left = set(cover.left)
    for mention in sorted(mentions, key=lambda m: m.start):
        kind = "unknown" if mention.start in left and mention.quality == 0.0 and not mention.functions else mention.kind
        nodes.row.append(Node(len(nodes.row), mention, kind))
    return nodes
