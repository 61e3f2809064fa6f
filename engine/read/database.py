"""Databases by SQLAlchemy URL, and SQLite files: a table, a query, or all tables."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, MetaData, Table, create_engine, inspect, select, text
from sqlalchemy.engine import URL, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from engine.errors import SourceError
from engine.read.options import ReadOptions
from engine.read.raw import RawTable
from engine.read.records import Records
from engine.read.where import files_of

_DRIVERS = {"postgresql": "psycopg", "postgres": "psycopg"}
_CHECK_EVERY = 100_000  # steps of SQLite's machine between two looks at the clock

Found = tuple[list[RawTable], bytes, str]


def read_database(url: str, options: ReadOptions, base: Path | None) -> Found:
    """Tables of a database, the digest of what they hold, and no time of change.

    Raises SourceError; no password and no text of the driver is in it.
    """
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise SourceError("The address of a database is expected, as in postgresql://user@host/name.") from None
    if parsed.get_backend_name() == "sqlite":
        return read_sqlite(files_of(parsed.database or "", base)[0], str(parsed.database), options)
    if parsed.drivername in _DRIVERS:
        parsed = parsed.set(drivername=f"postgresql+{_DRIVERS[parsed.drivername]}")
    shown = f"The database {parsed.host or ''}/{parsed.database or ''}".replace(" /", " ")
    try:
        engine = create_engine(parsed, connect_args=_limits(parsed, options))
    except NoSuchModuleError:
        raise SourceError(
            f"{url.partition('://')[0]}:// is no kind of address that is read; a path, an https address, or the URL of a database, as in "
            "postgresql://user@host/name, is expected."
        ) from None
    except ImportError:
        raise SourceError(f"{shown} needs a driver that is not installed; install the extra for {parsed.get_backend_name()}.") from None
    return _read(engine, shown, options)


def read_sqlite(path: Path, shown: str, options: ReadOptions) -> Found:
    """Tables of an SQLite file, which is opened for reading only."""
    address = URL.create("sqlite", database=f"file:{_quoted(path)}?mode=ro", query={"uri": "true"})
    return _read(create_engine(address), shown, options)


def _quoted(path: Path) -> str:
    return path.resolve().as_uri().removeprefix("file://")


def _limits(url: URL, options: ReadOptions) -> dict[str, Any]:
    if url.get_backend_name() == "postgresql":
        return {"connect_timeout": min(30, max(2, int(options.seconds))), "options": f"-c statement_timeout={int(options.seconds * 1000)}"}
    return {}


def _read(engine: Engine, shown: str, options: ReadOptions) -> Found:
    deadline = time.monotonic() + options.seconds
    if options.query is not None and options.table is not None:
        raise SourceError(f"{shown}: a table or a query is read, not both; leave one out of the catalog.")
    try:
        with _connected(engine, shown, deadline) as connection:
            tables = list(_tables(connection, shown, options, deadline))
    except SQLAlchemyError:
        if time.monotonic() >= deadline:
            raise SourceError(f"{shown} did not answer within {options.seconds:g} seconds.") from None
        what = "the query of the catalog failed" if options.query is not None else "its tables cannot be read"
        raise SourceError(f"{shown}: {what}.") from None
    finally:
        engine.dispose()
    return tables, _digest(tables), ""


@contextmanager
def _connected(engine: Engine, shown: str, deadline: float) -> Iterator[Connection]:
    try:
        connection = engine.connect()
    except DBAPIError:
        raise SourceError(f"{shown} cannot be reached, or does not let this user in.") from None
    with connection:
        if engine.dialect.name == "sqlite":
            raw = connection.connection.driver_connection
            assert raw is not None
            raw.set_progress_handler(lambda: time.monotonic() > deadline, _CHECK_EVERY)
            raw.execute("BEGIN")  # all tables as of one moment, whoever writes meanwhile
            raw.text_factory = lambda data: data.decode("utf-8", "replace")
        elif engine.dialect.name == "postgresql":
            connection = connection.execution_options(postgresql_readonly=True)
        yield connection


def _tables(connection: Connection, shown: str, options: ReadOptions, deadline: float) -> Iterator[RawTable]:
    if options.query is not None:
        yield _table(connection, text(options.query), "query", shown, options, deadline)
        return
    looked = inspect(connection)
    schema, _, wanted = (options.table or "").rpartition(".")
    names = looked.get_table_names(schema=schema or None)
    if options.table is not None:
        views = looked.get_view_names(schema=schema or None)
        if wanted not in (*names, *views):
            raise SourceError(f'{shown} has no table "{options.table}"; it has {", ".join(sorted([*names, *views])[:10]) or "none"}.')
        names = [wanted]
    if not names:
        raise SourceError(f"{shown} has no tables.")
    for name in names:
        table = Table(name, MetaData(), schema=schema or None, autoload_with=connection, resolve_fks=False)
        columns = [text(connection.dialect.identifier_preparer.quote(column.name)) for column in table.columns]
        yield _table(connection, select(*columns).select_from(table), name, shown, options, deadline)


def _table(connection: Connection, statement: Any, name: str, shown: str, options: ReadOptions, deadline: float) -> RawTable:
    # Values come as the driver gives them: what a column of SQLite declares is no promise of what it holds.
    result = connection.execution_options(yield_per=2000).execute(statement)
    if not result.returns_rows:
        raise SourceError(f"{shown}: the query of the catalog gives no rows; a SELECT is expected.")
    records = Records(list(result.keys()))
    for row in result:
        records.add(tuple(row), records.rows + 1)
        if records.rows % 2000 == 0 and time.monotonic() > deadline:
            raise SourceError(f"{shown} did not answer within {options.seconds:g} seconds.")
    return records.table(name)


def _digest(tables: list[RawTable]) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for table in tables:
        for column in table.columns:
            digest.update(f"{table.name}\0{column.name}\0{column.declared}\0".encode())
            for each in column.texts:
                digest.update(each.encode("utf-8", "surrogatepass") + b"\0")
            digest.update(column.codes.tobytes())
    return digest.digest()
