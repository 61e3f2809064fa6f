"""The list of an organisation's people: who is in which groups, and what else is said of each."""

from __future__ import annotations

import re
import threading
import time
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine.errors import SourceError
from engine.fold import fold
from engine.read import read, stamp
from engine.read.options import ReadOptions
from engine.read.table import SourceTable

FRESH_SECONDS: Final = 60.0  # after which it is looked at again
_NAMES: Final = ("person", "email", "e-mail", "id", "slack", "teams")  # the columns that a person is known by
_APART: Final = re.compile(r"\s*[;,|]\s*")


@dataclass(frozen=True, slots=True)
class Record:
    """What the list says of a person, everything folded: groups, and by column the other cells."""

    groups: frozenset[str]
    attributes: dict[str, str]


class Staff:
    """A source with a row for each person, read again when it has changed."""

    def __init__(self, source: str, base: Path) -> None:
        self._source, self._base = source, base
        self._lock = threading.Lock()
        self._read_at = float("-inf")
        self._stamp = ""
        self._known: dict[str, Record] = {}

    def record(self, names: Iterable[str]) -> Record | None:
        """What is said of a person by any of their names, None where nothing is; raises SourceError where the list cannot be read."""
        known = self._fresh()
        return next((known[known_as(name)] for name in names if name and known_as(name) in known), None)

    def people(self) -> Sequence[str]:
        """Everybody on the list, once for each of their names."""
        return list(self._fresh())

    def _fresh(self) -> dict[str, Record]:
        with self._lock:
            now = time.monotonic()
            if now - self._read_at >= FRESH_SECONDS:
                mark = stamp(self._source, self._base)
                if not mark or mark != self._stamp:
                    self._known = _records(read(self._source, ReadOptions(), base=self._base))
                self._read_at, self._stamp = now, mark
            return self._known


def known_as(name: str) -> str:
    """What tells people, and groups of a platform, apart: upper and lower case do not, accents do."""
    return unicodedata.normalize("NFC", name.strip().casefold())


def _records(tables: Sequence[SourceTable]) -> dict[str, Record]:
    known: dict[str, Record] = {}
    twice: set[str] = set()
    for table in tables:
        columns = {fold(column.name): column for column in table.columns}
        names = [columns[name] for name in _NAMES if name in columns]
        if not names:
            raise SourceError('The list of people has no column "person", "email" or "id"; name one of its columns so.')
        for row in range(table.rows):
            cells = {name: c.texts[c.codes[row]].strip() if c.codes[row] >= 0 else "" for name, c in columns.items()}
            groups = frozenset(fold(group) for group in _APART.split(cells.get("groups", "")) if group)
            attributes = {name: fold(cell) for name, cell in cells.items() if cell and name != "groups"}
            for column in names:
                if name := known_as(cells[fold(column.name)]):
                    if name in known and known[name] != Record(groups, attributes):
                        twice.add(name)
                    known[name] = Record(groups, attributes)
    for name in twice:  # two rows that say different things: neither is believed
        known[name] = Record(frozenset(), {})
    return known
