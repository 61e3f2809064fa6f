"""Where the columns of a query come from: through aliases, subqueries, named subqueries and stars, down to a column of a source."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from engine.select.seen import ROW_ID, Seen, SeenColumn, SeenTable


@dataclass(frozen=True, slots=True)
class Origin:
    """A column of a table; direct says that the query reads it there and not from a subquery."""

    table: SeenTable
    column: SeenColumn
    direct: bool


class Origins:
    """The origins of all columns of a qualified tree."""

    def __init__(self, tree: exp.Query, seen: Seen) -> None:
        self._seen = seen
        self._sources: dict[int, exp.Table | Scope] = {}
        self._kept: list[exp.Expr] = []  # an id is only a name while its node lives
        self.tables: list[exp.Table] = []
        scopes = traverse_scope(tree)
        for scope in scopes:
            self._without_numbers(scope)
            self.tables += [source for _, (_, source) in scope.selected_sources.items() if isinstance(source, exp.Table)]
        for scope in traverse_scope(tree):
            for column in scope.find_all(exp.Column):
                source = _source(column, scope)
                if source is not None:
                    self._know(column, source)

    def of(self, column: exp.Expr) -> Origin | None:
        """Where a column comes from; None for what is computed, and for a name of the query's own."""
        source = self._sources.get(id(column))
        if source is None:
            return None
        if isinstance(source, exp.Table):
            table = self._seen.tables[source.name]
            return Origin(table, table.columns[column.name], direct=True)
        found = projection(source.expression, column.name)
        inner = self.of(found) if isinstance(found, exp.Column) else None
        return Origin(inner.table, inner.column, direct=False) if inner else None

    def copy(self, column: exp.Column) -> exp.Column:
        """The same column at another place of the query."""
        twin = column.copy()
        if id(column) in self._sources:
            self._know(twin, self._sources[id(column)])
        return twin

    def columns(self) -> list[exp.Column]:
        """All columns that come from a table or a subquery."""
        return [column for column in self._kept if isinstance(column, exp.Column)]

    def is_direct(self, column: exp.Column) -> bool:
        """Whether the column is read from a table."""
        return isinstance(self._sources.get(id(column)), exp.Table)

    def _know(self, column: exp.Column, source: exp.Table | Scope) -> None:
        self._sources[id(column)] = source
        self._kept.append(column)

    def _without_numbers(self, scope: Scope) -> None:
        """A star gives the columns of the source, and not the number of the row beside them."""
        if not isinstance(scope.expression, exp.Select):
            return
        kept = []
        for one in scope.expression.expressions:
            column = one.unalias()
            starred = isinstance(column, exp.Column) and "line" not in column.this.meta
            if starred and column.name == ROW_ID and column.table in scope.sources:
                source = scope.sources[column.table]
                if isinstance(source, exp.Table):
                    if self._seen.tables[source.name].columns[ROW_ID].facts is None and self._seen.tables[source.name].stored == "rows":
                        continue
                elif projection(source.expression, ROW_ID) is None:
                    continue
            kept.append(one)
        scope.expression.set("expressions", kept)


def _source(column: exp.Column, scope: Scope | None) -> exp.Table | Scope | None:
    while scope is not None and column.table:
        source = scope.sources.get(column.table)
        if isinstance(source, (exp.Table, Scope)):
            return source
        scope = scope.parent
    return None


def projection(query: exp.Expr, name: str) -> exp.Expr | None:
    """What a query gives under a name, without the name."""
    while isinstance(query, (exp.SetOperation, exp.Subquery)):
        query = query.this
    one: exp.Expr
    for one in query.expressions if isinstance(query, exp.Select) else ():
        if one.alias_or_name == name:
            return one.unalias()
    return None
