"""From a catalog to answers: its tables opened, built first where they must be, and let go at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from bot.progress import ProgressBar
from bot.say import say
from cache.versions import Store
from engine.ask import ask
from engine.catalog import Catalog
from engine.embed import chosen_embedder
from engine.library import Library
from engine.planners import Kind, chosen_planner
from engine.remember import Memory
from engine.settings import data_folder, remembers
from engine.types import EVERYTHING, ChatThread, Reply, Scope

if TYPE_CHECKING:
    from engine.agents.planner import ModelPlanner

Answering = Callable[[str, ChatThread, Scope], Reply]


@contextmanager
def library_of(catalog: Catalog, *ahead: Scope, only_built: bool = False, opens: bool = True) -> Iterator[Library]:
    """The tables of a catalog, those of some scopes opened ahead; building shows its progress, a table that cannot be read is told on standard error.

    only_built: what is in service is opened as it is, where somebody else looks whether its source has changed. opens: else none is opened ahead.
    """
    with ProgressBar() as bar:
        library = Library(catalog, Store(data_folder()), chosen_embedder(catalog.access.endpoints), bar.report, say, only_built)
        if opens:
            library.build(ahead or (EVERYTHING,))
    try:
        yield library
    finally:
        library.close()


def planner_of(catalog: Catalog, kind: Kind | None = None) -> ModelPlanner | None:
    """The model planner that the settings and the catalog allow, None where there is none; raises UsageError, before anything is opened."""
    return chosen_planner(data_folder(), catalog.access.endpoints, kind)


def memory_of_plans() -> Memory | None:
    """Where the plans of questions are kept and found again; None where ALMANAC_CACHE is off."""
    return Memory(data_folder()) if remembers() else None


def answers_from(
    library: Library, planner: ModelPlanner | None = None, *, remembering: bool = True, memory: Memory | None = None
) -> Answering:
    """A function from a question, its thread and the asker's scope to a reply.

    planner: what plans by a model, where something does. remembering: whether the plans of questions are kept and found again, where
    ALMANAC_CACHE is not off. memory: where they are, if somebody shares it.
    """
    memory = memory or (memory_of_plans() if remembering else None)
    planner = planner and replace(planner, retype=library.retype)

    def answer(text: str, thread: ChatThread, scope: Scope) -> Reply:
        now = datetime.now().astimezone()
        return library.used(
            scope,
            lambda tables: ask(text, thread, scope, tables=tables, embedder=library.embedder, now=now, memory=memory, planner=planner),
        )

    return answer
