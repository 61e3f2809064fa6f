"""What is built knows its columns and terms; it is built once, anew when the source changes, and never half."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cache.versions import Store
from engine.catalog import Catalog, catalog_of
from engine.embed import default_embedder
from engine.embedder import Embedder
from engine.errors import AlmanacError, BuildError, CatalogError, SourceError
from engine.fold import key
from engine.table import OpenTable
from engine.tables import open_tables
from tests.engine.conftest import Asked, Opened
from tests.engine.samples import FILMS, PROVIDERS, STOCK, items, rows_of

if TYPE_CHECKING:
    from engine.embedder import Vectors


class Counting:
    """The real embedder, counting its calls."""

    def __init__(self) -> None:
        self.inner: Embedder = default_embedder()
        self.address = ""
        self.name, self.dimensions, self.calibration = self.inner.name, self.inner.dimensions, self.inner.calibration
        self.calls = 0

    def embed(self, phrases: Sequence[str]) -> Vectors:
        self.calls += 1
        return self.inner.embed(phrases)


def catalog(folder: Path, text: str = FILMS, name: str = "films.csv") -> Catalog:
    (folder / name).write_text(text, encoding="utf-8")
    return catalog_of(str(folder / name))


def opened_one(catalog: Catalog, store: Store, embedder: Embedder | None = None) -> OpenTable:
    (table,) = open_tables(catalog, store, embedder=embedder)
    return table


# ---- what is known of a table


def test_columns_have_their_types(providers: Asked) -> None:
    types = {column.name: column.type for column in providers.tables[0].facts.columns}
    assert types == {
        "code": "code",
        "name": "text",
        "specialty": "text",
        "languages": "text",
        "city": "text",
        "district": "text",
        "phone": "code",
        "fee": "money",
        "rating": "decimal",
        "joined": "date",
        "wheelchair access": "boolean",
        "notes": "text",
    }


def test_what_a_row_is_called_and_known_by(providers: Asked, films: Asked) -> None:
    facts = providers.tables[0].facts
    assert (facts.naming, facts.rows, facts.declared) == ("name", 20, True)
    assert facts.keys[0] == "name" and {"city", "phone", "code"} <= set(facts.keys) and "fee" not in facts.keys
    assert films.tables[0].facts.naming == "title"


def test_lists_are_taken_apart(providers: Asked) -> None:
    facts = providers.tables[0].facts
    assert {column.name for column in facts.columns if column.list_separator} == {"specialty", "languages"}
    spoken = {term.text: term.rows for term in providers.tables[0].terms_of(facts.column("languages"))}
    expected = [item for row in rows_of(PROVIDERS) for item in items(row["languages"])]
    assert spoken == {language: expected.count(language) for language in expected}


def test_a_city_lies_in_one_district(providers: Asked) -> None:
    facts = providers.tables[0].facts
    assert "district" in facts.column("city").determines
    assert "city" not in facts.column("district").determines


def test_blanks_and_bounds_are_counted(stock: Asked) -> None:
    facts = stock.tables[0].facts
    assert [facts.column(name).empty for name in ("quantity", "last counted", "sku")] == [1, 1, 0]
    assert (facts.column("quantity").low, facts.column("quantity").high) == (0.0, 1200.0)


def test_spellings_of_one_term_are_one(opened: Opened) -> None:
    table = opened("name,town\nA,Saint-Lô\nB,SAINT–LO\nC, saint-lo \nD,Saint-Lô\nE,Easton\n").tables[0]
    found = {term.text: term.rows for term in table.terms_of(table.facts.column("town"))}
    assert found == {"Saint-Lô": 4, "Easton": 1}


def test_terms_are_found_by_words_beginnings_and_stems(providers: Asked) -> None:
    table = providers.tables[0]
    assert {term.text for term in table.terms_with_keys([key("JOSÉ NÚÑEZ"), key("saint lo")])} == {"José Núñez", "Saint-Lô"}
    assert [term.text for term in table.terms_beginning(table.facts.column("name"), "anna")] == ["Anna Weiss"]
    assert {term.text for term in table.terms_with_words(["lindqvist"])} == {"Grace Lindqvist", "Hugo Lindqvist"}
    assert table.has_word("lindqvist") and not table.has_word("lindq")


@pytest.mark.parametrize("words", ['"', '" OR "', "lindqvist*", "NEAR(a b)", "stems:lindqvist", "-lindqvist", "' --", ""])
def test_looking_for_words_is_no_query_language(providers: Asked, words: str) -> None:
    found = {term.text for term in providers.tables[0].terms_with_words([words])}
    assert found <= {"Grace Lindqvist", "Hugo Lindqvist"}
    assert not providers.tables[0].has_word("zz" + words)


def test_names_of_columns_and_tables_are_text(opened: Opened) -> None:
    text = 'name,"a"" ; DROP TABLE rows; --","[x] OR 1=1",select,%\nJoe,red,1,up,p\nAnn,blue,2,down,q\nBob,red,3,up,r\n'
    asked = opened(text, "it's; DROP TABLE rows --.csv")
    facts = asked.tables[0].facts
    assert [column.name for column in facts.columns] == ["name", 'a" ; DROP TABLE rows; --', "[x] OR 1=1", "select", "%"]
    assert asked.ids("red") == [1, 3]
    (ann,) = asked.ids("Ann")
    assert ann == 2


# ---- built once


def test_the_second_opening_builds_nothing(tmp_path: Path) -> None:
    said, store, embedder = catalog(tmp_path), Store(tmp_path / "built"), Counting()
    with closing(opened_one(said, store, embedder)) as first:
        calls = embedder.calls
        assert calls > 0
        with closing(opened_one(said, Store(tmp_path / "built"), embedder)) as second:
            assert second.freshness == first.freshness
            assert second.index == first.index
            assert second.version
    assert embedder.calls == calls


def test_the_same_content_under_a_new_time_is_the_same_version(tmp_path: Path) -> None:
    said, store, embedder = catalog(tmp_path), Store(tmp_path / "built"), Counting()
    with closing(opened_one(said, store, embedder)) as first:
        version, calls = first.version, embedder.calls
    (tmp_path / "films.csv").write_text(FILMS, encoding="utf-8")
    with closing(opened_one(said, store, embedder)) as again:
        assert (again.version, embedder.calls) == (version, calls)


def test_another_content_is_another_version_and_the_old_one_answers_until_it_is_let_go(tmp_path: Path) -> None:
    said, store = catalog(tmp_path), Store(tmp_path / "built")
    old = opened_one(said, store)
    catalog(tmp_path, FILMS + 'One More,Zoe Late,Drama,Norway,2022-01-01,90,"$1"\n')
    with closing(opened_one(said, store)) as new:
        assert new.version != old.version
        assert (Asked([new]).ids("by Zoe Late"), Asked([old])("by Zoe Late").kind) == ([13], "no_answer")
        assert Asked([old]).figure("how many films are there") == 12
    old.close()


def test_another_embedder_is_another_build(tmp_path: Path) -> None:
    said, store, other = catalog(tmp_path), Store(tmp_path / "built"), Counting()
    other.name = "another"
    with closing(opened_one(said, store)) as first, closing(opened_one(said, store, other)) as second:
        assert other.calls > 0 and first.version != second.version


def test_only_built_does_not_look_at_the_source(tmp_path: Path) -> None:
    said, store = catalog(tmp_path), Store(tmp_path / "built")
    opened_one(said, store).close()
    (tmp_path / "films.csv").unlink()
    (table,) = open_tables(said, store, only_built=True)
    with closing(table):
        assert table.facts.rows == 12


def test_many_who_open_at_once_build_once(tmp_path: Path) -> None:
    said, embedder, found = catalog(tmp_path), Counting(), list[OpenTable]()
    threads = [threading.Thread(target=lambda: found.append(opened_one(said, Store(tmp_path / "built"), embedder))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    single = Counting()
    opened_one(said, Store(tmp_path / "apart"), single).close()
    assert len({table.index for table in found}) == 1 and len(found) == 4
    assert embedder.calls == single.calls
    for table in found:
        table.close()


# ---- what goes wrong leaves nothing


def left(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.name.startswith(("version-", "making-", "manifest"))]


@pytest.mark.parametrize(
    ("name", "content"), [("gone.csv", None), ("empty.csv", b""), ("picture.csv", bytes(range(256)) * 40), ("folder.csv", "folder")]
)
def test_a_source_that_cannot_be_read(tmp_path: Path, name: str, content: bytes | str | None) -> None:
    if isinstance(content, bytes):
        (tmp_path / name).write_bytes(content)
    elif content:
        (tmp_path / name).mkdir()
    with pytest.raises(SourceError) as caught:
        open_tables(catalog_of(str(tmp_path / name)), Store(tmp_path / "built"))
    assert name in str(caught.value) and "\n" not in str(caught.value) and caught.value.status == 2
    assert left(tmp_path) == []


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "built").write_text("a file stands where the folder should be")
    with pytest.raises(BuildError) as caught:
        opened_one(catalog(tmp_path), Store(tmp_path / "built"))
    assert "built" in str(caught.value) and "Errno" not in str(caught.value)
    assert caught.value.status == 3


def test_a_column_of_the_catalog_that_the_source_lacks(tmp_path: Path, opened: Opened) -> None:
    said = '[tables.stock]\nsource = "stock.csv"\nkeys = ["product", "shelf"]\n'
    with pytest.raises(CatalogError, match="shelf") as caught:
        opened(STOCK, "stock.csv", said)
    assert "warehouse" in str(caught.value)


class Failing(Counting):
    """Fails once the rows are written."""

    def embed(self, phrases: Sequence[str]) -> Vectors:
        raise AlmanacError("The embedder is away.")


def test_a_build_that_fails_leaves_the_old_version(tmp_path: Path) -> None:
    said, store = catalog(tmp_path), Store(tmp_path / "built")
    opened_one(said, store).close()
    before = sorted(left(tmp_path))
    catalog(tmp_path, FILMS.replace("Sweden", "Norway"))
    with pytest.raises(AlmanacError, match="away"):
        opened_one(said, store, Failing())
    assert sorted(left(tmp_path)) == before
    (table,) = open_tables(said, store, only_built=True)
    with closing(table):
        assert Asked([table]).ids("films from Sweden") == [1, 3, 12]


def test_a_table_without_rows_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="header and no rows"):
        opened_one(catalog(tmp_path, "name,city,fee\n", "shops.csv"), Store(tmp_path / "built"))
    assert left(tmp_path) == []
