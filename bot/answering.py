"""From a catalog to answers: its tables opened, built first where they must be, and let go at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TypeVar

from bot.progress import ProgressBar
from bot.say import say
from cache.versions import Store
from engine.ask import ask
from engine.catalog import Catalog
from engine.embed import chosen_embedder
from engine.errors import DamageError
from engine.settings import data_folder
from engine.table import OpenTable, damage_told
from engine.tables import drop_damaged, open_tables
from engine.types import EVERYTHING, ChatThread, Reply

T = TypeVar("T")
Answering = Callable[[str, ChatThread], Reply]


@contextmanager
def tables_of(catalog: Catalog) -> Iterator[list[OpenTable]]:
    """The tables of a catalog, open; building shows its progress, and a table that cannot be read is told on standard error."""
    with ProgressBar() as bar:
        tables = open_tables(catalog, Store(data_folder()), bar.report, chosen_embedder(), left_out=say)
    try:
        yield tables
    finally:
        for table in tables:
            table.close()


def from_tables(catalog: Catalog, use: Callable[[list[OpenTable]], T]) -> T:
    """What comes of using the tables of a catalog; where their files turn out to be damaged, they are built anew and used once more."""
    try:
        with tables_of(catalog) as tables:
            try:
                with damage_told(tables):
                    return use(tables)
            except DamageError:
                drop_damaged(tables, Store(data_folder()))
                raise
    except DamageError:
        with tables_of(catalog) as tables, damage_told(tables):
            return use(tables)


def answers_from(tables: Sequence[OpenTable]) -> Answering:
    """A function from a question and its thread to a reply; it raises DamageError where the tables' files turn out to be damaged."""
    embedder = chosen_embedder()

    def answer(text: str, thread: ChatThread) -> Reply:
        with damage_told(tables):
            return ask(text, thread, EVERYTHING, tables=tables, embedder=embedder, now=datetime.now().astimezone())

    return answer
