"""From a catalog to answers: its tables opened, built first where they must be, and let go at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from bot.progress import ProgressBar
from cache.versions import Store
from engine.ask import ask
from engine.catalog import Catalog
from engine.embed import default_embedder
from engine.settings import data_folder
from engine.table import OpenTable
from engine.tables import open_tables
from engine.types import EVERYTHING, ChatThread, Reply

Answering = Callable[[str, ChatThread], Reply]


@contextmanager
def tables_of(catalog: Catalog) -> Iterator[list[OpenTable]]:
    """The tables of a catalog, open; building shows its progress."""
    with ProgressBar() as bar:
        tables = open_tables(catalog, Store(data_folder()), bar.report)
    try:
        yield tables
    finally:
        for table in tables:
            table.close()


def answers_from(tables: Sequence[OpenTable]) -> Answering:
    """A function from a question and its thread to a reply."""
    embedder = default_embedder()
    return lambda text, thread: ask(text, thread, EVERYTHING, tables=tables, embedder=embedder, now=datetime.now().astimezone())
