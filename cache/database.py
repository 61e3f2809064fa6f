"""The state database itself: how it is opened, and what a transaction in it is; whose tables stand in it is for who uses it to say."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, Final

from sqlalchemy import Connection, MetaData, create_engine, event, inspect, make_url, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import StaticPool
from sqlalchemy.schema import CreateColumn

from cache.errors import StateError

CONNECTING: Final = 10  # seconds until a server that takes the call and says nothing is given up
_MAKING: Final = 0x414C4D41  # a number of our own among the locks of a server


class Database:
    """SQLite or PostgreSQL, with tables that are made where they are not there; raises StateError for an address that is none."""

    def __init__(self, url: str, tables: MetaData, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.is_sqlite = url.startswith("sqlite")
        more: dict[str, Any] = {}
        if self.is_sqlite:
            more["connect_args"] = {"timeout": 20, "check_same_thread": False}
            if url in ("sqlite://", "sqlite:///:memory:"):
                more["poolclass"] = StaticPool
        try:
            if not self.is_sqlite and make_url(url).get_driver_name().startswith("psycopg"):
                more["connect_args"] = {"connect_timeout": CONNECTING}
            self._engine = create_engine(url, pool_pre_ping=not self.is_sqlite, **more)
            if self.is_sqlite:
                event.listen(self._engine, "connect", _prepare)
                event.listen(self._engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
            self._lock = Lock()  # SQLite has one writer; waiting here is fairer than its own retries
        except (ArgumentError, NoSuchModuleError, ImportError):
            raise StateError(
                "ALMANAC_STATE is no address of a database that is known here; write sqlite:////folder/state.sqlite."
            ) from None
        self.add(tables)

    def add(self, tables: MetaData) -> None:
        """Makes tables that are not there, and adds the columns that one of an earlier version does not have; raises StateError."""
        try:
            with self.transaction() as base:
                self.alone(base, _MAKING)  # two processes that start at once would both make the tables
                tables.create_all(base)
                _complete(base, tables)
        except SQLAlchemyError:
            raise StateError("The database of ALMANAC_STATE cannot be opened; see that it is there and may be written.") from None

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A transaction, undone where its block raises; on SQLite it is the only one that there is."""
        if not self.is_sqlite:
            with self._engine.begin() as base:
                yield base
            return
        with self._lock, self._engine.begin() as base:
            yield base

    def alone(self, base: Connection, key: int) -> None:
        """Waits until no other transaction holds this key (of 64 bits, signed), and holds it until the end of this one."""
        if not self.is_sqlite:  # whose transactions are alone anyway
            base.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})

    def fresh(self, base: Connection, table: Any, **values: Any) -> bool:
        """Inserts a row where there is none of its key; whether it was."""
        dialect = sqlite if self.is_sqlite else postgresql
        made = dialect.insert(table).values(**values).on_conflict_do_nothing()
        # the row itself tells: not every driver counts an insertion that did nothing
        return base.execute(made.returning(*table.primary_key.columns)).first() is not None

    def clear_log(self) -> None:
        """Empties SQLite's write-ahead log, in which what was removed may still stand; what others are reading stays until they have done."""
        if self.is_sqlite:
            with self._lock, self._engine.connect() as base:
                raw = base.connection.driver_connection
                if raw is not None:
                    raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Lets the database go."""
        self._engine.dispose()


def _complete(base: Connection, tables: MetaData) -> None:
    """Adds the columns that a table of an earlier version does not have; each has a default."""
    there = inspect(base)
    quoted = base.dialect.identifier_preparer.format_table
    for table in tables.sorted_tables:
        known = {column["name"] for column in there.get_columns(table.name)}
        for column in table.columns:
            if column.name not in known:
                made = CreateColumn(column).compile(dialect=base.dialect)
                base.exec_driver_sql(f"ALTER TABLE {quoted(table)} ADD COLUMN {made}")


def _prepare(base: Any, _: Any) -> None:
    """Several processes read while one writes, SQLAlchemy alone begins transactions, and what is removed is written over."""
    base.isolation_level = None
    base.execute("PRAGMA journal_mode = WAL")
    base.execute("PRAGMA synchronous = NORMAL")
    base.execute("PRAGMA secure_delete = ON")
