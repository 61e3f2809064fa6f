"""The columns of a query's result: what each is called, what it holds, and why it is shown."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from engine.select.origin import Origin, Origins
from engine.types import ColumnType, Role

_KEEPING = (exp.Min, exp.Max, exp.Coalesce, exp.Nullif, exp.Abs, exp.Round, exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue)
_COUNTING = (exp.Count, exp.RowNumber, exp.Rank, exp.DenseRank, exp.Ntile, exp.Length, exp.StrPosition)
_ROUGH: Final = frozenset({"money", "percent"})  # figures computed of these are shown as numbers


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """A column of the result; type is None where only the values tell."""

    name: str
    type: ColumnType | None
    role: Role


def shape(tree: exp.Query, origins: Origins, spelling: dict[str, str]) -> tuple[OutputColumn, ...]:
    """The columns of a qualified tree; spelling has the query's own names as they were written."""
    select = outer(tree)
    found = [(one, origins.of(one.unalias())) for one in select.expressions]
    names = Counter(origin.column.name for _, origin in found if origin)
    tables = {origin.table.name for _, origin in found if origin}
    conditions = _conditions(tree, origins)
    columns: list[OutputColumn] = []
    for one, origin in found:
        role: Role = "answer"
        if origin is None:
            name = spelling.get(one.alias_or_name, one.alias_or_name)
        else:
            twice = names[origin.column.name] > 1
            written = spelling.get(one.alias_or_name, origin.column.name)
            name = (f"{origin.column.name} ({origin.table.name})" if len(tables) > 1 else written) if twice else origin.column.name
            role = _role(origin, conditions)
        same = sum(column.name == name or column.name.startswith(f"{name} (") for column in columns)
        columns.append(
            OutputColumn(f"{name} ({same + 1})" if any(c.name == name for c in columns) else name, _type(one.unalias(), origins), role)
        )
    if all(column.role != "answer" for column in columns):
        chosen = next((n for n, column in enumerate(columns) if column.role == "key"), 0)
        columns[chosen] = OutputColumn(columns[chosen].name, columns[chosen].type, "answer")
    return tuple(columns)


def outer(query: exp.Expr) -> exp.Select:
    """The SELECT that names the result's columns: of several, the first."""
    while not isinstance(query, exp.Select):
        query = query.this
    return query


def _role(origin: Origin, conditions: set[tuple[str, str]]) -> Role:
    facts = origin.table.table.facts
    if origin.column.facts is not None and origin.column.facts.name in (facts.naming, *facts.keys):
        return "key"
    return "condition" if (origin.table.name, origin.column.name) in conditions else "answer"


def _conditions(tree: exp.Query, origins: Origins) -> set[tuple[str, str]]:
    """The columns that rows are filtered or ordered by, anywhere in the query."""
    met = set()
    for column in tree.find_all(exp.Column):
        where = column.find_ancestor(exp.Where, exp.Having, exp.Order, exp.Select)
        named = column
        if isinstance(where, exp.Order) and not column.table:
            named = next((o.unalias() for o in outer(tree).expressions if o.alias_or_name == column.name), column)
        origin = origins.of(named)
        if origin is not None and not isinstance(where, exp.Select):
            met.add((origin.table.name, origin.column.name))
    return met


def _type(node: exp.Expr, origins: Origins) -> ColumnType | None:
    while isinstance(node, (exp.Paren, exp.Window, exp.Filter, exp.Distinct)):
        node = node.this if node.this is not None else node.expressions[0]
    if isinstance(node, exp.Column):
        origin = origins.of(node)
        if origin is None:
            return None
        return origin.column.facts.type if origin.column.facts is not None else "integer"
    if isinstance(node, _COUNTING):
        return "integer"
    if isinstance(node, exp.Avg):
        return "decimal"
    if isinstance(node, (*_KEEPING, exp.Sum)):
        inner = _type(node.this, origins)
        return "decimal" if inner in _ROUGH else inner
    return None
