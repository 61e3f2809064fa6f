"""Tables that are built for real, once for all tests of the engine, and asked as a surface asks them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cache.versions import Store
from engine.ask import ask
from engine.catalog import catalog_of, load_catalog
from engine.embed import default_embedder
from engine.embedder import Embedder
from engine.table import OpenTable
from engine.tables import open_tables
from engine.types import EVERYTHING, Answer, ChatThread, Reply, Scope, Turn
from tests.engine.samples import FILMS, PROVIDERS, STOCK

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Asked:
    """Open tables, and the way to ask them."""

    tables: Sequence[OpenTable]

    def reply(self, text: str, *turns: Turn, scope: Scope = EVERYTHING, embedder: Embedder | None = None) -> Reply:
        """The reply to a question, after the turns of its thread."""
        return ask(text, ChatThread(turns=turns), scope, tables=self.tables, embedder=embedder or default_embedder(), now=NOW)

    def __call__(self, text: str, *turns: Turn) -> Answer:
        """The one part of the reply."""
        (part,) = self.reply(text, *turns).parts
        return part

    def ids(self, text: str, *turns: Turn) -> list[int]:
        """The numbers of the rows that answer, in their order; the test fails where it is no answer of rows."""
        part = self(text, *turns)
        assert part.kind == "answer", part.message
        assert part.result is not None and part.result.row_ids is not None, part.plan
        assert part.result.total == len(part.result.row_ids) == len(part.result.rows)
        return list(part.result.row_ids)

    def cells(self, text: str, *turns: Turn) -> list[tuple[object, ...]]:
        """The rows of the answer, whole, for groups and figures."""
        part = self(text, *turns)
        assert part.kind == "answer" and part.result is not None, part.message
        return list(part.result.rows)

    def figure(self, text: str, *turns: Turn) -> object:
        """The one figure that answers."""
        ((cell,),) = self.cells(text, *turns)
        return cell


Opened = Callable[..., Asked]


@pytest.fixture(scope="session")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """Opens the table of a file's text, in a store of its own; a catalog's text may say more of it."""
    with ExitStack() as held:

        def open_text(text: str, name: str = "table.csv", catalog: str = "") -> Asked:
            folder = tmp_path_factory.mktemp("source")
            (folder / name).write_text(text, encoding="utf-8")
            if catalog:
                (folder / "almanac.toml").write_text(catalog, encoding="utf-8")
            said = load_catalog(folder / "almanac.toml") if catalog else catalog_of(str(folder / name))
            tables = open_tables(said, Store(folder / "built"))
            for table in tables:
                held.enter_context(closing(table))
            return Asked(tables)

        yield open_text


@pytest.fixture(scope="session")
def providers(opened: Opened) -> Asked:
    """Providers with lists, cities within districts, codes, money, dates and blanks."""
    return opened(PROVIDERS, "providers.csv")


@pytest.fixture(scope="session")
def films(opened: Opened) -> Asked:
    """Films with dates, lengths and money."""
    return opened(FILMS, "films.csv")


@pytest.fixture(scope="session")
def stock(opened: Opened) -> Asked:
    """A stock list with codes, quantities and blanks."""
    return opened(STOCK, "stock.csv")


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """An empty folder for built tables."""
    return tmp_path / "built"
