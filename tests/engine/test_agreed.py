"""Types that are agreed on after a table was read: kept for everybody, and refused where they would empty a cell."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cache.versions import Store
from engine.agreed import check_types
from engine.catalog import Catalog, load_catalog
from engine.embed import default_embedder
from engine.errors import PlanError
from engine.library import Library
from engine.refresh import Limits, refresh
from engine.table import OpenTable
from engine.types import EVERYTHING

STOCK = "item,shelf,lot,added\nbolt,12,007,2024-01-05\nnut,9,010,2024-02-06\nscrew,31,011,2024-03-07\n"
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
    check_types(table, {"added": "text"})


def test_what_is_agreed_on_is_in_service_for_everybody(library: Library, catalog: Catalog, tmp_path: Path) -> None:
    (table,) = library.under(EVERYTHING)
    assert types_of(table)["added"] == "date"
    other = library.retype(table, {"added": "code"})
    assert types_of(other) == types_of(table) | {"added": "code"}
    assert library.under(EVERYTHING) == [other]
    with closing(Library(catalog, Store(tmp_path / "built"), default_embedder())) as later:
        (again,) = later.under(EVERYTHING)
        assert types_of(again) == types_of(other) and again.version == other.version


def test_what_the_catalog_says_of_a_column_stays(library: Library) -> None:
    (table,) = library.under(EVERYTHING)
    assert types_of(table)["shelf"] == "code"
    assert types_of(library.retype(table, {"shelf": "integer"}))["shelf"] == "code"


def test_a_column_with_such_a_type_may_go_like_any_other(library: Library, catalog: Catalog, tmp_path: Path) -> None:
    (table,) = library.under(EVERYTHING)
    library.retype(table, {"added": "code"})
    (tmp_path / "stock.csv").write_text("item,shelf,lot\nbolt,12,007\nnut,9,010\nscrew,31,011\n")
    store, embedder = Store(tmp_path / "built"), default_embedder()
    came = refresh(catalog.tables[0], catalog, store, embedder)
    assert came.outcome == "refused" and 'lost the column "added"' in came.reason
    came = refresh(catalog.tables[0], catalog, store, embedder, limits=Limits(accept=True))
    assert came.outcome == "new" and came.rows == 3


def test_such_a_table_is_asked_while_its_source_is_away(library: Library, catalog: Catalog, tmp_path: Path) -> None:
    (table,) = library.under(EVERYTHING)
    other = library.retype(table, {"added": "code"})
    (tmp_path / "stock.csv").unlink()
    told: list[str] = []
    with closing(Library(catalog, Store(tmp_path / "built"), default_embedder(), left_out=told.append)) as later:
        assert [one.version for one in later.under(EVERYTHING)] == [other.version]
    assert len(told) == 1 and "It is asked as it was read at" in told[0]
