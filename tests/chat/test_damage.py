"""Files that are damaged while they are served: what is asked next is built anew and answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.answering import library_of
from bot.chat.asking import Asking, asking_of
from engine.catalog import load_catalog
from engine.table import OpenTable
from engine.types import EVERYTHING, ChatThread, Reply
from tests.chat.world import ACRE, write


def damage(tables: Sequence[OpenTable]) -> Path:
    """Overwrites what the first table reads its rows from, all but what opening looks at; gives its path."""
    path = tables[0].held.folder / "0" / "table.sqlite"
    with path.open("r+b") as file:
        size = file.seek(0, 2)
        file.seek(8192)
        file.write(b"\xff" * (size - 8192))
    return path


def ask(asking: Asking) -> Reply:
    return asking.answer("doctors in Acre", ChatThread(), EVERYTHING)


def page(asking: Asking) -> Callable[[], Reply]:
    answer = ask(asking).parts[0]
    return lambda: asking.again(answer, EVERYTHING)


@pytest.fixture
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ALMANAC_DATA", str(tmp_path / "data"))
    return write(tmp_path)


@pytest.mark.parametrize("pressed", [False, True])
def test_damage_while_serving_is_answered_over_tables_built_anew(catalog: Path, pressed: bool) -> None:
    with library_of(load_catalog(catalog)) as library:
        tables = library.under(EVERYTHING)
        asking = asking_of(library, EVERYTHING)
        again = page(asking)
        before = damage(tables)
        reply = again() if pressed else ask(asking)
        result = reply.parts[0].result
        assert result is not None and result.total == ACRE
        (renewed,) = library.under(EVERYTHING)
        assert renewed.held.folder != before.parent.parent and renewed.intact()


def test_many_who_meet_the_same_damage_build_once(catalog: Path) -> None:
    with library_of(load_catalog(catalog)) as library, ThreadPoolExecutor(6) as pool:
        tables = library.under(EVERYTHING)
        asking = asking_of(library, EVERYTHING)
        damage(tables)
        replies = list(pool.map(lambda _: ask(asking), range(12)))
        assert [reply.parts[0].kind for reply in replies] == ["answer"] * 12
        renewed = library.under(EVERYTHING)
        library._renew(tables)
        assert library.under(EVERYTHING) == renewed != tables, "who looked at what is gone builds nothing"
