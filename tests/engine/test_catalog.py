"""Catalogs that are right, and what is said of those that are not."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from engine.catalog import Catalog, TableEntry, catalog_of, load_catalog
from engine.errors import CatalogError

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"


def written(folder: Path, text: str) -> Path:
    path = folder / "almanac.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_source_is_enough(tmp_path: Path) -> None:
    (entry,) = load_catalog(written(tmp_path, '[tables.people]\nsource = "people.csv"')).tables
    assert (entry.name, entry.source, entry.base) == ("people", "people.csv", tmp_path)
    assert (entry.row, entry.keys, entry.columns) == ((), (), {})


def test_everything_that_can_be_said(tmp_path: Path) -> None:
    catalog = load_catalog(
        written(
            tmp_path,
            """
            [tables."Our people"]
            source = "people.csv"
            description = "Who works here."
            row = "person"
            keys = ["name", "phone"]
            [tables."Our people".columns.grade]
            note = "Since 2020."
            synonyms = "level"
            list = "; "
            type = "code"
            [tables."Our people".columns.grade.terms]
            A1 = ["junior", "beginner"]
            [tables."Our people".columns.open]
            hours = true
            list = false
            [tables."Our people".read]
            delimiter = ";"
            columns = { name = "text" }
            [glossary]
            newcomer = "A1"
            [[examples]]
            question = "who is new?"
            plan = { kind = "table", table = "Our people", where = [{ any_of = [{ column = "grade", op = "is", values = ["A1"] }] }] }
            explanation = "New people have grade A1."
            """,
        )
    )
    (entry,) = catalog.tables
    assert entry.row == ("person",)
    assert entry.columns["grade"].synonyms == ("level",)
    assert entry.columns["grade"].terms == {"A1": ("junior", "beginner")}
    assert entry.columns["open"].hours
    options = entry.options()
    assert options.delimiter == ";"
    assert options.columns == {"grade": "code", "name": "text"}
    assert options.lists == {"grade": "; ", "open": ""}
    assert catalog.glossary == {"newcomer": "A1"}
    assert catalog.examples[0].plan.kind == "table"


HEAD = '[tables.a]\nsource = "a.csv"\n'
WRONG = {
    "no table": ("", '"tables" is missing', "[tables.NAME]"),
    "tables is empty": ("[tables]", '"tables" is empty', "at least one"),
    "no source": ("[tables.a]\nrow = 'x'", '"tables.a.source" is missing', "file, address or database"),
    "blank source": ("[tables.a]\nsource = ' '", '"tables.a.source" is empty', "a text"),
    "source of a wrong type": ("[tables.a]\nsource = 1", '"tables.a.source" is 1', "a text"),
    "unknown key": ("tabels = 1\n" + HEAD, '"tabels" is no key', 'did you mean "tables"?'),
    "unknown key of a table": (HEAD + "colums = 1", '"tables.a.colums" is no key', 'did you mean "columns"?'),
    "a key that is ours": (HEAD + "base = '.'", '"tables.a.base" is no key', "known there are"),
    "unknown key of a column": (HEAD + "[tables.a.columns.b]\nsynonym = 'c'", '"tables.a.columns.b.synonym" is no key', '"synonyms"'),
    "unknown key of reading": (HEAD + "[tables.a.read]\ndelimeter = ';'", '"tables.a.read.delimeter" is no key', '"delimiter"'),
    "unknown key of a plan": (
        HEAD + "[[examples]]\nquestion = 'q'\nplan = { kind = 'table', table = 'a', wher = [] }",
        '"examples.0.plan.wher" is no key',
        '"where"',
    ),
    "plan of no kind": (HEAD + "[[examples]]\nquestion = 'q'\nplan = { table = 'a' }", '"examples.0.plan" needs a "kind"', "sql"),
    "unknown type": (HEAD + "[tables.a.columns.b]\ntype = 'number'", '"tables.a.columns.b.type" is "number"', "'integer'"),
    "hours in words": (HEAD + "[tables.a.columns.b]\nhours = 'yes'", '"tables.a.columns.b.hours" is "yes"', "true or false"),
    "list that says nothing": (HEAD + "[tables.a.columns.b]\nlist = true", '"tables.a.columns.b.list"', "divides the items"),
    "header rows below none": (HEAD + "[tables.a.read]\nheader_rows = -1", '"tables.a.read.header_rows" is -1', "at least 0"),
    "a delimiter of two": (HEAD + "[tables.a.read]\ndelimiter = '::'", '"tables.a.read.delimiter" must be one character', "found"),
    "a delimiter of none": (HEAD + "[tables.a.read]\ndelimiter = ''", '"tables.a.read.delimiter" must be one character', "found"),
    "a quote of two": (HEAD + "[tables.a.read]\nquote = '[]'", '"tables.a.read.quote" must be one character', "nothing is quoted"),
    "a codec of something else": (HEAD + "[tables.a.read]\nencoding = 'hex'", '"tables.a.read" has the encoding "hex"', "cp1252"),
    "a table that is no section": ("[tables]\na = 1", '"tables.a" is 1', "a section of keys"),
    "a rhythm that is none": (HEAD + "refresh = 'soon'", '"tables.a.refresh" is "soon"', '"10 minutes", "1 hour"'),
    "a cron that is none": (HEAD + "refresh = '0 25 * * *'", '"tables.a.refresh" is "0 25 * * *"', 'a cron such as "0 6 * * *"'),
    "a jitter that is none": (HEAD + "jitter = 'some'", '"tables.a.jitter" is "some"', '"30 seconds"'),
    "a jitter that is too long": (HEAD + "refresh = '1 minute'\njitter = '1 hour'", '"tables.a.jitter" is "1 hour"', "must be shorter"),
    "alerts to a name": (HEAD + "alerts = 'slack:#ops'", '"tables.a.alerts" is "slack:#ops"', '"slack:C0123ABCD"'),
    "alerts to nowhere": (HEAD + "alerts = 'ops'", '"tables.a.alerts" is "ops"', '"teams:19:...@thread.tacv2"'),
    "a key twice": (HEAD + "keys = ['b', 'b']", '"tables.a.keys" names a column twice', ""),
    "a column's name twice": (
        HEAD + "[tables.a.columns.b]\nsynonyms = 'x'\n[tables.a.columns.c]\nsynonyms = ['X']",
        '"tables.a.columns" gives the name "X" to two columns',
        "one column",
    ),
    "a word for two values": (HEAD + "[tables.a.columns.b.terms]\nc = 'x'\nd = 'x'", '"tables.a.columns.b.terms" gives "x"', "one value"),
    "a quoted key": (HEAD + "[tables.a.columns.'b c']\nnotes = 'x'", "\"tables.a.columns.'b c'.notes\" is no key", '"note"'),
    "not TOML": ("[tables.a]\nsource: x", "not TOML at line 2, column 7", "[tables.NAME]"),
    "a table twice": (HEAD + HEAD, "not TOML at line 3", ""),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_is_told(tmp_path: Path, wrong: str) -> None:
    text, what, right = WRONG[wrong]
    path = written(tmp_path, text)
    with pytest.raises(CatalogError) as told:
        load_catalog(path)
    message = str(told.value)
    assert str(path) in message
    assert what in message
    assert right in message
    assert "\n" not in message
    assert "pydantic" not in message


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"\xff\xfe[\x00", "not UTF-8"), (b"PK\x03\x04\x00\x00", "not TOML"), (b"[" * 5000, "nested too deeply")],
    ids=["another encoding", "a spreadsheet", "nested"],
)
def test_a_file_that_is_no_catalog(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "almanac.toml"
    path.write_bytes(content)
    with pytest.raises(CatalogError, match=said if said != "nested too deeply" else "not TOML|nested too deeply"):
        load_catalog(path)


def test_a_catalog_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="There is no catalog"):
        load_catalog(tmp_path / "almanac.toml")
    with pytest.raises(CatalogError, match="cannot be read"):
        load_catalog(tmp_path)


def test_a_byte_order_mark_is_no_matter(tmp_path: Path) -> None:
    path = tmp_path / "almanac.toml"
    path.write_bytes(b"\xef\xbb\xbf" + HEAD.encode())
    assert load_catalog(path).tables[0].name == "a"


def test_a_link_to_a_catalog_keeps_its_sources(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    written(tmp_path / "there", HEAD)
    (tmp_path / "linked.toml").symlink_to(tmp_path / "there" / "almanac.toml")
    assert load_catalog(tmp_path / "linked.toml").tables[0].base == tmp_path / "there"


def test_another_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = load_catalog(written(tmp_path, HEAD))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (entry,) = catalog.with_source("a", "other.csv").tables
    assert (entry.source, entry.base) == ("other.csv", tmp_path / "here")
    with pytest.raises(CatalogError, match='no table "b"; it has "a"'):
        catalog.with_source("b", "other.csv")


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("folder/england pharmacies.csv", "england pharmacies"),
        ("https://example.org/data/list.xlsx?sheet=1", "list"),
        ("postgresql://user:secret@host/sales", "sales"),
        ("exports/*.csv", "exports"),
        ("exports/orders-*.csv", "orders"),
        ("*.csv", "table"),
    ],
)
def test_a_table_without_a_catalog(source: str, name: str) -> None:
    (entry,) = catalog_of(source).tables
    assert (entry.name, entry.source) == (name, source)


def test_a_source_that_is_empty() -> None:
    with pytest.raises(CatalogError, match="source is empty"):
        catalog_of(" ")


@pytest.mark.parametrize("example", sorted(path.parent.name for path in EXAMPLES.glob("*/almanac.toml")))
def test_the_examples_name_columns_that_are_there(example: str) -> None:
    (entry,) = load_catalog(EXAMPLES / example / "almanac.toml").tables
    with open(entry.base / entry.source, encoding="utf-8", newline="") as file:
        header = next(csv.reader(file))
    assert set(entry.columns) | set(entry.keys) <= set(header)


def test_a_catalog_without_an_end_is_not_read_for_ever(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="is larger than"):
        load_catalog(Path("/dev/zero"))


def test_how_often_a_source_is_looked_at(tmp_path: Path) -> None:
    def entry(source: str, more: str = "") -> TableEntry:
        return load_catalog(written(tmp_path, f'[tables.a]\nsource = "{source}"\n{more}')).tables[0]

    assert (entry("a.csv").rhythm.seconds, entry("a.csv").jitter_seconds) == (600, 60)
    assert (entry("https://example.com/a.csv").rhythm.seconds, entry("postgresql://db/a").rhythm.seconds) == (3600, 3600)
    assert entry("a.csv", "refresh = '5 minutes'\njitter = '10 seconds'").jitter_seconds == 10
    assert entry("a.csv", "jitter = '0'").jitter_seconds == 0
    assert entry("a.csv", "refresh = 'never'").rhythm.never
    assert entry("a.csv", "refresh = '30 6 * * mon-fri'").rhythm.cron == ((30,), (6,), (), (), (1, 2, 3, 4, 5))
    assert entry("a.csv", "alerts = 'teams:19:x@thread.tacv2'").alerts_to == ("teams", "19:x@thread.tacv2")


EVERYTHING_SAID = """
glossary = { chemist = "pharmacy" }
[access]
people = "people.csv"
endpoints = ["https://models.example/v1"]
groups = { finance = ["ann@clinic.example"] }
[[examples]]
question = "who is open?"
plan = { kind = "table", table = "book", where = [{ any_of = [{ column = "city", op = "is", values = ["1", 2, 2.5] }] }] }
[[examples]]
question = "how many?"
plan = { kind = "sql", sql = "SELECT count(*) FROM book" }
[tables.book]
source = "book.csv"
description = "who works where"
row = ["clinic", "clinics"]
keys = ["name"]
rows = "city = {asker.city}"
all_rows = ["finance"]
channels = ["C0123ABCD"]
refresh = "1 minute"
jitter = "5 seconds"
alerts = "slack:C0123ABCD"
audit_rows = true
read = { encoding = "utf-8", quote = "", no_value = ["x"], columns = { a = "code" }, lists = { b = "" } }
[tables.book.columns.name]
note = "as on the door"
[tables.book.columns.city]
list = false
see = ["finance"]
[tables.book.columns.hours]
hours = true
list = "; "
terms = { night = ["late", "after hours"] }
[tables.other]
source = "other.csv"
"""


def test_another_process_is_told_the_same_catalog(tmp_path: Path) -> None:
    (tmp_path / "almanac.toml").write_text(EVERYTHING_SAID, encoding="utf-8")
    examples = sorted(EXAMPLES.glob("*/almanac.toml"))
    assert len(examples) >= 2
    for path in (tmp_path / "almanac.toml", *examples):
        catalog = load_catalog(path)
        again = Catalog.model_validate(json.loads(json.dumps(catalog.model_dump(mode="json"))))
        assert again == catalog and repr(again) == repr(catalog)
