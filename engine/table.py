"""A built table, open for questions: its facts, its terms, and its rows, read-only."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from cache.versions import Held
from engine.build.facts import ColumnFacts, TableFacts
from engine.connections import POOL, Pooled
from engine.errors import AlmanacError, DamageError
from engine.fold import key
from engine.hours import meets_all, parse, times_of
from engine.types import WHOLE, Freshness, Slice, TablePlan

SQLITE_NAME: Final = "table.sqlite"
LANCE_NAME: Final = "lance"
DAMAGED: Final = "A built table is damaged; ask again, and it is built anew."
UNUSABLE: Final = frozenset({11, 26})  # SQLite's result codes for a file that is malformed, and one that is no database
_AT_ONCE: Final = 400  # parameters of one lookup
_ASKED: Final = frozenset({"data_version", "integrity_check"})  # pragmas that only tell
_READING: Final = frozenset({sqlite3.SQLITE_READ, sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE})
_numbers: Final = count()
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FoundTerm:
    """A term as it is stored; key and folded are its looked-up and compared forms, rows the number of rows that hold it."""

    id: int
    column: ColumnFacts
    key: str
    folded: str
    text: str
    rows: int


@dataclass(frozen=True, slots=True)
class Words:
    """What the catalog says of a table's words: for a key the (column, folded term) pairs that it means; column "" is any column."""

    terms: dict[str, tuple[tuple[str, str], ...]]
    examples: tuple[tuple[str, TablePlan], ...] = ()  # worked examples: question and plan


