"""Checks a written query before it runs, and compiles it: only tables and columns that may be seen, only what is allowed, texts folded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from engine.errors import PlanError
from engine.select.folding import Folding, SelectLiteral
from engine.select.grammar import parse_select
from engine.select.origin import Origins
from engine.select.seen import ROW_ID, Seen, SeenColumn
from engine.select.shape import OutputColumn, outer, shape
from engine.table import OpenTable

MOST_TABLES: Final = 10  # files that one query reads: as many as SQLite attaches
_DIALECT: Final = "sqlite, normalization_strategy=case_sensitive"  # names are made equal here, in every script
_NOT_ROWS = ("joins", "group", "distinct", "having", "windows", "with_")


@dataclass(frozen=True, slots=True)
class CheckedSelect:
    """A query that may run: as it was written, and as it runs on the attached files.

    tables: by the name under which a file is attached, the table. numbered: the first cell of a row is its number.
    literals: what textual columns are compared with. own: the names of the query's own subqueries.
    reads: (table, column) of all that is read, wherever in the query; the column is empty for the table itself.
    """

    sql: str
    compiled: str
    tables: dict[str, OpenTable]
    columns: tuple[OutputColumn, ...]
    literals: tuple[SelectLiteral, ...] = ()
    numbered: bool = False
    own: frozenset[str] = frozenset()
    reads: tuple[tuple[str, str], ...] = ()


def check_select(sql: str, tables: Sequence[OpenTable], *, sent: bool = False) -> CheckedSelect:
    """The query, compiled; raises PlanError where it is no single SELECT over these tables. What is not among them is not there.

    sent: nor is a column that may not be sent to a model, for a query that one wrote.
    """
    tree = parse_select(sql)
    seen = Seen(tables, [table.name for table in tree.find_all(exp.Table)], sent)
    spelling = _name_alike(tree, seen)
    _check_names(tree, seen, spelling)
    try:
        tree = qualify(tree, dialect=_DIALECT, schema=_schema(seen))
        if tree.find(exp.Dot):
            raise PlanError("A query names a column by its name, or by its table's name and its own.")
        if any(one.is_star for select in tree.find_all(exp.Select) for one in select.expressions if not one.find(exp.Count)):
            raise PlanError("A star would give two columns of one name; name the columns one by one.")
        origins = Origins(tree, seen)
        reads = tuple(dict.fromkeys(_reads(origins, seen)))  # before names become places
        columns = shape(tree, origins, spelling)
        folding = Folding(origins)
        folding.rewrite(tree)
        numbered = _gives_rows(tree, origins, seen)
        used = _compile(tree, origins, folding, seen, numbered)
        own = frozenset(one.alias for one in tree.find_all(exp.CTE))
        compiled = tree.sql(dialect="sqlite", comments=False)
    except (SqlglotError, KeyError, RecursionError) as error:
        raise PlanError("A column of the query fits none of its tables, or several; write it with the name of its table.") from error
    if len(used) > MOST_TABLES:
        raise PlanError(f"A query reads at most {MOST_TABLES} tables.")
    return CheckedSelect(sql, compiled, used, columns, tuple(dict.fromkeys(folding.literals)), numbered, own, reads)


def _reads(origins: Origins, seen: Seen) -> Iterator[tuple[str, str]]:
    yield from ((seen.tables[source.name].table.name, "") for source in origins.tables)
    for origin in map(origins.of, origins.columns()):
        if origin is not None and origin.column.facts is not None:
            yield origin.table.table.name, origin.column.facts.name


def _schema(seen: Seen) -> MappingSchema:
    """The names as they are: none is read as SQL."""
    columns: dict[str, object] = {name: dict.fromkeys(table.columns, "UNKNOWN") for name, table in seen.tables.items()}
    return MappingSchema(columns, dialect=_DIALECT, normalize=False)


def _name_alike(tree: exp.Query, seen: Seen) -> dict[str, str]:
    """Makes equal the names that mean the same; gives back how each was first written."""
    for one in outer(tree).expressions:
        if not isinstance(one, (exp.Alias, exp.Column, exp.Star)):
            one.replace(exp.alias_(one.copy(), one.sql(dialect="sqlite", comments=False, normalize_functions="lower"), quoted=True))
    spelling: dict[str, str] = {}
    for identifier in tree.find_all(exp.Identifier):
        normal = seen.normal(identifier.this)
        spelling.setdefault(normal, identifier.this)
        identifier.set("this", normal)
    return spelling


def _check_names(tree: exp.Query, seen: Seen, spelling: dict[str, str]) -> None:
    """The names that nothing has are told by name; which of several a name means is found later."""
    own = {one.alias for one in tree.find_all(exp.CTE)}
    named = {one.alias for one in tree.find_all(exp.Alias)} | set(_columns_of_aliases(tree))
    for table in tree.find_all(exp.Table):
        if table.name not in seen.tables and table.name not in own:
            raise PlanError(f'There is no table "{spelling[table.name]}".')
    asked = [seen.tables[table.name] for table in tree.find_all(exp.Table) if table.name in seen.tables]
    for column in tree.find_all(exp.Column):
        if isinstance(column.this, exp.Star) or column.name in named or any(column.name in table.columns for table in asked):
            continue
        names = ", ".join(dict.fromkeys(f'"{table.name}"' for table in asked)) or "the query"
        hint = "; a text stands in single quotes" if column.this.quoted and not column.table else ""
        raise PlanError(f'There is no column "{spelling[column.name]}" in {names}{hint}.')


def _columns_of_aliases(tree: exp.Query) -> Iterator[str]:
    for alias in tree.find_all(exp.TableAlias):
        yield from (column.name for column in alias.args.get("columns") or ())


def _gives_rows(tree: exp.Query, origins: Origins, seen: Seen) -> bool:
    """Whether each row of the result is one row of one table."""
    if not isinstance(tree, exp.Select) or any(tree.args.get(part) for part in _NOT_ROWS):
        return False
    if any(one.find(exp.AggFunc, exp.Window) or _is_total(one) for one in tree.expressions):
        return False
    if tree.args.get("from_") is None:
        return False
    source = tree.args["from_"].this
    return any(source is table for table in origins.tables) and seen.tables[source.name].stored == "rows"


def _is_total(one: exp.Expr) -> bool:
    return any(str(call.this).lower() == "total" for call in one.find_all(exp.Anonymous))


def _compile(tree: exp.Query, origins: Origins, folding: Folding, seen: Seen, numbered: bool) -> dict[str, OpenTable]:
    """Puts what is stored in the place of every name of a source; gives the tables that are read."""
    for column in tree.find_all(exp.Column):
        if not column.table and not (isinstance(column.parent, exp.Ordered) or origins.of(column)):
            raise KeyError(column.name)
    shown = _shown(tree, origins)
    if numbered:
        number = exp.column(ROW_ID, table=tree.args["from_"].this.alias, quoted=True)
        tree.set("expressions", [number, *tree.expressions])
        order = tree.args.get("order") or exp.Order(expressions=[])
        order.append("expressions", exp.Ordered(this=number.copy(), nulls_first=True))
        tree.set("order", order)
    found = [(column, origins.of(column)) for column in origins.columns()]  # all before the first is renamed
    for column, origin in found:
        if origin is None or not origin.direct:
            continue
        place = origin.column.folded if id(column) in folding.shadows else origin.column.place
        column.set("this", exp.to_identifier(place, quoted=True))
        if id(column) in shown:
            _show(column, origin.column)
    used = {}
    for source in origins.tables:
        table = seen.tables[source.name]
        used[table.base] = table.table
        source.set("this", exp.to_identifier(table.stored, quoted=True))
        source.set("db", exp.to_identifier(table.base, quoted=True))
    return used


def _shown(tree: exp.Query, origins: Origins) -> set[int]:
    """The columns whose cells are shown as they stand in the source: those of a plain result."""
    if not isinstance(tree, exp.Select) or tree.args.get("distinct"):
        return set()
    return {id(one.unalias()) for one in tree.expressions if isinstance(one.unalias(), exp.Column)}


def _show(column: exp.Column, seen: SeenColumn) -> None:
    if not seen.spelled or seen.facts is None:
        return
    spelled = exp.column(seen.spelled, table=column.table, quoted=True)
    if seen.facts.shown_as_spelled:
        column.replace(spelled)
    else:
        column.replace(exp.Coalesce(this=column.copy(), expressions=[spelled]))
