"""From a catalog to open tables when files are damaged, folders are closed and sources are gone."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from cache.folders import safe_name
from cache.locks import wait_for
from cache.versions import BUILD_LOCK, Store
from engine.catalog import Catalog, catalog_of, load_catalog
from engine.errors import CatalogError, DamageError, SourceError
from engine.table import OpenTable, damage_told
from engine.tables import drop_damaged, open_tables, source_key

SHOPS = "name,town\n" + "".join(f"Shop {n},Town {n % 7}\n" for n in range(300))


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    (tmp_path / "shops.csv").write_text(SHOPS)
    return catalog_of(str(tmp_path / "shops.csv"))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "built")


def opened(catalog: Catalog, store: Store) -> OpenTable:
    (table,) = open_tables(catalog, store)
    return table


def overwrite(path: Path, start: int = 0, stop: int | None = None) -> None:
    """Other bytes of the same size."""
    data = bytearray(path.read_bytes())
    data[start:stop] = b"\xff" * len(data[start:stop])
    path.write_bytes(data)


@pytest.mark.parametrize("start", [0, 16])
def test_a_database_that_is_none_is_built_anew_when_it_is_opened(catalog: Catalog, store: Store, start: int) -> None:
    with closing(opened(catalog, store)) as first:
        before = first.held.folder
        overwrite(before / "0" / "table.sqlite", start)
    with closing(opened(catalog, store)) as second:
        assert second.held.folder != before
        assert second.facts.rows == 300
    with closing(opened(catalog, store)) as third:
        assert third.held.folder == second.held.folder


@pytest.mark.parametrize("facts", [{}, {"tables": []}, {"tables": [{}], "stamp": "x"}])
def test_a_manifest_with_other_facts_is_built_anew(catalog: Catalog, store: Store, facts: dict[str, object]) -> None:
    opened(catalog, store).close()
    (path,) = store.root.glob("*/manifest.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), "facts": facts}))
    with closing(opened(catalog, store)) as table:
        assert table.facts.rows == 300
    assert json.loads(path.read_text())["facts"]["tables"]


@pytest.mark.parametrize("part", ["table.sqlite", "lance"])
def test_what_is_found_damaged_while_it_is_asked_is_dropped(catalog: Catalog, store: Store, part: str) -> None:
    table = opened(catalog, store)
    assert table.intact()
    before = table.held.folder
    if part == "lance":
        for path in (table.index / "terms.lance" / "data").iterdir():
            overwrite(path)
    else:
        overwrite(before / "0" / part, 8192, 16384)  # a page of rows, and none that opening looks at
    table.close()
    (again,) = open_tables(catalog, store, only_built=True)
    assert again.held.folder == before
    assert not again.intact()
    with pytest.raises(DamageError), damage_told([again]):
        raise KeyError("what damage may lead to")
    drop_damaged([again], store)
    again.close()
    with closing(opened(catalog, store)) as fresh:
        assert fresh.held.folder != before
        assert fresh.intact()


def test_an_error_over_files_that_are_whole_stays_what_it_is(catalog: Catalog, store: Store) -> None:
    with closing(opened(catalog, store)) as table, pytest.raises(KeyError), damage_told([table]):
        raise KeyError("a mistake of ours")


def test_a_touched_source_of_the_same_content_needs_no_lock(catalog: Catalog, store: Store, tmp_path: Path) -> None:
    """So it is asked where the folder of what is built is read-only, and while another builds."""
    with closing(opened(catalog, store)) as first:
        (tmp_path / "shops.csv").write_text(SHOPS)
        home = store.root / safe_name(source_key(catalog.tables[0]))

        def told(stage: str, done: int, total: int) -> None:
            assert "waiting" not in stage

        with closing(wait_for(home / BUILD_LOCK)):
            (second,) = open_tables(catalog, store, told)
        assert second.held.folder == first.held.folder
        second.close()


def two(tmp_path: Path, *, examples: str = "") -> Catalog:
    (tmp_path / "people.csv").write_text("name,age\nAnn,31\nBob,42\n")
    said = '[tables.shops]\nsource = "shops.csv"\n[tables.people]\nsource = "people.csv"\n'
    (tmp_path / "almanac.toml").write_text(said + examples)
    return load_catalog(tmp_path / "almanac.toml")


def test_a_source_that_is_gone_names_its_table_and_keeps_no_other_from_being_asked(tmp_path: Path, store: Store) -> None:
    catalog, told = two(tmp_path), list[str]()
    with pytest.raises(SourceError, match=r'The table "shops" of the catalog ".*almanac\.toml": There is no file shops\.csv'):
        open_tables(catalog, store)
    for table in open_tables(catalog, store, left_out=told.append):
        assert table.name == "people"
        table.close()
    assert len(told) == 1 and told[0].endswith("It is left out.")


def test_a_source_that_is_gone_is_asked_as_it_was_built(tmp_path: Path, store: Store) -> None:
    (tmp_path / "shops.csv").write_text(SHOPS)
    catalog, told = two(tmp_path), list[str]()
    for table in open_tables(catalog, store):
        table.close()
    (tmp_path / "shops.csv").unlink()
    tables = open_tables(catalog, store, left_out=told.append)
    assert [(table.name, table.facts.rows) for table in tables] == [("shops", 300), ("people", 2)]
    for table in tables:
        table.close()
    assert "It is asked as it was read at 20" in told[0]


def test_a_source_that_shrank_is_asked_as_it_was_whoever_opens_it(tmp_path: Path, store: Store) -> None:
    (tmp_path / "shops.csv").write_text(SHOPS)
    catalog, told = two(tmp_path), list[str]()
    for table in open_tables(catalog, store):
        table.close()
    (tmp_path / "shops.csv").write_text("".join(SHOPS.splitlines(keepends=True)[:40]))
    with pytest.raises(SourceError, match=r"shrank from 300 rows to 39.*`almanac refresh --accept` takes it"):
        open_tables(catalog, store)
    for _ in range(2):
        shops, people = open_tables(catalog, store, left_out=told.append)
        assert (shops.facts.rows, people.facts.rows) == (300, 2) and shops.freshness.stale_since
        shops.close()
        people.close()
    (alone,) = open_tables(catalog_of(str(tmp_path / "shops.csv")), store)
    assert alone.facts.rows == 39, "who names a file asks it as it is"
    alone.close()


def test_where_no_source_is_left_that_is_an_error_and_told_once(tmp_path: Path, store: Store) -> None:
    catalog, told = two(tmp_path), list[str]()
    (tmp_path / "people.csv").unlink()
    with pytest.raises(SourceError, match="There is no file"):
        open_tables(catalog, store, left_out=told.append)
    assert told == []


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ('{ kind = "table", table = "shosp" }', r'"examples.0.plan" names the table "shosp"; there is "shops", "people"'),
        ('{ kind = "table", table = "shops", select = ["twon"] }', r'The table "shops" has no column "twon"'),
        (
            '{ kind = "table", table = "people", group_by = ["name"], measures = [{ function = "sum", column = "name" }] }',
            "holds no numbers",
        ),
    ],
)
def test_an_example_that_does_not_fit(tmp_path: Path, store: Store, plan: str, said: str) -> None:
    (tmp_path / "shops.csv").write_text(SHOPS)
    with pytest.raises(CatalogError, match=said):
        open_tables(two(tmp_path, examples=f'[[examples]]\nquestion = "which?"\nplan = {plan}\n'), store)


def test_a_name_that_is_not_text_is_a_name(tmp_path: Path, store: Store) -> None:
    path = tmp_path / "caf\udce9.csv"  # a byte that is no UTF-8, as Python writes it
    path.write_text(SHOPS)
    with closing(opened(catalog_of(str(path)), store)) as table:
        assert table.facts.rows == 300