class OpenTable:
    """One source table, pinned to one version until close()."""

    def __init__(
        self, held: Held, folder: Path, words: Words | None = None, entry: str = "", part: Slice = WHOLE, source_key: str = ""
    ) -> None:
        """Raises DamageError where the version's files are not what was built."""
        self.held = held
        self.entry = entry  # the table's name in the catalog; one of many sheets has a name of its own
        self.part = part  # what of the source it holds
        self.source_key = source_key  # under which the store keeps the version
        self._folder = folder
        self.words = words or Words({})
        self._number = next(_numbers)  # in the pool of connections
        self._closed = False
        self._remembered: dict[Hashable, Any] = {}
        self.facts = self._read_facts()
        self._by_position = {column.position: column for column in self.facts.columns}

    def _read_facts(self) -> TableFacts:
        try:
            return TableFacts.model_validate_json(self.connection().execute("SELECT json FROM facts").fetchone()[0])
        except (sqlite3.Error, ValidationError, TypeError) as error:  # no database, no facts, or none of ours
            self.close_connections()
            raise DamageError(DAMAGED) from error

    @property
    def name(self) -> str:
        """The table's name in the catalog."""
        return self.facts.name

    @property
    def version(self) -> str:
        """Which version of the data this is."""
        return self.held.version

    @property
    def index(self) -> Path:
        """The folder of the version's LanceDB tables."""
        return self._folder / LANCE_NAME

    @property
    def freshness(self) -> Freshness:
        """Which data is asked, and of when."""
        note = self.held.note() or {}
        return Freshness(
            source=self.facts.source,
            changed_at=self.facts.changed_at,
            loaded_at=self.held.built_at,
            version=self.version,
            stale_since=str(note.get("since", "")),
        )

    @property
    def address(self) -> str:
        """Where SQLite reads the rows, as a URI: read-only, of a file that nobody changes."""
        return (self._folder / SQLITE_NAME).as_uri() + "?mode=ro&immutable=1"

    def connection(self) -> sqlite3.Connection:
        """This thread's read-only connection: to be asked for anew for each use, as few are kept open over all tables."""
        if self._closed:
            raise sqlite3.ProgrammingError("the table is closed")
        return POOL.of(self._number, self._connect)

    def _connect(self) -> Pooled:
        return reading(self.address)

    def close(self) -> None:
        """Lets the version go."""
        self.close_connections()
        self.held.close()

    def close_connections(self) -> None:
        """Closes the files, for good."""
        self._closed = True
        POOL.close(self._number)

    def intact(self) -> bool:
        """Whether all files can be read: every page is looked at, which takes seconds for a large table."""
        try:
            whole = self.connection().execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok"
        except sqlite3.Error:
            return False
        from engine.lance import readable  # seconds to import, and only here for a table that failed

        return whole and readable(self.index)

    # ---- terms

    def terms_with_keys(self, keys: Iterable[str]) -> list[FoundTerm]:
        """The terms whose words are exactly these."""
        return self._terms("key", keys)

    def terms_with_stems(self, stemmed: Iterable[str]) -> list[FoundTerm]:
        """The terms whose words have these stems."""
        return self._terms("stems", stemmed)

    def terms_joined(self, joined: Iterable[str]) -> list[FoundTerm]:
        """The terms whose words, written as one, are this."""
        return self._terms("joined", joined)

    def terms_with_ids(self, ids: Iterable[int]) -> list[FoundTerm]:
        """The terms of these ids."""
        return self._terms("id", ids)

    def terms_of(self, column: ColumnFacts, limit: int = 1000) -> list[FoundTerm]:
        """A column's terms, those with the most rows first."""
        found = self.connection().execute(
            "SELECT id, position, key, folded, text, rows FROM term WHERE id >= ? AND id < ? ORDER BY rows DESC, id LIMIT ?",
            [column.first_term, column.end_term, limit],
        )
        return [self._found(row) for row in found]

    def terms_with_words(
        self, stemmed: Sequence[str], column: ColumnFacts | None = None, phrase: bool = False, limit: int = 2000
    ) -> list[FoundTerm]:
        """The terms that hold all of these stems: anywhere, or side by side in this order."""
        match = _quoted(" ".join(stemmed)) if phrase else " ".join(map(_quoted, stemmed))
        low, high = (column.first_term, column.end_term) if column else (0, 1 << 60)
        found = self.connection().execute(
            "SELECT id, position, key, folded, text, rows FROM term WHERE id IN (SELECT rowid FROM term_words"
            " WHERE term_words MATCH ? AND rowid >= ? AND rowid < ? LIMIT ?)",
            [match, low, high, limit],
        )
        return [self._found(row) for row in found]

    def terms_folded(self, folded: Iterable[str]) -> list[FoundTerm]:
        """The terms whose compared form is exactly this, in any column."""
        return self._terms("folded", folded)

    def terms_beginning(self, column: ColumnFacts, folded: str, limit: int = 500) -> list[FoundTerm]:
        """The terms of a column that are this, or begin with this and a new word."""
        found = self.connection().execute(
            "SELECT id, position, key, folded, text, rows FROM term WHERE position = ? AND (folded = ? OR folded > ? AND folded < ?) LIMIT ?",
            [column.position, folded, f"{folded} ", f"{folded} \U0010ffff", limit],
        )
        return [self._found(row) for row in found]

    def terms_beginning_key(self, column: ColumnFacts, words: str, limit: int = 3) -> list[FoundTerm]:
        """The terms of a column whose words begin with these."""
        found = self.connection().execute(
            "SELECT id, position, key, folded, text, rows FROM term WHERE id >= ? AND id < ? AND key > ? AND key < ? LIMIT ?",
            [column.first_term, column.end_term, f"{words} ", f"{words} \U0010ffff", limit],
        )
        return [self._found(row) for row in found]

    def synonyms_of(self, stemmed: Iterable[str]) -> dict[str, list[tuple[str, bool]]]:
        """For phrases (stems) what the general words give for them among the table's terms and nouns (stems), and whether that is only a hint."""
        wanted = list(dict.fromkeys(stemmed))
        meant: dict[str, list[tuple[str, bool]]] = {}
        for start in range(0, len(wanted), _AT_ONCE):
            part = wanted[start : start + _AT_ONCE]
            places = ", ".join("?" * len(part))
            rows = self.connection().execute(
                f"SELECT phrase, means, hint FROM synonym WHERE about = 'other' AND phrase IN ({places})", part
            )
            for phrase, means, hint in rows:
                meant.setdefault(phrase, []).append((means, bool(hint)))
        return meant

    def column_synonyms(self) -> list[tuple[str, str]]:
        """Pairs of (phrase, name of a column), both as stems, from the general words."""
        return list(self.connection().execute("SELECT phrase, means FROM synonym WHERE about = 'column'"))

    def has_word(self, stemmed: str) -> bool:
        """Whether any term holds a word with this stem."""
        found = self.connection().execute("SELECT 1 FROM term_words WHERE term_words MATCH ? LIMIT 1", [_quoted(stemmed)])
        return found.fetchone() is not None

    def columns_with_words(self, stemmed: Sequence[str], phrase: bool, folded: str) -> list[tuple[ColumnFacts, int, int, int]]:
        """For each column whose terms hold all of these stems: how many terms, how many rows, and how many begin with the folded text."""
        match = _quoted(" ".join(stemmed)) if phrase else " ".join(map(_quoted, stemmed))
        found = self.connection().execute(
            "SELECT position, count(*), sum(rows), sum(folded = ? OR folded > ? AND folded < ?) FROM term WHERE id IN"
            " (SELECT rowid FROM term_words WHERE term_words MATCH ?) GROUP BY position",
            [folded, f"{folded} ", f"{folded} \U0010ffff", match],
        )
        return [(self._by_position[position], terms, rows, beginning) for position, terms, rows, beginning in found]

    def remembered(self, name: Hashable, make: Callable[[], T]) -> T:
        """What was made of this version before, or is made now: for what is the same for every question."""
        if name not in self._remembered:
            self._remembered[name] = make()
        return self._remembered[name]  # type: ignore[no-any-return]

    def _terms(self, by: str, values: Iterable[str | int]) -> list[FoundTerm]:
        wanted = list(dict.fromkeys(values))
        found: list[FoundTerm] = []
        for start in range(0, len(wanted), _AT_ONCE):
            part = wanted[start : start + _AT_ONCE]
            places = ", ".join("?" * len(part))
            rows = self.connection().execute(f"SELECT id, position, key, folded, text, rows FROM term WHERE {by} IN ({places})", part)
            found += [self._found(row) for row in rows]
        return found

    def _found(self, row: Any) -> FoundTerm:
        number, position, words, folded, text, rows = row
        return FoundTerm(number, self._by_position[position], words or key(text), folded, text, rows)


