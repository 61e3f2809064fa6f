"""Types that are agreed on after a table was read: kept for everybody, and refused where they would empty a cell."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from cache.versions import Store
from engine.agreed import check_types, settled
from engine.catalog import Catalog, load_catalog
from engine.embed import default_embedder
from engine.errors import BuildError, PlanError
from engine.library import Library
from engine.refresh import Limits, refresh
from engine.table import OpenTable
from engine.types import EVERYTHING

STOCK = "item,shelf,lot,added,bin\nbolt,12,007,2024-01-05,4\nnut,9,010,2024-02-06,5\nscrew,31,011,2024-03-07,77\n"
CATALOG = '[tables.stock]\nsource = "stock.csv"\n[tables.stock.columns.shelf]\ntype = "code"\n'


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    (tmp_path / "stock.csv").write_text(STOCK)
    (tmp_path / "almanac.toml").write_text(CATALOG)
    return load_catalog(tmp_path / "almanac.toml")


@pytest.fixture
def library(catalog: Catalog, tmp_path: Path) -> Iterator[Library]:
    with closing(Library(catalog, Store(tmp_path / "built"), default_embedder())) as library:
        yield library


def types_of(table: OpenTable) -> dict[str, str]:
    return {column.name: column.type for column in table.facts.columns}


def test_a_type_that_would_empty_a_cell_is_refused_with_the_values(library: Library) -> None:
    (table,) = library.under(EVERYTHING)
    with pytest.raises(PlanError, match=r'"lot" cannot be of the type integer: that would empty .*"007"'):
        check_types(table, {"lot": "integer"})  # a code keeps its leading zeros
    with pytest.raises(PlanError, match=r'"item" cannot be of the type date: that would empty'):
        check_types(table, {"item": "date"})
    with pytest.raises(PlanError, match='There is no column "price"'):
        check_types(table, {"price": "integer"})
    with pytest.raises(PlanError, match='"item" has the type text already'):
        check_types(table, {"item": "text"})
    for kind in ("text", "code"):
        with pytest.raises(PlanError, match='"added" holds date values, and could be neither compared nor summed'):
            check_types(table, {"added": kind})  # type: ignore[dict-item]
    check_types(table, {"bin": "code"})


def test_what_is_agreed_on_is_in_service_for_everybody(library: Library, catalog: Catalog, tmp_path: Path) -> None:
    (table,) = library.under(EVERYTHING)
    assert types_of(table)["bin"] == "integer"
    other = library.retype(table, {"bin": "code"})
    assert types_of(other) == types_of(table) | {"bin": "code"}
    assert library.under(EVERYTHING) == [other]
    with closing(Library(catalog, Store(tmp_path / "built"), default_embedder())) as later:
        (again,) = later.under(EVERYTHING)
        assert types_of(again) == types_of(other) and again.version == other.version


def test_what_the_catalog_says_of_a_column_stays(library: Library) -> None:
    (table,) = library.under(EVERYTHING)
    assert types_of(table)["shelf"] == "code"
    with pytest.raises(PlanError, match='The type of "shelf" is settled'):
        library.retype(table, {"shelf": "integer"})
    assert types_of(library.under(EVERYTHING)[0])["shelf"] == "code"


def test_a_type_that_was_agreed_on_is_not_changed_back(library: Library) -> None:
    (table,) = library.under(EVERYTHING)
    other = library.retype(table, {"bin": "code"})
    with pytest.raises(PlanError, match='The type of "bin" is settled'):
        library.retype(other, {"bin": "integer"})
    assert library.under(EVERYTHING) == [other]
    assert library.retype(table, {"bin": "code"}) is other, "who asked for the same a little later gets the same"


def test_many_at_once_agree_on_one_table(library: Library) -> None:
    (table,) = library.under(EVERYTHING)

    def again(_: int) -> int:
        def use(tables: Sequence[OpenTable]) -> int:
            made = library.retype(tables[0], {"bin": "code"})
            return int(made.connection().execute("SELECT count(*) FROM rows").fetchone()[0])

        return library.used(EVERYTHING, use)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(again, range(8))) == [3] * 8
    (last,) = library.under(EVERYTHING)
    assert types_of(last)["bin"] == "code" and last is not table


def test_what_cannot_be_built_is_not_agreed_on(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    (table,) = library.under(EVERYTHING)

    def full(*_: object, **__: object) -> list[OpenTable]:
        raise BuildError("The disk is full.")

    with monkeypatch.context() as broken:
        broken.setattr("engine.library.open_tables", full)
        with pytest.raises(BuildError):
            library.retype(table, {"bin": "code"})
    assert library.under(EVERYTHING) == [table] and settled(table.source_key, Store(library.root)) == {}


def test_a_type_fits_every_table_of_the_source_that_has_the_column(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "both.db")) as base:
        base.execute("CREATE TABLE parts (name TEXT, bin TEXT)")
        base.execute("CREATE TABLE tools (name TEXT, bin TEXT)")
        base.executemany("INSERT INTO parts VALUES (?, ?)", [("bolt", "1"), ("nut", "2")])
        base.executemany("INSERT INTO tools VALUES (?, ?)", [("saw", "upper"), ("file", "lower")])
        base.commit()
    (tmp_path / "almanac.toml").write_text('[tables.both]\nsource = "both.db"\n')
    with closing(Library(load_catalog(tmp_path / "almanac.toml"), Store(tmp_path / "built"), default_embedder())) as library:
        parts = next(table for table in library.under(EVERYTHING) if table.name == "parts")
        kind = "integer" if types_of(parts)["bin"] != "integer" else "decimal"
        with pytest.raises(PlanError, match=r"upper|lower"):
            library.retype(parts, {"bin": kind})
        assert settled(parts.source_key, Store(tmp_path / "built")) == {}


def test_a_column_with_such_a_type_may_go_like_any_other(library: Library, catalog: Catalog, tmp_path: Path) -> None:
    (table,) = library.under(EVERYTHING)
    library.retype(table, {"bin": "code"})
    (tmp_path / "stock.csv").write_text("item,shelf,lot,added\nbolt,12,007,2024-01-05\nnut,9,010,2024-02-06\nscrew,31,011,2024-03-07\n")
    store, embedder = Store(tmp_path / "built"), default_embedder()
    came = refresh(catalog.tables[0], catalog, store, embedder)
    assert came.outcome == "refused" and 'lost the column "bin"' in came.reason
    came = refresh(catalog.tables[0], catalog, store, embedder, limits=Limits(accept=True))
    assert came.outcome == "new" and came.rows == 3


def test_such_a_table_is_asked_while_its_source_is_away(library: Library, catalog: Catalog, tmp_path: Path) -> None:
    (table,) = library.under(EVERYTHING)
    other = library.retype(table, {"bin": "code"})
    (tmp_path / "stock.csv").unlink()
    told: list[str] = []
    with closing(Library(catalog, Store(tmp_path / "built"), default_embedder(), left_out=told.append)) as later:
        assert [one.version for one in later.under(EVERYTHING)] == [other.version]
    assert len(told) == 1 and "It is asked as it was read at" in told[0]


@pytest.mark.parametrize("why", ["away", "shrunk"])
def test_where_its_source_is_not_taken_a_table_keeps_its_types_and_is_asked(catalog: Catalog, tmp_path: Path, why: str) -> None:
    told: list[str] = []
    with closing(Library(catalog, Store(tmp_path / "built"), default_embedder(), left_out=told.append, only_built=True)) as library:
        (table,) = library.under(EVERYTHING)
        lines = (tmp_path / "stock.csv").read_text().splitlines(keepends=True)
        if why == "away":
            (tmp_path / "stock.csv").unlink()
        else:
            (tmp_path / "stock.csv").write_text("".join(lines[:2]))
        with pytest.raises(PlanError, match="cannot be made again with other types now"):
            library.retype(table, {"bin": "code"})
        assert library.under(EVERYTHING) == [table] and table.intact()
        assert settled(table.source_key, Store(library.root)) == {}
