"""`almanac cache` as a program runs it."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from cache.hints import Hints
from cache.versions import Store
from engine.catalog import catalog_of
from engine.tables import source_key
from tests.bot.test_cli import almanac, folder, refused

__all__ = ["folder"]


@pytest.fixture
def data(folder: Path) -> Path:
    """A data folder in which a table is built and a plan remembered."""
    warmed = almanac(folder, "cache", "warm", "--table", "shops.csv", "--json", ALMANAC_DATA="data")
    (table,) = json.loads(warmed.stdout)["tables"]
    assert (table["table"], table["rows"], table["built"], table["failure"]) == ("shops", 5, True, "")
    hints = Hints(folder / "data", "plans")
    hints.set("key", 1)
    hints.close()
    return folder / "data"


def shops(folder: Path) -> str:
    return source_key(catalog_of(str(folder / "shops.csv")).tables[0])


def test_stats(folder: Path, data: Path) -> None:
    held = Store(data).current(shops(folder))
    assert held is not None
    done = almanac(folder, "cache", "stats", "--json", ALMANAC_DATA="data")
    found = json.loads(done.stdout)
    by_name = {one["name"]: one for one in found["namespaces"]}
    assert by_name["plans"]["entries"] == 1 and 0 < by_name["plans"]["bytes"] < by_name["plans"]["limit"]
    (table,) = found["tables"]
    assert (table["names"], table["rows"], table["leftovers"], table["wrong"]) == (["shops"], 5, 0, "")
    assert table["version"] == held.version and table["bytes"] > 10_000 and table["readers"] in (1, None)
    held.close()
    told = almanac(folder, "cache", "stats", ALMANAC_DATA="data")
    assert told.returncode == 0 and "shops" in told.stdout and "least-recently-used" in told.stdout


def test_stats_of_a_folder_that_is_not_there(folder: Path) -> None:
    done = almanac(folder, "cache", "stats", ALMANAC_DATA="data")
    assert done.returncode == 0 and "No table is built." in done.stdout and not (folder / "data").exists()


def test_clear_leaves_what_is_held(folder: Path, data: Path) -> None:
    assert "say --yes" in refused(almanac(folder, "cache", "clear", ALMANAC_DATA="data"))
    assert 'Did you mean "plans"?' in refused(almanac(folder, "cache", "clear", "plan", "--yes", ALMANAC_DATA="data"))
    done = almanac(folder, "cache", "clear", "plans", "--yes", "--json", ALMANAC_DATA="data")
    assert json.loads(done.stdout) == {"forgotten": {"plans": 1}, "tables_removed": 0, "tables_in_use": 0}
    held = Store(data).current(shops(folder))
    assert held is not None
    done = almanac(folder, "cache", "clear", "--tables", "--yes", "--json", ALMANAC_DATA="data")
    assert (json.loads(done.stdout)["tables_removed"], json.loads(done.stdout)["tables_in_use"]) == (0, 1)
    assert (held.folder / "held").exists()
    held.close()
    done = almanac(folder, "cache", "clear", "--tables", "--yes", ALMANAC_DATA="data")
    assert "1 removed, 0 in use" in done.stdout and Store(data).current(shops(folder)) is None
    asked = almanac(folder, "ask", "--table", "shops.csv", "how many shops are in Ash?", ALMANAC_DATA="data")
    assert asked.returncode == 0


def test_verify_finds_and_repairs(folder: Path, data: Path) -> None:
    done = almanac(folder, "cache", "verify", ALMANAC_DATA="data")
    assert done.returncode == 0 and "1 built tables were read; nothing is wrong." in done.stdout
    (data / "plans" / "cache.db").write_bytes(b"garbage" * 1000)
    (rows,) = data.rglob("table.sqlite")
    size = rows.stat().st_size
    with rows.open("r+b") as file:  # the size stays, so that only reading tells
        file.seek(size // 2)
        file.write(b"\xff" * (size // 4))
    for options in ((), ("--repair",)):
        done = almanac(folder, "cache", "verify", "--json", *options, ALMANAC_DATA="data")
        found = json.loads(done.stdout)
        assert done.returncode == 3 and [one["what"] for one in found["wrong"]] == ["plans", "shops"]
        assert found["repaired"] is bool(options)
    assert almanac(folder, "cache", "verify", ALMANAC_DATA="data").returncode == 0
    done = almanac(folder, "ask", "--json", "--table", "shops.csv", "how many shops are in Ash?", ALMANAC_DATA="data")
    assert json.loads(done.stdout)["rows"] == [[2]]


def test_verify_finds_a_damaged_index_of_terms(folder: Path, data: Path) -> None:
    for part in data.rglob("terms.lance/data/*.lance"):
        part.write_bytes(b"\xff" * part.stat().st_size)
    done = almanac(folder, "cache", "verify", "--repair", ALMANAC_DATA="data")
    assert done.returncode == 3 and "shops: its rows, or its index of terms, are damaged" in done.stdout
    assert almanac(folder, "cache", "verify", ALMANAC_DATA="data").returncode == 0


def test_what_another_version_of_almanac_built_is_not_judged(folder: Path, data: Path) -> None:
    (path,) = data.rglob("manifest.json")
    path.write_text(path.read_text().replace('"format": 1', '"format": 2'))
    done = almanac(folder, "cache", "verify", "--repair", ALMANAC_DATA="data")
    assert done.returncode == 0 and path.exists()


def test_warm_is_told_and_has_a_budget(folder: Path) -> None:
    done = almanac(folder, "cache", "warm", "--table", "shops.csv", "--seconds", "0", ALMANAC_DATA="data")
    assert done.returncode == 0 and "no time" in done.stdout
    done = almanac(folder, "cache", "warm", "--table", "shops.csv", ALMANAC_DATA="data")
    assert done.returncode == 0 and done.stdout.startswith("shops: 5 rows, version ") and done.stdout.endswith(", built now\n")


def test_the_reply_tells_what_was_found_among_what_is_remembered(folder: Path, data: Path) -> None:
    done = almanac(folder, "ask", "--json", "--table", "shops.csv", "how many shops are in Ash?", ALMANAC_DATA="data")
    cache = json.loads(done.stdout)["cache"]
    assert all(set(counts) == {"hits", "misses"} for counts in cache.values())


@pytest.mark.skipif(importlib.util.find_spec("engine.history") is None, reason="there are no histories yet")
def test_show_history(folder: Path, data: Path) -> None:
    done = almanac(folder, "cache", "show", "history", "shops", "--table", "shops.csv", ALMANAC_DATA="data")
    assert done.returncode == 0 and all(isinstance(json.loads(line), dict) for line in done.stdout.splitlines())
    again = almanac(folder, "cache", "show", "history", "shops", "--table", "shops.csv", ALMANAC_DATA="data")
    assert again.stdout == done.stdout and done.stdout
    assert "there is shops" in refused(almanac(folder, "cache", "show", "history", "shop", "--table", "shops.csv", ALMANAC_DATA="data"))
