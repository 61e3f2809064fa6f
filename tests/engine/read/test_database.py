from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from engine.errors import SourceError
from engine.read import ReadOptions, read, stamp
from tests.engine.read.columns import cells_of, values_of

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as connection:
        connection.executescript(
            """
            CREATE TABLE staff (id INTEGER PRIMARY KEY, name TEXT, zip TEXT, born DATE, pay REAL, ok BOOLEAN, photo BLOB);
            INSERT INTO staff VALUES (20001, 'Anna', '01001', '1990-05-01', 12.5, 1, x'00ff');
            INSERT INTO staff VALUES (20002, NULL, '01002', '1991-06-02', 13, 0, NULL);
            CREATE TABLE "odd ""name; DROP TABLE staff" ("a;b" TEXT);
            INSERT INTO "odd ""name; DROP TABLE staff" VALUES ('x');
            CREATE TABLE empty (a TEXT, b INTEGER);
            CREATE VIEW names AS SELECT name FROM staff;
            """
        )
        connection.commit()
    return tmp_path


@pytest.mark.parametrize("source", ["shop.sqlite", "sqlite:///shop.sqlite"])
def test_all_tables_of_a_file(shop: Path, source: str) -> None:
    tables = {table.name: table for table in read(source, base=shop)}
    assert set(tables) == {
        "staff",
        'odd "name; DROP TABLE staff',
        "empty",
    }
    staff = tables["staff"]
    assert [column.type for column in staff.columns] == ["integer", "text", "code", "date", "decimal", "integer", "text"]
    assert [values_of(column)[0] for column in staff.columns] == [20001, "Anna", "01001", "1990-05-01", 12.5, 1, "00ff"]
    assert values_of(staff.columns[1]) == ["Anna", None]
    assert tables["empty"].rows == 0
    assert [column.name for column in tables["empty"].columns] == ["a", "b"]
    assert cells_of(tables['odd "name; DROP TABLE staff']) == [["x"]]


def test_one_table_a_view_or_a_query(shop: Path) -> None:
    assert [table.name for table in read("shop.sqlite", ReadOptions(table="staff"), base=shop)] == ["staff"]
    assert [table.name for table in read("shop.sqlite", ReadOptions(table="names"), base=shop)] == ["names"]
    (table,) = read("shop.sqlite", ReadOptions(query="SELECT name AS who, pay * 2 AS pay FROM staff WHERE id = 20001"), base=shop)
    assert (cells_of(table), [column.type for column in table.columns]) == ([["Anna", "25"]], ["text", "integer"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (ReadOptions(table="rooms"), 'has no table "rooms"; it has empty, names, odd "name; DROP TABLE staff, staff'),
        (ReadOptions(query="SELECT nothing FROM nowhere"), "the query of the catalog failed"),
        (ReadOptions(query="DELETE FROM staff"), "the query of the catalog failed"),
        (ReadOptions(query="CREATE TABLE more (a)"), "the query of the catalog failed"),
        (ReadOptions(query="SELECT 1", table="staff"), "a table or a query is read, not both"),
        (ReadOptions(query=ENDLESS, seconds=0.3), "did not answer within 0.3 seconds"),
        (ReadOptions(query="SELECT name FROM staff WHERE id = 0"), "has a header and no rows"),
    ],
)
def test_what_cannot_be_read_is_refused_and_changes_nothing(shop: Path, options: ReadOptions, said: str) -> None:
    before = (shop / "shop.sqlite").read_bytes()
    with pytest.raises(SourceError, match=said):
        read("shop.sqlite", options, base=shop)
    assert (shop / "shop.sqlite").read_bytes() == before


def test_names_of_files_are_names(tmp_path: Path) -> None:
    name = "a?mode=memory&x #1%20.sqlite"
    with closing(sqlite3.connect(tmp_path / name)) as connection:
        connection.execute("CREATE TABLE t (a TEXT)")
        connection.execute("INSERT INTO t VALUES ('x')")
        connection.commit()
    assert read(name, base=tmp_path)[0].rows == 1


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("sqlite:///none.sqlite", "There is no file none.sqlite"),
        ("sqlite+pysqlite:///none.sqlite", "There is no file none.sqlite"),
        ("nosuch://host/name", "nosuch:// is no kind of address that is read; a path, an https address"),
        ("ftp://host/name.csv", "ftp:// is no kind of address that is read; a path, an https address"),
        ("file://elsewhere/name.csv", "lies on another machine; a path"),
        ("postgresql://me:secret@127.0.0.1:1/shop", "The database 127.0.0.1/shop cannot be reached"),
    ],
)
def test_addresses_that_lead_nowhere(tmp_path: Path, source: str, said: str) -> None:
    with pytest.raises(SourceError, match=said) as caught:
        read(source, ReadOptions(seconds=5), base=tmp_path)
    assert "secret" not in str(caught.value)


