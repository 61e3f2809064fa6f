"""No word, count or column that somebody may not see is in anything that they are shown, in the log, or in what is kept for others."""

from __future__ import annotations

import logging
import os
import random
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cache.versions import Store
from engine.ask import ask
from engine.embed import default_embedder
from engine.library import Library
from engine.rights import Rights
from engine.types import ChatThread, Reply, Turn
from tests.rights.play import play
from tests.rights.world import World, altered, draw, questions

LONG = os.environ.get("ALMANAC_TEST_LONG") == "1"
WORLDS, TALKS = (60, 70) if LONG else (4, 25)
PAIRS, ASKED = (60, 25) if LONG else (3, 12)
NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize("seed", range(WORLDS))
def test_nothing_is_shown_that_its_readers_may_not_see(seed: int, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    leaks = play(seed, tmp_path, TALKS)
    assert leaks == [], "\n\n".join(leaks[:5])
    assert leaks.draws >= TALKS
    assert not [record for record in caplog.records if record.exc_info], "nothing failed"


@pytest.mark.parametrize("seed", range(PAIRS))
def test_what_is_hidden_changes_nothing(seed: int, tmp_path: Path) -> None:
    """For each person the same replies, whatever the cells and rows are that they may not see: no count, order, suggestion or reason tells of them."""
    chance = random.Random(1000 + seed)
    world = draw(chance, tmp_path / "one")
    for number, name in enumerate(world.people):
        other = altered(world, name, chance, tmp_path / f"other{number}")
        asked = [questions(draw_from, chance) for draw_from in (world, other) for _ in range(ASKED)]
        assert _replies(world, name, asked, tmp_path / "store") == _replies(other, name, asked, tmp_path / f"store{number}"), name


def test_who_may_not_know_a_table_hears_what_they_would_hear_without_it(tmp_path: Path) -> None:
    chance = random.Random(7)
    for seed in range(30):
        world = draw(random.Random(seed), tmp_path / str(seed))
        if blind := [name for name in world.people if not world.visible(name) and not world.groups(name) & world.see]:
            asked = [questions(world, chance) for _ in range(5)]
            library = Library(world.catalog, Store(tmp_path / f"s{seed}"), default_embedder())
            scope = Rights(world.catalog).scope_of(world.person(blind[0]))
            assert library.under(scope) == [], "nothing is opened for them, so that no time tells"
            for texts in asked:
                reply = ask(texts[0], ChatThread(), scope, tables=[], embedder=default_embedder(), now=NOW)
                assert reply.kind == "no_answer"
                assert reply == ask(texts[0], ChatThread(), scope, tables=library.under(scope), embedder=default_embedder(), now=NOW)
            return
    pytest.fail("no world drawn hides its table from anybody")


def _replies(world: World, name: str, asked: list[list[str]], store: Path) -> list[Reply]:
    library = Library(world.catalog, Store(store), default_embedder())
    scope = Rights(world.catalog).scope_of(world.person(name))
    try:
        tables = library.under(scope)
        replies = []
        for first, *more in asked:
            thread = ChatThread(turns=(Turn(who="asker", text=first),)) if more else ChatThread()
            reply = ask((more or [first])[0], thread, scope, tables=tables, embedder=default_embedder(), now=NOW)
            replies.append(_without_versions(reply))
        return replies
    finally:
        library.close()


def _without_versions(reply: Reply) -> Reply:
    parts = []
    for part in reply.parts:
        result = part.result.model_copy(update={"version": "", "loaded_at": ""}) if part.result else None
        parts.append(part.model_copy(update={"result": result, "freshness": None}))
    return Reply(parts=tuple(parts))
