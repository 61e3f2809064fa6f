"""The second wall: a connection that reads what it is told to read, by SQLite's own authorizer, and within limits of size."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Mapping
from typing import Final

import sqlglot

from engine.select.grammar import SQLITE_FUNCTIONS
from engine.select.seen import stored_places
from engine.table import OpenTable

_SIZES: Final = {
    sqlite3.SQLITE_LIMIT_LENGTH: 16_000_000,  # bytes of a cell, and of a row
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 200_000,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 400,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 30,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 30,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1_000,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 250_000,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 0,
}
Authorizer = Callable[[int, str | None, str | None, str | None, str | None], int]


def guard(base: sqlite3.Connection, tables: Mapping[str, OpenTable], own: Collection[str] = ()) -> None:
    """Walls a connection in, once its files are attached; own are names of subqueries, which are no tables."""
    for size, most in _SIZES.items():
        base.setlimit(size, most)
    base.set_authorizer(_authorizer(tables, own))


def joins_by_name(sql: str) -> bool:
    """Whether a query joins with USING or NATURAL: SQLite asks its authorizer nothing of such columns, and no compiled query has them."""
    return any(token.token_type.name in ("USING", "NATURAL") for token in sqlglot.tokenize(sql, dialect="sqlite"))


def _authorizer(tables: Mapping[str, OpenTable], own: Collection[str]) -> Authorizer:
    places = {(name, stored): columns for name, table in tables.items() for stored, columns in stored_places(table).items()}

    def allows(action: int, first: str | None, second: str | None, name: str | None, _: str | None) -> int:
        if action == sqlite3.SQLITE_SELECT:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in SQLITE_FUNCTIONS:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ:
            columns = places.get((name or "", first or ""))
            if columns is not None and (not second or second in columns):
                return sqlite3.SQLITE_OK
            if not second and name is None and first in own:  # a subquery of which no column is read
                return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY

    return allows
