"""A written query gives what plain Python finds, names nothing that may not be seen, and is held by the second wall where the first is down."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from copy import copy

import pytest

from engine.errors import ExecutionError, PlanError
from engine.fold import fold
from engine.select.check import CheckedSelect, check_select
from engine.select.execute import execute_select
from engine.select.folding import SelectLiteral
from engine.select.shape import OutputColumn
from engine.table import OpenTable
from engine.types import ResultTable, Value
from tests.engine.conftest import Asked, Opened
from tests.engine.samples import FILMS, PROVIDERS, Row, items, numbers, rows_of

ODD = 'na"me,Name,name,row_id,{x},עיר,Город,"a;b--"\nAnn,b,c,9,1,חיפה,Омск,p\nBob,B,d,8,2,עכו,Томск,q\n'


@pytest.fixture(scope="module")
def tables(providers: Asked, films: Asked, stock: Asked, opened: Opened) -> list[OpenTable]:
    return [*providers.tables, *films.tables, *stock.tables, *opened(ODD, "odd.csv").tables]


def ran(sql: str, tables: Sequence[OpenTable]) -> ResultTable:
    result, shown = execute_select(check_select(sql, tables), tables)
    assert shown == sql and result.total == len(result.rows)
    return result


def cells(sql: str, tables: Sequence[OpenTable]) -> list[tuple[Value, ...]]:
    return list(ran(sql, tables).rows)


# ---- what is found


@pytest.mark.parametrize(
    ("where", "holds"),
    [
        ("city = 'haifa' OR city = 'NORWICK'", lambda r: r["city"] == "Norwick"),
        ("CITY IN ('saint–lo', 'easton')", lambda r: r["city"] in ("Saint-Lô", "Easton")),
        ("city <> 'OXMOOR' AND NOT city = 'tarnby'", lambda r: r["city"] not in ("Oxmoor", "Tarnby")),
        ("lower(city) = lower('FELHAM')", lambda r: r["city"] == "Felham"),
        ("city COLLATE BINARY = 'felham'", lambda r: r["city"] == "Felham"),
        ("name LIKE 'JOSE%'", lambda r: r["name"].startswith("José")),
        ("name NOT LIKE '%qvist'", lambda r: not r["name"].endswith("qvist")),
        ("name = 'лев орлов'", lambda r: r["name"] == "Лев Орлов"),
        ("CASE city WHEN 'EASTON' THEN 1 ELSE 0 END = 1", lambda r: r["city"] == "Easton"),
        ("code = 00412", lambda r: r["code"] == "00412"),
        ("\"wheelchair access\" = 'yes'", lambda r: r["wheelchair access"] == "Yes"),
        ("joined BETWEEN '2010-01-01' AND '2012-12-31'", lambda r: "2010" <= r["joined"] <= "2012-12-31"),
        ("fee > 150", lambda r: float(r["fee"].strip("$")) > 150),
        ("notes IS NULL", lambda r: not r["notes"]),
        ("row_id IN (SELECT row_id FROM providers__languages WHERE item = 'GERMAN')", lambda r: "German" in items(r["languages"])),
        ("city IN (SELECT upper(city) FROM providers WHERE name = 'eve abara')", lambda r: r["city"] == "Oxmoor"),
        ("city = (SELECT city FROM providers p WHERE p.name = 'ida falk')", lambda r: r["city"] == "Oxmoor"),
    ],
)
def test_rows_and_their_numbers(tables: list[OpenTable], where: str, holds: Callable[[Row], bool]) -> None:
    expected = numbers(PROVIDERS, holds)
    result = ran(f"SELECT name FROM providers WHERE {where}", tables)
    assert result.row_ids == tuple(expected) and expected
    assert [row[0] for row in result.rows] == [rows_of(PROVIDERS)[n - 1]["name"] for n in expected]


def test_columns_have_the_names_types_and_roles_of_their_source(tables: list[OpenTable]) -> None:
    result = ran(
        "WITH x AS (SELECT NAME n, fee AS f, joined FROM providers WHERE joined > '2019') SELECT *, 1 + 1 FROM x ORDER BY f", tables
    )
    assert [(c.name, c.type, c.role) for c in result.columns] == [
        ("name", "text", "key"),
        ("fee", "money", "condition"),
        ("joined", "date", "condition"),
        ("1 + 1", "integer", "answer"),
    ]
    assert ran("SELECT a.name, b.name FROM providers a, providers b WHERE a.row_id < 1", tables).columns[1].name == "name (2)"


def test_cells_are_shown_as_in_the_source_and_ordered_by_value(tables: list[OpenTable]) -> None:
    expected = sorted(rows_of(PROVIDERS), key=lambda r: float(r["fee"].strip("$")))
    assert cells("SELECT fee FROM providers ORDER BY fee", tables) == [(row["fee"],) for row in expected]
    assert cells("SELECT fee AS f FROM providers ORDER BY f DESC LIMIT 1", tables) == [(expected[-1]["fee"],)]


def test_groups_and_counts_fold(opened: Opened) -> None:
    mixed = opened("town,n\nHaifa,1\nHAIFA,2\nhaïfa,3\nAcre,4\n", "towns.csv").tables
    assert [n for _, n in cells("SELECT town, count(*) FROM towns GROUP BY town ORDER BY count(*)", mixed)] == [1, 3]
    assert cells("SELECT count(DISTINCT town) FROM towns", mixed) == [(2,)]
    assert cells("SELECT max(r) FROM (SELECT row_number() OVER (PARTITION BY town) AS r FROM towns)", mixed) == [(3,)]
    assert len(cells("SELECT a.n FROM towns a JOIN towns b ON a.town = b.town", mixed)) == 10


def test_tables_are_joined(tables: list[OpenTable]) -> None:
    pairs = cells("SELECT p.name, f.title FROM providers p JOIN films f ON length(p.name) = length(f.title)", tables)
    expected = Counter((p["name"], f["title"]) for p in rows_of(PROVIDERS) for f in rows_of(FILMS) if len(p["name"]) == len(f["title"]))
    assert Counter(pairs) == expected and expected


def test_lists_are_asked_by_item(tables: list[OpenTable]) -> None:
    found = cells("SELECT item, count(*) FROM providers JOIN providers__specialty USING (row_id) GROUP BY item", tables)
    assert dict(found) == Counter(item for row in rows_of(PROVIDERS) for item in items(row["specialty"]))


def test_odd_names(tables: list[OpenTable]) -> None:
    assert cells('SELECT "na""me", "{x}", "עיר", [a;b--] FROM odd WHERE город = \'ТОМСК\'', tables) == [("Bob", 2, "עכו", "q")]
    assert cells("SELECT name, row_id FROM odd WHERE Name = 'B' ORDER BY row_id", tables) == [("d", 8), ("c", 9)]
    assert cells('SELECT * FROM "ODD" LIMIT 1', tables) == [("Ann", "b", "c", 9, 1, "חיפה", "Омск", "p")]


def test_a_star_has_no_row_number(tables: list[OpenTable]) -> None:
    width = len(tables[1].facts.columns)
    assert len(ran("SELECT * FROM (SELECT f.* FROM films f)", tables).columns) == width
    assert [c.name for c in ran("SELECT * FROM (SELECT row_id, title FROM films)", tables).columns] == ["row_id", "title"]
    assert len(ran("SELECT row_id, * FROM films", tables).columns) == width + 1


def test_literals_come_back(tables: list[OpenTable]) -> None:
    checked = check_select(
        "WITH x AS (SELECT city c FROM providers) SELECT 1 FROM x, films WHERE c = 'Easton' AND title LIKE 'The%'", tables
    )
    assert set(checked.literals) == {SelectLiteral("providers", "city", "Easton", True), SelectLiteral("films", "title", "The%", False)}


def test_random_conditions_find_what_python_finds(tables: list[OpenTable]) -> None:
    draw = random.Random(6)
    rows = rows_of(PROVIDERS)
    for _ in range(150):
        tests: list[tuple[str, Callable[[Row], bool]]] = []
        for _ in range(draw.randint(1, 3)):
            column = draw.choice(["name", "city", "district", "notes", "phone"])
            text = draw.choice(rows)[column] or "Haifa"
            written = draw.choice([text, text.upper(), text.lower(), f" {text}"]).replace("'", "''")
            tests.append((f"\"{column}\" = '{written}'", lambda r, c=column, t=text: fold(r[c]) == fold(t)))  # type: ignore[misc]
        glue, every = draw.choice([(" AND ", all), (" OR ", any)])
        condition = glue.join(sql for sql, _ in tests)
        shape = draw.choice(["SELECT code FROM providers WHERE {}", "SELECT code FROM (SELECT * FROM providers) WHERE {}"])
        found = Counter(row[0] for row in cells(shape.format(condition), tables))
        assert found == Counter(row["code"] for row in rows if every(holds(row) for _, holds in tests)), condition


# ---- the first wall

REFUSED = [
    ("", "one statement"),
    ("nonsense here", "SELECT"),
    ("SELECT (", "cannot be read"),
    ("SELECT 1; SELECT 2", "one statement"),
    ("DELETE FROM providers", "no SELECT"),
    ("INSERT INTO providers VALUES (1)", "no SELECT"),
    ("UPDATE providers SET city = 'x'", "no SELECT"),
    ("DROP TABLE providers", "no SELECT"),
    ("CREATE TABLE x AS SELECT 1", "no SELECT"),
    ("PRAGMA table_info(providers)", "no SELECT"),
    ("ATTACH 'x' AS y", "no SELECT"),
    ("EXPLAIN SELECT 1", "no SELECT"),
    ("VACUUM INTO 'x'", "no SELECT"),
    ("WITH x AS (SELECT 1) DELETE FROM x", "no SELECT"),
    ("WITH RECURSIVE x AS (SELECT 1 UNION ALL SELECT 1 FROM x) SELECT * FROM x", "recursive"),
    ("WITH x AS (SELECT 1 UNION ALL SELECT 1 FROM x) SELECT * FROM x", "column|table"),
    ("SELECT * FROM sqlite_master", "no table"),
    ("SELECT * FROM main.providers", "names alone"),
    ("SELECT * FROM d0.rows", "names alone"),
    ("SELECT * FROM pragma_table_info('providers')", "not offered|names alone"),
    ("SELECT * FROM json_each('[1]')", "not offered|names alone"),
    ("SELECT load_extension('x')", "not offered"),
    ("SELECT readfile('x')", "not offered"),
    ("SELECT zeroblob(1000000000)", "not offered"),
    ("SELECT randomblob(1000000000)", "not offered"),
    ("SELECT printf('%999999999d', 1)", "not offered"),
    ("SELECT sqlite_version()", "not offered"),
    ("SELECT folded(name) FROM providers", "not offered"),
    ("SELECT name FROM providers WHERE providers MATCH 'x'", "not offered|no column"),
    ("SELECT name FROM providers WHERE name = ?", "not offered"),
    ("SELECT name FROM providers NATURAL JOIN films", "ON or USING"),
    ("SELECT", "whole SELECT"),
    ("title UNION FROM films", "whole SELECT"),
    ("SELECT f.'100' FROM films f", "names a column"),
    ("SELECT name.fee FROM providers", "names a column|no column|fits none"),
    ("SELECT * FROM (SELECT name, name FROM providers)", "one by one"),
    ("SELECT title FROM patients", 'no table "patients"'),
    ("SELECT Salary FROM providers", 'no column "Salary"'),
    ('SELECT name FROM providers WHERE city = "Easton"', "single quotes"),
    ("SELECT f.city FROM providers p, films f", "fits none"),
    ("SELECT row_id FROM providers p, films f", "several"),
    ("SELECT c1 FROM providers", 'no column "c1"'),
    ("SELECT city_f FROM providers", "no column"),
    ("SELECT rowid FROM providers", "no column"),
    ("SELECT name FROM providers UNION SELECT title FROM films ORDER BY salary", "no column"),
    ("SELECT name FROM providers WHERE specialty = 'Cardiology'", "providers__specialty"),
    ("SELECT name FROM providers WHERE fee > '100'", "number"),
    ("SELECT name FROM providers WHERE joined > '01/02/2015'", "2026-11-30"),
    ("SELECT " + "(" * 100 + "1" + ")" * 100, "deeply"),
    ("SELECT 1 /*" + "x" * 30_000 + "*/", "long"),
    ("SELECT " + "+".join(["1"] * 5_000), "parts|long|cannot be read"),
]


@pytest.mark.parametrize(("sql", "told"), REFUSED, ids=[sql[:60] for sql, _ in REFUSED])
def test_refused(tables: list[OpenTable], sql: str, told: str) -> None:
    with pytest.raises(PlanError, match=told) as caught:
        check_select(sql, tables)
    assert str(caught.value).endswith(".") and "Error" not in str(caught.value)


def without(table: OpenTable, hidden: str) -> OpenTable:
    """The table with a column in its file that its facts do not tell of."""
    twin = copy(table)
    twin.facts = table.facts.model_copy(update={"columns": tuple(c for c in table.facts.columns if c.name != hidden)})
    return twin


REACHING = [
    "SELECT {} FROM providers",
    "SELECT p.{} FROM providers p",
    "SELECT providers.{} AS name FROM providers",
    "SELECT x.{} FROM (SELECT * FROM providers) x",
    "SELECT * FROM (SELECT {} FROM providers)",
    "WITH x AS (SELECT {} FROM providers) SELECT * FROM x",
    "WITH x AS (SELECT * FROM providers) SELECT {} FROM x",
    "SELECT name FROM providers ORDER BY {}",
    "SELECT name FROM providers WHERE {} > 100",
    "SELECT count(*) FROM providers GROUP BY {}",
    "SELECT count(*) FROM providers HAVING max({}) > 1",
    "SELECT name FROM providers a JOIN providers b USING ({})",
    "SELECT name FROM providers WHERE EXISTS (SELECT 1 FROM films WHERE {} = minutes)",
    "SELECT sum({}) OVER (PARTITION BY {}) FROM providers",
    "SELECT name FROM providers UNION SELECT {} FROM providers",
    "SELECT name FROM providers LIMIT (SELECT {} FROM providers)",
]


@pytest.mark.parametrize("sql", REACHING)
def test_a_hidden_column_is_told_as_one_that_never_was(tables: list[OpenTable], sql: str) -> None:
    narrow = [without(tables[0], "fee"), *tables[1:]]
    told = []
    for name in ("fee", "fez"):
        with pytest.raises(PlanError) as caught:
            check_select(sql.replace("{}", name), narrow)
        told.append(str(caught.value))
    assert told[0].replace("fee", "fez") == told[1]


def test_a_hidden_table_is_told_as_one_that_never_was(tables: list[OpenTable]) -> None:
    told = []
    for name in ("films", "filmz"):
        with pytest.raises(PlanError) as caught:
            check_select(f"SELECT name FROM providers WHERE name IN (SELECT title FROM {name})", tables[:1])
        told.append(str(caught.value))
    assert told[0].replace("films", "filmz") == told[1]


def test_a_star_gives_no_hidden_column(tables: list[OpenTable]) -> None:
    narrow = [without(tables[0], "fee")]
    assert "fee" not in [column.name for column in ran("SELECT * FROM providers", narrow).columns]
    assert "$" not in str(cells("SELECT * FROM (SELECT * FROM providers)", narrow))


def test_a_query_that_is_refused_is_not_logged(tables: list[OpenTable], caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(PlanError):
        check_select("EXPLAIN SELECT 'secret'", tables)
    assert "secret" not in caplog.text


# ---- the second wall, with the first one down

ATTACKS = [
    "ATTACH 'file:other?mode=memory' AS d9",
    "DETACH d0",
    "PRAGMA database_list",
    "PRAGMA query_only = OFF",
    "SELECT * FROM pragma_database_list",
    "SELECT * FROM sqlite_master",
    "SELECT count(*) FROM d0.sqlite_master",
    "SELECT sql FROM d0.sqlite_schema",
    "CREATE TABLE x (y)",
    "CREATE TEMP VIEW v AS SELECT c7 FROM d0.rows",
    "CREATE TEMP TABLE t AS SELECT 1",
    "INSERT INTO d0.rows (row_id) VALUES (99)",
    "UPDATE d0.rows SET c1 = 'x'",
    "DELETE FROM d0.rows",
    "DROP TABLE d0.rows",
    "VACUUM",
    "BEGIN",
    "SELECT * FROM d0.term",
    "SELECT count(*) FROM d0.term",
    "SELECT json FROM d0.facts",
    "SELECT * FROM d0.synonym",
    "SELECT * FROM d0.term_words WHERE term_words MATCH 'a'",
    "SELECT * FROM d1.rows",
    "SELECT title FROM films",
    "SELECT load_extension('x')",
    "SELECT zeroblob(10)",
    "SELECT printf('%d', 1)",
    "SELECT * FROM json_each('[1]')",
    "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT n FROM x LIMIT 3",
    "SELECT * FROM d0.rows",
    "SELECT c7 FROM d0.rows",
    "SELECT r.c7_s AS name FROM d0.rows r",
    "SELECT x FROM (SELECT c7 AS x FROM d0.rows)",
    "WITH x AS (SELECT c7 FROM d0.rows) SELECT * FROM x",
    "SELECT c1 FROM d0.rows ORDER BY c7",
    "SELECT c1 FROM d0.rows WHERE c7 > 100",
    "SELECT count(*) FROM d0.rows GROUP BY c7",
    "SELECT a.c1 FROM d0.rows a JOIN d0.rows b USING (c7)",
    "SELECT count(*) FROM d0.rows NATURAL JOIN d0.rows b",
    "SELECT rowid FROM d0.items2",
]


def unchecked(sql: str, tables: Sequence[OpenTable]) -> CheckedSelect:
    """A first wall that lets everything through."""
    return CheckedSelect(sql, sql, {f"d{n}": table for n, table in enumerate(tables)}, (OutputColumn("x", "text", "answer"),))


@pytest.mark.parametrize("sql", ATTACKS)
def test_the_second_wall_holds(tables: list[OpenTable], sql: str) -> None:
    (hidden,) = [c.position for c in tables[0].facts.columns if c.name == "fee"]
    assert hidden == 7  # as the attacks name it
    narrow = [without(tables[0], "fee")]
    with pytest.raises(ExecutionError, match="could not be run") as caught:
        execute_select(unchecked(sql, narrow), narrow)
    assert caught.value.detail and caught.value.detail not in str(caught.value)


def test_the_second_wall_lets_through_what_it_should(tables: list[OpenTable]) -> None:
    narrow = [without(tables[0], "fee")]
    for sql in ("SELECT count(*) FROM d0.rows", "SELECT item FROM d0.items2 LIMIT 1", "SELECT max(c1) FROM d0.rows WHERE c4_f = 'easton'"):
        assert len(execute_select(unchecked(sql, narrow), narrow)[0].rows) == 1


def test_a_table_that_may_not_be_seen_is_not_opened(tables: list[OpenTable]) -> None:
    checked = check_select("SELECT title FROM films", tables)
    with pytest.raises(ExecutionError):
        execute_select(checked, tables[:1])


def test_what_takes_long_or_grows_large_ends(tables: list[OpenTable]) -> None:
    many = ", ".join(f"providers p{n}" for n in range(8))
    with pytest.raises(ExecutionError, match="longer"):
        execute_select(check_select(f"SELECT count(*) FROM {many}", tables), tables, seconds=0.05)
    grown = "notes"
    for _ in range(6):
        grown = f"replace({grown}, 'n', '{'n' * 100}')"
    with pytest.raises(ExecutionError, match="could not be run"):
        execute_select(check_select(f"SELECT {grown} FROM providers", tables), tables)


def test_the_connection_of_table_plans_only_reads(tables: list[OpenTable]) -> None:
    base = tables[0].connection()
    assert base.execute("SELECT count(*) FROM term").fetchone()[0] > 0
    for sql in (
        "ATTACH ':memory:' AS x",
        "CREATE TEMP TABLE x (y)",
        "DELETE FROM rows",
        "PRAGMA query_only = OFF",
        "SELECT load_extension('x')",
    ):
        with pytest.raises(sqlite3.DatabaseError, match="not authorized"):
            base.execute(sql)
