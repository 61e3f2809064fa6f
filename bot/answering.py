"""From a catalog to answers: its tables opened, built first where they must be, and let go at the end."""

from __future__ import annotations

import threading
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


class Tables(list[OpenTable]):
    """The open tables of a catalog, which can be opened anew while they are asked."""

    def __init__(self, catalog: Catalog, opened: Sequence[OpenTable]) -> None:
        super().__init__(opened)
        self._catalog = catalog
        self._all = list(opened)
        self._lock = threading.Lock()

    def renew(self, damaged: Sequence[OpenTable]) -> None:
        """Builds anew what is damaged, unless somebody did since these were looked at; raises what opening tables raises."""
        with self._lock:
            if list(damaged) != list(self):
                return
            store = Store(data_folder())
            drop_damaged(damaged, store)
            fresh = open_tables(self._catalog, store, embedder=chosen_embedder(), left_out=say)
            self._all += fresh
            self[:] = fresh

    def close(self) -> None:
        """Lets all go, also those that were opened anew: until now another thread may have been reading them."""
        for table in self._all:
            table.close()


@contextmanager
def tables_of(catalog: Catalog) -> Iterator[Tables]:
    """The tables of a catalog, open; building shows its progress, and a table that cannot be read is told on standard error."""
    with ProgressBar() as bar:
        tables = Tables(catalog, open_tables(catalog, Store(data_folder()), bar.report, chosen_embedder(), left_out=say))
    try:
        yield tables
    finally:
        tables.close()


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
        asked = tuple(tables)  # which may be opened anew meanwhile
        with damage_told(asked):
            return ask(text, thread, EVERYTHING, tables=asked, embedder=embedder, now=datetime.now().astimezone())

    return answer
