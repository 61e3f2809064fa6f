"""Files that are damaged while they are served: what is asked next is built anew and answered."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.answering import Tables, tables_of
from bot.chat.asking import Asking, asking_of
from engine.catalog import load_catalog
from engine.types import ChatThread, Reply
from tests.chat.world import ACRE, write


def damage(tables: Tables) -> Path:
    """Overwrites what the first table reads its rows from, all but what opening looks at; gives its path."""
    path = tables[0].held.folder / "0" / "table.sqlite"
    with path.open("r+b") as file:
        size = file.seek(0, 2)
        file.seek(8192)
        file.write(b"\xff" * (size - 8192))
    return path


def ask(asking: Asking) -> Reply:
    return asking.answer("doctors in Acre", ChatThread())


def page(asking: Asking) -> Callable[[], Reply]:
    answer = ask(asking).parts[0]
    return lambda: asking.again(answer, ChatThread())


@pytest.fixture
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ALMANAC_DATA", str(tmp_path / "data"))
    return write(tmp_path)


@pytest.mark.parametrize("pressed", [False, True])
def test_damage_while_serving_is_answered_over_tables_built_anew(catalog: Path, pressed: bool) -> None:
    with tables_of(load_catalog(catalog)) as tables:
        asking = asking_of(tables)
        again = page(asking)
        before = damage(tables)
        reply = again() if pressed else ask(asking)
        result = reply.parts[0].result
        assert result is not None and result.total == ACRE
        assert tables[0].held.folder != before.parent.parent and tables[0].intact()


def test_many_who_meet_the_same_damage_build_once(catalog: Path) -> None:
    with tables_of(load_catalog(catalog)) as tables, ThreadPoolExecutor(6) as pool:
        asking = asking_of(tables)
        damaged = tuple(tables)
        damage(tables)
        replies = list(pool.map(lambda _: ask(asking), range(12)))
        assert [reply.parts[0].kind for reply in replies] == ["answer"] * 12
        renewed = tuple(tables)
        tables.renew(damaged)
        assert tuple(tables) == renewed != damaged, "who looked at what is gone builds nothing"