def reading(address: str) -> Pooled:
    """A connection to a built table's SQLite file that can only read it; address: as `OpenTable.address`."""
    base = sqlite3.connect(address, uri=True, check_same_thread=False, factory=Pooled)
    base.execute("PRAGMA mmap_size = 268435456")
    base.execute("PRAGMA query_only = ON")
    base.create_function("open_at", 2, _open_at, deterministic=True)
    base.set_authorizer(_reads)
    return base


@contextmanager
def damage_told(tables: Sequence[OpenTable]) -> Iterator[None]:
    """Raises DamageError where what goes wrong inside comes of files that are not what was built."""
    try:
        yield
    except AlmanacError:
        raise
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in UNUSABLE or not all(table.intact() for table in tables):
            raise DamageError(DAMAGED) from error
        raise
    except Exception as error:
        if not all(table.intact() for table in tables):
            raise DamageError(DAMAGED) from error
        raise


def _reads(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    """SQLite's authorizer for plans: whatever only reads, and what the index of words asks of its own."""
    if action == sqlite3.SQLITE_PRAGMA:
        return sqlite3.SQLITE_OK if first in _ASKED else sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_UPDATE and first == "sqlite_master":
        return sqlite3.SQLITE_OK  # so an index of words declares its columns; nobody can write there
    if action == sqlite3.SQLITE_FUNCTION:
        return sqlite3.SQLITE_DENY if second == "load_extension" else sqlite3.SQLITE_OK
    return sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY


def _open_at(text: str, value: str) -> bool:
    """Whether opening hours, as a cell has them, hold a time, as a plan has it; hours that cannot be read are never open."""
    return meets_all(parse(text) or (), times_of(value))


def _quoted(words: str) -> str:
    """Words as a phrase of FTS5: text and nothing more."""
    return '"' + words.replace('"', '""') + '"'
