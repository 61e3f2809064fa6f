"""What the tests of refreshing share: a source and its store, and everything that a version holds, to be compared with a fresh build's."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import lancedb  # the tests look at what was written, whoever wrote it

from cache.versions import Held, Store
from engine.catalog import Catalog, catalog_of, load_catalog
from engine.embed import BundledEmbedder
from engine.lance import Vectors
from engine.refresh import Limits, Refreshed, refresh
from engine.table import OpenTable
from engine.tables import open_tables, source_key


class Listening(BundledEmbedder):
    """The bundled embedder, which remembers what it was given."""

    def __init__(self) -> None:
        self.given: list[str] = []

    def embed(self, phrases: Sequence[str]) -> Vectors:
        self.given += phrases
        return super().embed(phrases)


def text_of(rows: Sequence[Sequence[str]]) -> str:
    """Rows as CSV."""
    out = StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


@dataclass
class Source:
    """A file with its catalog and its store."""

    folder: Path
    said: str = ""  # the catalog's text; without it the file is asked alone
    name: str = "staff.csv"
    embedder: Listening = field(default_factory=Listening)

    @property
    def path(self) -> Path:
        """Where the file lies."""
        return self.folder / self.name

    @property
    def store(self) -> Store:
        """What is built of it."""
        return Store(self.folder / "built")

    @property
    def catalog(self) -> Catalog:
        """What is said of it."""
        if not self.said:
            return catalog_of(str(self.path))
        if not (self.folder / "almanac.toml").exists():
            (self.folder / "almanac.toml").write_text(self.said, encoding="utf-8")
        return load_catalog(self.folder / "almanac.toml")

    def write(self, rows: Sequence[Sequence[str]] | str) -> None:
        """Puts other content in place of what was there."""
        fresh = self.path.with_suffix(".fresh")
        fresh.write_text(rows if isinstance(rows, str) else text_of(rows), encoding="utf-8")
        fresh.replace(self.path)

    def refresh(self, limits: Limits = Limits()) -> Refreshed:
        """One refresh."""
        catalog = self.catalog
        self.embedder.given.clear()
        return refresh(catalog.tables[0], catalog, self.store, self.embedder, None, limits)

    def open(self, store: Store | None = None) -> list[OpenTable]:
        """What is in service."""
        return open_tables(self.catalog, store or self.store, embedder=self.embedder, only_built=store is None)

    def held(self) -> Held:
        """The version in service."""
        held = self.store.current(source_key(self.catalog.tables[0]))
        assert held is not None
        return held

    def same_as_fresh(self, folder: Path) -> None:
        """Fails where what is in service holds anything else than a full build of the same source."""
        fresh = self.open(Store(folder))
        mine = self.open()
        try:
            assert len(mine) == len(fresh)
            for one, other in zip(mine, fresh, strict=True):
                have, want = contents(one), contents(other)
                for name in want:
                    assert have[name] == want[name], name
        finally:
            for table in (*fresh, *mine):
                table.close()


def contents(table: OpenTable) -> dict[str, Any]:
    """Everything that a question can see of a version: facts, rows, items, terms in their order, words, synonyms, vectors, card."""
    found: dict[str, Any] = {"facts": table.facts.model_dump(exclude={"changed_at"})}
    with closing(sqlite3.connect(table.address, uri=True)) as base:
        tables = [name for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'term_words_%'")]
        for name in sorted(tables):
            if name in ("facts", "term", "term_words") or name.startswith("sqlite_"):
                continue
            found[name] = sorted(base.execute(f"SELECT * FROM {name}"), key=repr)
        found["indexes"] = sorted(base.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index'"), key=repr)
        terms = list(base.execute("SELECT id, position, key, joined, stems, folded, text, rows FROM term ORDER BY id"))
        found["terms"] = [row[1:] for row in terms]
        assert all(row[0] >> 32 == row[1] for row in terms)
        place = {row[0]: row[1:2] + row[5:6] for row in terms}
        base.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, term_words, instance)")
        found["words"] = sorted((word, place[number], at) for word, number, _, at in base.execute("SELECT * FROM temp.vocabulary"))
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    index = lancedb.connect(table.index)
    listed = index.open_table("terms").to_arrow().to_pylist()
    found["near"] = sorted((place[one["id"]], one["text"], one["position"], rounded(one["vector"])) for one in listed)
    found["row texts"] = sorted(
        (one["row_id"], one["text"], rounded(one["vector"])) for one in index.open_table("rows").to_arrow().to_pylist()
    )
    found["card"] = [(one["text"], rounded(one["vector"])) for one in index.open_table("card").to_arrow().to_pylist()]
    return found


def rounded(vector: Sequence[float]) -> tuple[float, ...]:
    """A vector but for the last bits, which depend on what else was in the batch."""
    return tuple(round(number, 4) + 0.0 for number in vector)
