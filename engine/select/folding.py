"""Comparisons of texts in a query: both sides are folded, and what a column cannot be compared with is refused."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from engine.build.facts import ColumnFacts
from engine.errors import PlanError
from engine.fold import fold
from engine.select.origin import Origin, Origins, projection

FOLDED: Final = "folded"  # the function of that name, for a text that no folded column is stored of
_ORDERED = (exp.LT, exp.LTE, exp.GT, exp.GTE)
_SAME = (exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Is)
_PATTERN = (exp.Like, exp.Glob)
_DATE = re.compile(r"\d{4}(-\d\d(-\d\d([T ]\d\d:\d\d(:\d\d)?)?)?)?")
_TIME = re.compile(r"\d\d:\d\d(:\d\d)?")
_TRUE: Final = frozenset({"yes", "true", "y", "t", "1"})


@dataclass(frozen=True, slots=True)
class SelectLiteral:
    """A value that a query compares a textual column with, as it is written; whole says that it should be a term, and is no pattern.

    denied: whether it is not to be that; None where the query is too entangled to tell.
    """

    table: str
    column: str
    text: str
    whole: bool
    denied: bool | None = False


class Folding:
    """Rewrites a qualified tree; `literals` are what it met, `shadows` the columns that are now read folded, by id."""

    def __init__(self, origins: Origins) -> None:
        self._origins = origins
        self.literals: list[SelectLiteral] = []
        self.shadows: set[int] = set()

    def rewrite(self, tree: exp.Query) -> None:
        """Raises PlanError where a column is compared with what it cannot be."""
        for node in list(tree.walk()):
            if isinstance(node, (*_SAME, *_ORDERED, *_PATTERN)):
                self._comparison(node)
            elif isinstance(node, exp.In):
                self._membership(node)
            elif isinstance(node, exp.Between):
                self._against(node, node.this, [node.args["low"], node.args["high"]], whole=False)
            elif isinstance(node, exp.Case) and node.this is not None:
                self._against(node, node.this, [branch.this for branch in node.args["ifs"]], whole=True)
            elif isinstance(node, exp.Group) or (isinstance(node, exp.Distinct) and isinstance(node.parent, exp.Count)):
                for one in node.expressions:
                    self._fold_if_text(one)
            elif isinstance(node, exp.Window):
                for one in node.args.get("partition_by") or ():
                    self._fold_if_text(one)
            elif isinstance(node, exp.Ordered) and isinstance(node.this, exp.Column):
                self._order(node)

    def _comparison(self, node: exp.Binary) -> None:
        left, right = node.left, node.right
        if self._text(left) and self._text(right):
            self._fold(left)
            self._fold(right)
            return
        whole = isinstance(node, _SAME)
        if _literal(left) is not None and not isinstance(node, _PATTERN):
            left, right = right, left
        self._against(node, left, [right], whole)

    def _membership(self, node: exp.In) -> None:
        inner = node.args.get("query")
        if inner is None:
            self._against(node, node.this, node.expressions, whole=True)
        elif self._text(node.this):
            found = [self._only(query) for query in _branches(inner)]
            if all(one is not None and self._text(one) for one in found):
                self._fold(node.this)
                for one in found:
                    assert one is not None
                    self._fold(one)

    def _against(self, node: exp.Expr, subject: exp.Expr, values: Iterable[exp.Expr], whole: bool) -> None:
        written = [(value, literal) for value in values if (literal := _literal(value)) is not None]
        origin = self._origin(subject)
        if not written or origin is None or origin.column.facts is None:
            return
        name, facts = origin.column.name, origin.column.facts
        if origin.column.textual:
            if origin.column.listed and whole:
                items = f"{origin.table.name}__{name}"
                raise PlanError(f'"{name}" holds lists; ask for items, as in row_id IN (SELECT row_id FROM "{items}" WHERE item = ...).')
            self._fold(subject)
            for value, literal in written:
                self.literals.append(SelectLiteral(origin.table.table.name, facts.name, literal.this, whole, _denied(node)))
                value.replace(exp.Literal.string(fold(literal.this)))
        elif isinstance(node, _PATTERN):
            return
        elif facts.type == "boolean":
            for value, literal in written:
                if literal.is_string:
                    value.replace(exp.Literal.number(int(fold(literal.this) in _TRUE)))
        elif facts.numeric and any(literal.is_string for _, literal in written):
            raise PlanError(f'"{name}" holds numbers; compare it with a number.')
        elif facts.temporal and isinstance(subject, exp.Column):
            self._dates(subject, written, whole, facts)

    def _dates(self, subject: exp.Column, written: list[tuple[exp.Expr, exp.Literal]], whole: bool, facts: ColumnFacts) -> None:
        form, told = (_TIME, "times; write one as 18:30") if facts.type == "time" else (_DATE, "dates; write one as 2026-11-30")
        if not all(form.fullmatch(literal.this) for _, literal in written):
            raise PlanError(f'"{facts.name}" holds {told}.')
        for value, literal in written:
            value.replace(exp.Literal.string(literal.this.replace(" ", "T")))
        if (
            whole and facts.type == "datetime" and any(len(literal.this) == 10 for _, literal in written)
        ):  # a day is meant, whatever its hour
            ten = exp.Substring(start=exp.Literal.number(1), length=exp.Literal.number(10))
            ten.set("this", self._origins.copy(subject))
            subject.replace(ten)

    def _order(self, node: exp.Ordered) -> None:
        """Rows are ordered by the columns and not by what is shown of them."""
        select = node.find_ancestor(exp.Select, exp.SetOperation)
        if not isinstance(select, exp.Select) or select.args.get("distinct") or not isinstance(node.parent, exp.Order):
            return
        column = node.this
        if not column.table and node.parent.parent is select:
            named = projection(select, column.name)
            if not isinstance(named, exp.Column):
                return
            column.replace(self._origins.copy(named))
        origin = self._origins.of(node.this)
        if origin is not None and origin.direct and origin.column.textual:
            self._fold(node.this)

    def _fold_if_text(self, node: exp.Expr) -> None:
        if isinstance(node, exp.Column) and self._text(node):
            self._fold(node)

    def _fold(self, node: exp.Expr) -> None:
        """Replaces a text by its folded form."""
        inner = _bare(node)
        if isinstance(inner, exp.Column) and self._origins.is_direct(inner):
            self.shadows.add(id(inner))
            if inner is not node:
                node.replace(inner.pop())
        else:
            call = exp.Anonymous(this=FOLDED, expressions=[])
            node.replace(call)
            call.append("expressions", node)

    def _text(self, node: exp.Expr) -> bool:
        origin = self._origin(node)
        return origin is not None and origin.column.textual

    def _origin(self, node: exp.Expr) -> Origin | None:
        inner = _bare(node)
        if isinstance(inner, exp.Subquery):
            only = self._only(inner)
            return self._origin(only) if only is not None else None
        return self._origins.of(inner)

    def _only(self, query: exp.Expr) -> exp.Expr | None:
        while isinstance(query, (exp.Subquery, exp.SetOperation)):
            query = query.this
        return query.expressions[0].unalias() if isinstance(query, exp.Select) and len(query.expressions) == 1 else None


def _bare(node: exp.Expr) -> exp.Expr:
    """A text without what folding does anyway: brackets, small and capital letters, blanks around it."""
    while isinstance(node, (exp.Paren, exp.Lower, exp.Upper)) or (isinstance(node, exp.Trim) and not node.expression):
        node = node.this
    return node


def _literal(node: exp.Expr) -> exp.Literal | None:
    """The value that is written; None for anything else."""
    inner = _bare(node)
    return inner if isinstance(inner, exp.Literal) else None


def _denied(node: exp.Expr) -> bool | None:
    """Whether rows are kept that do not meet a comparison, and not those that do; None for one within another denial, a CASE or what is shown."""
    other = isinstance(node, (exp.NEQ, exp.NullSafeNEQ))
    child: exp.Expr = node
    within = isinstance(node, exp.Case)
    while (parent := child.parent) is not None and not within:
        if isinstance(parent, exp.Not) and _beneath(parent) is node:
            other = not other
        else:
            shown = isinstance(parent, exp.Select) and any(child is one for one in parent.expressions)
            taken_off = isinstance(parent, exp.Except) and parent.expression is child
            within = shown or taken_off or isinstance(parent, (exp.Not, exp.Case, exp.If))
        child = parent
    return None if within else other


def _beneath(node: exp.Not) -> exp.Expr:
    inner = node.this
    while isinstance(inner, exp.Paren):
        inner = inner.this
    found: exp.Expr = inner
    return found


def _branches(query: exp.Expr) -> list[exp.Expr]:
    while isinstance(query, exp.Subquery):
        query = query.this
    if isinstance(query, exp.SetOperation):
        return [*_branches(query.left), *_branches(query.right)]
    return [query]
