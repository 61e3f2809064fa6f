"""A library whose tables are replaced while they are asked."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cache.versions import Store
from engine.ask import ask
from engine.catalog import Catalog, load_catalog
from engine.embed import default_embedder
from engine.library import Library
from engine.table import OpenTable
from engine.tables import index
from engine.types import EVERYTHING, WHOLE, ChatThread, Scope, Slice
from engine.warm import load

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
HIDDEN = Slice(hidden=("salary",))
PART = Scope(slices={"staff": HIDDEN})
ROWS = 40
SWAPS = 20 if os.environ.get("ALMANAC_TEST_LONG") else 6


def write(folder: Path, mark: str, rows: int = ROWS) -> None:
    """A table of which every row has the mark of its version."""
    lines = [f"Name {n},{('Haifa', 'Acre')[n % 2]},{mark},{n}" for n in range(rows)]
    (folder / "staff.csv").write_text("name,city,edition,salary\n" + "\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    write(tmp_path, "first")
    path = tmp_path / "almanac.toml"
    path.write_text('[tables.staff]\nsource = "staff.csv"\nrow = "person"\n', encoding="utf-8")
    return load_catalog(path)


@pytest.fixture
def library(catalog: Catalog, tmp_path: Path) -> Iterator[Library]:
    with closing(Library(catalog, Store(tmp_path / "data"), default_embedder(), only_built=True)) as made:
        yield made


def refresh(catalog: Catalog, library: Library, *parts: Slice) -> None:
    """As another process does it."""
    for part in parts:
        index(catalog.tables[0].sliced(part), Store(library.root), embedder=library.embedder).close()


def editions(library: Library, scope: Scope = EVERYTHING) -> set[object]:
    """The marks of the rows that a question is answered with."""
    reply = library.used(
        scope, lambda tables: ask("name and edition in Haifa", ChatThread(), scope, tables=tables, embedder=library.embedder, now=NOW)
    )
    result = reply.parts[0].result
    assert reply.kind == "answer" and result is not None and result.total == ROWS // 2
    at = [column.name for column in result.columns].index("edition")
    return {row[at] for row in result.rows}


def test_all_open_slices_are_replaced_at_once_and_the_old_ones_go(catalog: Catalog, library: Library, tmp_path: Path) -> None:
    assert editions(library) == editions(library, PART) == {"first"}
    assert library.parts("staff") == [WHOLE, HIDDEN]
    library.renew("staff")
    assert library.changed() == []
    write(tmp_path, "second")
    refresh(catalog, library, WHOLE, HIDDEN)
    assert library.changed() == ["staff"] and editions(library) == {"first"}
    ready: list[str] = []
    assert library.renew("staff", lambda table: ready.append(table.version))
    assert editions(library) == editions(library, PART) == {"second"}
    assert len(ready) == 2 and library.changed() == []
    assert not library.renew("staff")
    assert len(list(library.root.glob("*/version-*"))) == 2


def test_a_question_ends_on_the_version_that_it_began_on(catalog: Catalog, library: Library, tmp_path: Path) -> None:
    began, go_on = threading.Event(), threading.Event()
    seen: list[object] = []

    def read(tables: Sequence[OpenTable]) -> None:
        (table,) = tables
        began.set()
        assert go_on.wait(60)
        seen.extend(row[0] for row in table.connection().execute(f"SELECT DISTINCT c{table.facts.column('edition').position} FROM rows"))

    thread = threading.Thread(target=library.used, args=(EVERYTHING, read))
    thread.start()
    assert began.wait(60)
    write(tmp_path, "second")
    refresh(catalog, library, WHOLE)
    library.renew("staff")
    assert editions(library) == {"second"}
    assert len(list(library.root.glob("*/version-*"))) == 2
    go_on.set()
    thread.join(60)
    assert seen == ["first"]
    assert len(list(library.root.glob("*/version-*"))) == 1


def test_questions_all_through_many_replacements(catalog: Catalog, library: Library, tmp_path: Path) -> None:
    editions(library), editions(library, PART)
    stop = threading.Event()
    wrong: list[object] = []
    counts = [0, 0]

    def asking(which: int, scope: Scope) -> None:
        while not stop.is_set():
            try:
                found = editions(library, scope)
                if len(found) != 1:
                    wrong.append(found)
            except BaseException as error:  # noqa: BLE001 - whatever fails, the test tells it
                wrong.append(error)
                return
            counts[which] += 1

    threads = [threading.Thread(target=asking, args=(which, scope)) for which, scope in enumerate((EVERYTHING, PART))]
    for thread in threads:
        thread.start()
    for number in range(SWAPS):
        write(tmp_path, f"edition{number}")
        refresh(catalog, library, WHOLE, HIDDEN)
        library.renew("staff", lambda table: load(table, library))
        before = list(counts)
        while not wrong and not all(now > was for now, was in zip(counts, before, strict=True)):
            time.sleep(0.005)
    stop.set()
    for thread in threads:
        thread.join(60)
    assert wrong == []
    assert min(counts) >= SWAPS
    assert editions(library) == editions(library, PART) == {f"edition{SWAPS - 1}"}
    assert len(list(library.root.glob("*/version-*"))) == 2


def test_two_that_describe_a_table_otherwise_do_not_take_turns_for_ever(catalog: Catalog, library: Library, tmp_path: Path) -> None:
    editions(library)
    (tmp_path / "other.toml").write_text('[tables.staff]\nsource = "staff.csv"\nrow = "colleague"\n', encoding="utf-8")
    other_catalog = load_catalog(tmp_path / "other.toml")
    with closing(Library(other_catalog, Store(library.root), default_embedder(), only_built=True)) as other:
        editions(other)
        for _ in range(2):
            assert [one.renew("staff") for one in (library, other, library)] == [False] * 3
        assert library.changed() == other.changed() == []
        write(tmp_path, "second")
        refresh(catalog, library, WHOLE)
        assert library.renew("staff") and other.renew("staff"), "neither asks what is old"
        assert editions(library) == editions(other) == {"second"}
        assert not library.renew("staff") and not other.renew("staff")
        assert library.changed() == other.changed() == []


def test_what_is_in_service_is_opened_as_it_is(catalog: Catalog, library: Library, tmp_path: Path) -> None:
    refresh(catalog, library, WHOLE)
    write(tmp_path, "second")
    assert editions(library) == {"first"}
    with closing(Library(catalog, Store(library.root), default_embedder())) as looking:
        assert editions(looking) == {"second"}
    library.renew("staff")
    assert editions(library) == {"second"}