def _binaries() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A PostgreSQL server of its own, on a port of its own."""
    with served(tmp_path_factory) as (address, _):
        yield address


@contextmanager
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Callable[[], None]]]:
    """The address of a server, and what stops it at once."""
    binaries = _binaries()
    if binaries is None:
        pytest.skip("PostgreSQL is not on this machine")
    pytest.importorskip("psycopg")
    folder = tmp_path_factory.mktemp("postgres")
    user: list[str] = []
    if os.geteuid() == 0:  # it refuses to run as root
        shutil.chown(folder, "postgres", "postgres")
        for parent in folder.parents:
            if not parent.stat().st_mode & 0o001:  # all of them: another run of tests closes one of those above again
                parent.chmod(0o755)
        user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def run(*command: str, check: bool = True) -> None:
        subprocess.run([*user, str(binaries / command[0]), *command[1:]], check=check, capture_output=True, cwd=folder)

    run("initdb", "-D", str(folder / "data"), "-A", "trust", "-U", "reader", "--no-sync")
    start = f"-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories='' -c fsync=off"
    run("pg_ctl", "-D", str(folder / "data"), "-w", "-l", str(folder / "log"), "-o", start, "start")

    def stop() -> None:
        run("pg_ctl", "-D", str(folder / "data"), "-m", "immediate", "-w", "stop", check=False)  # it may be gone already

    try:
        yield f"postgresql://reader@127.0.0.1:{port}/postgres", stop
    finally:
        stop()


def test_a_postgresql_server(postgres: str) -> None:
    import psycopg

    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE staff (id int, name text, zip char(5), born date, at timestamptz, pay numeric(8,2), ok boolean, tags text[])"
        )
        connection.execute("INSERT INTO staff VALUES (20001, 'Žofie', '01001', '1990-05-01', '2024-05-01 08:30Z', 12.50, true, '{a,b}')")
        connection.execute("INSERT INTO staff VALUES (20002, NULL, '01002', NULL, NULL, 13.25, false, '{b,a}')")
        connection.execute("INSERT INTO staff VALUES (20003, '', '01003', NULL, NULL, 1, NULL, '{b}')")
        connection.execute("CREATE TABLE rooms (a text)")
        connection.execute("INSERT INTO rooms VALUES ('x')")
    tables = {table.name: table for table in read(postgres)}
    assert set(tables) == {"staff", "rooms"}
    staff = tables["staff"]
    assert [column.type for column in staff.columns] == ["integer", "text", "code", "date", "datetime", "decimal", "boolean", "text"]
    assert [values_of(column)[0] for column in staff.columns[:4]] == [20001, "Žofie", "01001", "1990-05-01"]
    assert [values_of(column)[0] for column in staff.columns[5:]] == [12.5, True, "a; b"]
    assert staff.columns[1].codes.tolist()[1] == -1
    assert [table.name for table in read(postgres, ReadOptions(table="public.rooms"))] == ["rooms"]
    assert read(postgres, ReadOptions(query="SELECT count(*) AS n FROM staff"))[0].columns[0].values == [3]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (ReadOptions(query="SELECT pg_sleep(30)", seconds=1), "did not answer within 1 seconds"),
        (ReadOptions(query="SELECT * FROM nowhere"), "the query of the catalog failed"),
        (ReadOptions(query="CREATE TABLE more (a int)"), "the query of the catalog failed"),
        (ReadOptions(table="nowhere"), 'has no table "nowhere"'),
    ],
)
def test_what_a_postgresql_server_refuses(postgres: str, options: ReadOptions, said: str) -> None:
    with pytest.raises(SourceError, match=said):
        read(postgres, options)


def test_what_is_still_in_the_log_of_a_database_is_read_and_changes_its_stamp(tmp_path: Path) -> None:
    path = tmp_path / "live.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        writer.execute("CREATE TABLE t (a TEXT)")
        writer.execute("INSERT INTO t VALUES ('x')")
        before, was = stamp("live.sqlite", tmp_path), path.stat()
        assert read("live.sqlite", base=tmp_path)[0].rows == 1
        assert stamp("live.sqlite", tmp_path) == before != ""
        writer.execute("INSERT INTO t VALUES ('y')")
        assert (path.stat().st_size, path.stat().st_mtime_ns) == (was.st_size, was.st_mtime_ns)
        assert stamp("live.sqlite", tmp_path) not in ("", before)
        assert read("live.sqlite", base=tmp_path)[0].rows == 2
