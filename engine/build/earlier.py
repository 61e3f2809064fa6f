"""A table as it was built before: what the next build takes over."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from engine.build.facts import ColumnFacts, TableFacts
from engine.build.kept import Kept, read_kept
from engine.errors import DamageError
from engine.lance import TermEntry
from engine.table import DAMAGED, LANCE_NAME, SQLITE_NAME

_AT_ONCE: Final = 400


class EarlierTable:
    """One table of a version that somebody holds; local: whether the embedder's phrases stay on this machine."""

    def __init__(self, folder: Path, local: bool) -> None:
        """Raises DamageError where its files are not what was built."""
        self._folder = folder
        self._local = local
        try:
            with closing(self._connect()) as base:
                self.facts = TableFacts.model_validate_json(base.execute("SELECT json FROM facts").fetchone()[0])
        except (sqlite3.Error, ValidationError, TypeError) as error:
            raise DamageError(DAMAGED) from error

    @property
    def database(self) -> Path:
        """Its SQLite file."""
        return self._folder / SQLITE_NAME

    @property
    def folder(self) -> Path:
        """The folder of its LanceDB tables."""
        return self._folder / LANCE_NAME

    @cached_property
    def kept(self) -> Kept | None:
        """Its source as it was read, where that was kept."""
        return read_kept(self._folder)

    def ids_of(self, terms: Sequence[TermEntry]) -> list[int | None]:
        """For each term the id of one with the same key, whose meaning counts in the same way; None where there is none."""
        meant = {column.position for column in self.facts.columns if column.kind == "category" and (column.sent or self._local)}
        named = {column.position for column in self.facts.columns if column.kind == "name"} - meant
        named |= {column.position for column in self.facts.columns if column.kind == "category"} - meant
        found: dict[tuple[str, bool], int] = {}
        keys = list({term.key for term in terms})
        with closing(self._connect()) as base:
            for start in range(0, len(keys), _AT_ONCE):
                part = keys[start : start + _AT_ONCE]
                places = ", ".join("?" * len(part))
                asked = f"SELECT id, position, key FROM term WHERE key IN ({places}) AND length(text) BETWEEN 1 AND 80"
                for number, position, words in base.execute(asked, part):
                    if position in meant or position in named:
                        found[words, position in meant] = number
        return [found.get((term.key, term.by_meaning)) for term in terms]

    def folded_of(self, column: ColumnFacts) -> set[str]:
        """The compared forms of a column's terms."""
        with closing(self._connect()) as base:
            return {
                row[0] for row in base.execute("SELECT folded FROM term WHERE id >= ? AND id < ?", [column.first_term, column.end_term])
            }

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.database.as_uri() + "?mode=ro&immutable=1", uri=True)
