"""What is asked most is remembered, and loaded first."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cache.hints import Hints
from cache.versions import Store
from engine import asked as asked_module
from engine.ask import ask
from engine.asked import Asked
from engine.catalog import Catalog, load_catalog
from engine.embed import default_embedder
from engine.errors import UsageError
from engine.library import Library
from engine.settings import unused_days, warm_seconds
from engine.types import EVERYTHING, WHOLE, ChatThread, Scope, Slice
from engine.warm import warm, warming

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
HIDDEN = Slice(hidden=("salary",))


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    for name in ("shops", "clinics", "staff"):
        (tmp_path / f"{name}.csv").write_text(f"name,city,salary\nOne {name},Haifa,1\nTwo {name},Acre,2\n", encoding="utf-8")
    path = tmp_path / "almanac.toml"
    path.write_text("".join(f'[tables.{name}]\nsource = "{name}.csv"\n' for name in ("shops", "clinics", "staff")), encoding="utf-8")
    return load_catalog(path)


@contextmanager
def opened(catalog: Catalog, folder: Path) -> Iterator[Library]:
    library = Library(catalog, Store(folder), default_embedder())
    try:
        yield library
    finally:
        library.close()


def test_what_is_asked_is_counted_by_table_and_slice_and_remembered(catalog: Catalog, tmp_path: Path) -> None:
    with opened(catalog, tmp_path / "data") as library:
        for scope in (EVERYTHING, EVERYTHING, Scope(slices={"staff": HIDDEN})):
            reply = library.used(
                scope,
                lambda tables, scope=scope: ask("staff in Haifa", ChatThread(), scope, tables=tables, embedder=library.embedder, now=NOW),
            )
            assert reply.kind == "answer"
        assert library.asked.most() == [("staff", WHOLE), ("staff", HIDDEN)]
    with opened(catalog, tmp_path / "data") as library:
        assert library.asked.most() == [("staff", WHOLE), ("staff", HIDDEN)]
        warmed = warm(library, (EVERYTHING,), 60)
    assert [(one.table, one.whole) for one in warmed] == [("staff", True), ("staff", False), ("shops", True), ("clinics", True)]
    assert [one.rows for one in warmed] == [2] * 4 and not any(one.built or one.failure for one in warmed)


def test_warming_builds_what_is_missing_but_no_slice_of_old_rules(catalog: Catalog, tmp_path: Path) -> None:
    with opened(catalog, tmp_path / "data") as library:
        library.asked.note([("clinics", WHOLE), ("staff", HIDDEN), ("gone", WHOLE)])
    with opened(catalog, tmp_path / "data") as library:
        scope = Scope(slices={"shops": WHOLE, "clinics": WHOLE})
        warmed = warm(library, (scope,), 60)
        assert [(one.table, one.built) for one in warmed] == [("clinics", True), ("shops", True)]
        assert not library.is_built("staff", HIDDEN)
        assert [(one.table, one.built) for one in warm(library, (scope,), 60)] == [("clinics", False), ("shops", False)]


def test_no_table_is_begun_after_the_budget_or_the_end(catalog: Catalog, tmp_path: Path) -> None:
    with opened(catalog, tmp_path / "data") as library:
        assert warm(library, (EVERYTHING,), 0) == []
        assert warm(library, (EVERYTHING,), 60, stopped=lambda: True) == []
        with warming(library, (EVERYTHING,), 0):
            assert not library.is_built("shops", WHOLE)


def test_warming_beside_what_is_done(catalog: Catalog, tmp_path: Path) -> None:
    with opened(catalog, tmp_path / "data") as library, warming(library, (EVERYTHING,), 60):
        end = time.monotonic() + 60
        while not all(library.is_built(name, WHOLE) for name in ("shops", "clinics", "staff")) and time.monotonic() < end:
            time.sleep(0.05)
        assert library.is_built("staff", WHOLE)


def test_a_table_that_cannot_be_loaded_is_told_and_the_others_are(catalog: Catalog, tmp_path: Path) -> None:
    (tmp_path / "shops.csv").write_bytes(b"")
    with opened(catalog, tmp_path / "data") as library:
        warmed = {one.table: one.failure for one in warm(library, (EVERYTHING,), 60)}
    assert warmed.pop("shops") and warmed == {"clinics": "", "staff": ""}


def test_what_was_asked_is_bounded_and_forgotten(catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hints = Hints(tmp_path, "tables")
    for number in range(asked_module.MOST + 50):
        one = Asked(hints, catalog)
        one.note([("shops", Slice(column="city", value=f"{number:04}"))] * (number + 1))
        if number % 50 == 0:
            one.save()
    one.note([("shops", Slice(column="city", value=f"{n:04}")) for n in range(1000)])
    one.save()
    assert len(Asked(hints, catalog).most()) == asked_module.MOST
    later = asked_module._today() + 300
    monkeypatch.setattr(asked_module, "_today", lambda: later)
    one.note([("staff", WHOLE)])
    one.save()
    assert Asked(hints, catalog).most() == [("staff", WHOLE)]
    hints.close()


@pytest.mark.parametrize(
    "known", [None, 1, [], {"day": "x", "spots": []}, {"day": 1, "spots": [[1]]}, {"day": 1, "spots": [["a", {"b": 1}, 1]]}]
)
def test_what_was_not_written_so_is_nothing(catalog: Catalog, tmp_path: Path, known: object) -> None:
    hints = Hints(tmp_path, "tables")
    one = Asked(hints, catalog)
    hints.set(one._key, known)  # type: ignore[arg-type]
    assert one.most() == []
    hints.close()


def test_a_table_that_the_catalog_does_not_name_any_more_goes(catalog: Catalog, tmp_path: Path) -> None:
    with opened(catalog, tmp_path / "data") as library:
        library.build((EVERYTHING, Scope(slices={"staff": HIDDEN})))
    homes = {path for path in (tmp_path / "data").iterdir() if (path / "manifest.json").exists()}
    assert len(homes) == 4
    for home in homes:
        for path in (*home.rglob("held"), home / "build.lock", home):
            os.utime(path, (0, 0))
    (tmp_path / "data" / ".swept").unlink()
    fewer = catalog.model_copy(update={"tables": catalog.tables[:2]})
    with opened(fewer, tmp_path / "data") as library:
        library.build((Scope(slices={"shops": WHOLE}),))  # clinics is named and not opened; staff and its slice are neither
    left = {path for path in homes if path.exists()}
    assert {home.name.split(".")[0] for home in left} == {"shops", "clinics"}


@pytest.mark.parametrize("value", ["x", "-1", "nan", "1e9"])
def test_settings_that_are_wrong(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("ALMANAC_WARM_SECONDS", value)
    monkeypatch.setenv("ALMANAC_UNUSED_DAYS", value)
    with pytest.raises(UsageError, match="ALMANAC_WARM_SECONDS must be"):
        warm_seconds()
    with pytest.raises(UsageError, match="ALMANAC_UNUSED_DAYS must be"):
        unused_days()
    monkeypatch.setenv("ALMANAC_WARM_SECONDS", "0")
    monkeypatch.setenv("ALMANAC_UNUSED_DAYS", "0.5")
    assert warm_seconds() == 0
    with pytest.raises(UsageError):
        unused_days()
