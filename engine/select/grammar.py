"""What a written query may say: one SELECT, of the parts that are listed here and no others."""

from __future__ import annotations

import logging
from typing import Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from engine.errors import PlanError

logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # it would write queries, and the texts in them, to the log
LONGEST: Final = 20_000  # letters of a query
DEEPEST: Final = 60  # brackets within brackets
MOST_PARTS: Final = 4_000  # nodes of its tree

_SHAPE = (
    exp.Select, exp.Union, exp.Intersect, exp.Except, exp.Subquery, exp.From, exp.Join, exp.Where, exp.Group, exp.Having, exp.Order,
    exp.Ordered, exp.Limit, exp.Offset, exp.Distinct, exp.With, exp.CTE, exp.Table, exp.TableAlias, exp.Alias, exp.Column, exp.Identifier,
    exp.Star, exp.Window, exp.WindowSpec, exp.Filter,
)  # fmt: skip
_TESTS = (
    exp.And, exp.Or, exp.Not, exp.Paren, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Is, exp.NullSafeEQ, exp.NullSafeNEQ, exp.In,
    exp.Between, exp.Like, exp.Glob, exp.Escape, exp.Exists, exp.Case, exp.If,
)  # fmt: skip
_VALUES = (
    exp.Literal, exp.Null, exp.Boolean, exp.Neg, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.DPipe, exp.Cast, exp.DataType, exp.Var,
)  # fmt: skip
_FUNCTIONS = (
    exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.GroupConcat, exp.Abs, exp.Round, exp.Length, exp.Lower, exp.Upper, exp.Trim,
    exp.Substring, exp.StrPosition, exp.Replace, exp.Coalesce, exp.Nullif, exp.Least, exp.Greatest, exp.Date, exp.TimeToStr,
    exp.TsOrDsToTimestamp, exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist, exp.Ntile, exp.Lag, exp.Lead,
    exp.FirstValue, exp.LastValue, exp.NthValue,
)  # fmt: skip
_NAMED: Final = frozenset(
    {"total", "date", "time", "datetime", "julianday", "unixepoch", "strftime"}
)  # functions that the parser has no class for
_ALLOWED: Final = frozenset({*_SHAPE, *_TESTS, *_VALUES, *_FUNCTIONS})
_KINDS: Final = frozenset({"INT", "BIGINT", "TEXT", "VARCHAR", "DOUBLE", "FLOAT", "DECIMAL"})  # of CAST

# The same as SQLite names what runs, for its authorizer.
SQLITE_FUNCTIONS: Final = frozenset({
    "count", "sum", "total", "avg", "min", "max", "group_concat", "abs", "round", "length", "lower", "upper", "trim", "ltrim", "rtrim", "substr",
    "substring", "instr", "replace", "coalesce", "ifnull", "nullif", "iif", "date", "time", "datetime", "julianday", "unixepoch", "strftime", "like",
    "glob", "row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead", "first_value", "last_value", "nth_value",
    "folded",
})  # fmt: skip


def parse_select(sql: str) -> exp.Query:
    """The tree of a query; raises PlanError where it is not one SELECT of what is allowed."""
    if len(sql) > LONGEST or "\0" in sql:
        raise PlanError(f"The query is too long; a query has at most {LONGEST} letters.")
    if _depth(sql) > DEEPEST:
        raise PlanError("The query is nested too deeply.")
    try:
        parsed = [tree for tree in sqlglot.parse(sql, dialect="sqlite") if tree is not None]
    except (SqlglotError, RecursionError) as error:
        raise PlanError("The query cannot be read; write one SELECT as SQLite reads it.") from error
    if len(parsed) != 1:
        raise PlanError("The query is not one statement; write one SELECT.")
    (tree,) = parsed
    if not isinstance(tree, exp.Query):
        raise PlanError("The query is no SELECT; tables can only be read.")
    if sum(1 for _ in tree.walk()) > MOST_PARTS:
        raise PlanError("The query has too many parts.")
    for node in list(tree.find_all(exp.Collate)):
        node.replace(node.this)  # texts are compared folded
    _check(tree)
    return tree


def _two_queries(node: exp.SetOperation) -> bool:
    return isinstance(node.this, exp.Query) and isinstance(node.expression, exp.Query)


def _depth(sql: str) -> int:
    """Brackets within brackets; those inside texts count too, which no query is hurt by."""
    deepest = depth = 0
    for letter in sql:
        depth += (letter in "([") - (letter in ")]")
        deepest = max(deepest, depth)
    return deepest


def _check(tree: exp.Query) -> None:
    for node in tree.walk():
        if isinstance(node, exp.Anonymous):
            if str(node.this).lower() not in _NAMED:
                raise PlanError(f'The function "{node.name}" is not offered in a query.')
        elif type(node) not in _ALLOWED:
            what = f'The function "{node.sql_name()}"' if isinstance(node, exp.Func) else f'"{node.key.upper()}"'
            raise PlanError(f"{what} is not offered in a query.")
        elif isinstance(node, exp.Table) and (not isinstance(node.this, exp.Identifier) or node.args.get("db")):
            raise PlanError("A query names its tables by their names alone, and selects from nothing else.")
        elif isinstance(node, exp.Column) and (not isinstance(node.this, (exp.Identifier, exp.Star)) or node.args.get("db")):
            raise PlanError("A query names a column by its name, or by its table's name and its own.")
        elif (isinstance(node, exp.Select) and not node.expressions) or (isinstance(node, exp.SetOperation) and not _two_queries(node)):
            raise PlanError("A part of the query is no whole SELECT.")
        elif isinstance(node, exp.Join) and node.args.get("method"):
            raise PlanError("A join says with ON or USING which columns are compared.")
        elif isinstance(node, exp.With) and node.args.get("recursive"):
            raise PlanError("A query may not be recursive.")
        elif isinstance(node, exp.DataType) and node.this.value not in _KINDS:
            raise PlanError("CAST gives INTEGER, REAL or TEXT.")
        elif isinstance(node, exp.Select) and (node.args.get("into") or node.args.get("hint")):
            raise PlanError("A query only reads.")
