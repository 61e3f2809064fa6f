"""The audit: who asked for what, and what they were given; entries are added, and never changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import Connection, delete, func, insert, or_, select, tuple_

from bot.chat.database import Database
from bot.chat.state import State
from bot.chat.tables import AUDIT, AUDIT_RELEASE

ERASED: Final = "erased"  # the action of an entry which says that a person's conversations are gone
_DAY: Final = 86_400.0
_PAGE: Final = 1000  # entries that are read at once: a transaction of SQLite keeps all others waiting
_JSON: Final = ("tables", "columns", "row_ids", "plan")


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that somebody asked for.

    action: "ask", "page", "receipt", "how", "file", "share", "correct", "pick", "more", "refused", "erased", "schedule", "scheduled" (asked
    at its time), "change", "pause", "stop", "resume", "remove". at: seconds since 1970, written
    by the audit. asker: the platform's id. kind: of the reply, empty where there was none. columns: as "table.column". rows: how many there
    were in all. row_ids: numbers of the source's rows by table, None where the catalog does not want them kept. plan: of each part, as in a
    reply's JSON. scope: the key of what the asker could see. exported: rows that left as a file. spend: what models cost.
    """

    action: str
    platform: str = ""
    workspace: str = ""
    channel: str = ""
    thread: str = ""
    asker: str = ""
    email: str = ""
    reply: str = ""
    question: str = ""
    kind: str = ""
    tables: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: int = 0
    row_ids: Mapping[str, tuple[int, ...]] | None = None
    plan: tuple[Mapping[str, Any], ...] = ()
    planner: str = ""
    scope: str = ""
    exported: int = 0
    spend: float = 0.0
    at: float = 0.0
    id: int = 0

    @property
    def time(self) -> str:
        """When it was: ISO 8601, UTC."""
        return datetime.fromtimestamp(self.at, UTC).isoformat(timespec="milliseconds")

    def to_json(self) -> dict[str, Any]:
        """The stable form for programs."""
        held = {name: value for name, value in asdict(replace(self, plan=(), row_ids=None)).items() if name not in ("at", "id")}
        ids = None if self.row_ids is None else {table: list(numbers) for table, numbers in self.row_ids.items()}
        more = {"tables": list(self.tables), "columns": list(self.columns), "row_ids": ids, "plan": [dict(part) for part in self.plan]}
        return {"id": self.id, "time": self.time, **held, **more}


class Audit:
    """The entries of a state database; every method may be called from any thread.

    The database itself refuses to change an entry, and to remove one but under a row of `audit_release`, which `forget` and erasure write and
    remove in the transaction that needs it. That guards against faults of this and other programs, and against whoever may write tables but
    not drop triggers and does not set out to get round it. It does not guard against the owner of the database or of its file: what must
    outlast them is exported regularly to where they cannot write. A gap in the numbers says that entries are gone, or that one was undone.
    """

    def __init__(self, state: State) -> None:
        self._database: Database = state.database

    def write(self, entry: Entry) -> None:
        """Adds an entry, as of now."""
        with self._database.transaction() as base:
            add(base, entry, self._database.clock)

    def read(self, since: float | None = None, until: float | None = None, asker: str = "") -> Iterator[Entry]:
        """The entries from a time on and before another, of one asker (a platform's id or an e-mail) or of all; oldest first, as they are needed."""
        chosen = select(AUDIT).order_by(AUDIT.c.at, AUDIT.c.id).limit(_PAGE)
        if since is not None:
            chosen = chosen.where(AUDIT.c.at >= since)
        if until is not None:
            chosen = chosen.where(AUDIT.c.at < until)
        if asker:
            chosen = chosen.where(or_(AUDIT.c.asker == asker, func.lower(AUDIT.c.email) == asker.lower()))
        page = chosen
        while True:
            with self._database.transaction() as base:
                rows = base.execute(page).mappings().all()
            yield from map(_entry_of, rows)
            if len(rows) < _PAGE:
                return
            page = chosen.where(tuple_(AUDIT.c.at, AUDIT.c.id) > tuple_(rows[-1]["at"], rows[-1]["id"]))

    def forget(self, days: float) -> int:
        """Removes the entries that are older, and gives how many that was."""
        before = self._database.clock() - days * _DAY
        with self._database.transaction() as base:
            return remove(base, before)


def add(base: Connection, entry: Entry, clock: Callable[[], float]) -> None:
    """Adds an entry within a transaction."""
    held: dict[str, Any] = {name: _storable(value) for name, value in entry.to_json().items() if name not in ("id", "time")}
    written = {name: None if held[name] is None else json.dumps(held[name]) for name in _JSON}
    base.execute(insert(AUDIT).values(**held | written, at=clock()))


def remove(base: Connection, before: float, asker: str = "", *conditions: Any) -> int:
    """Removes entries within a transaction: those before a time, of one asker or of all, that meet the conditions; gives how many that was."""
    base.execute(insert(AUDIT_RELEASE).values(asker=asker, before=before))
    chosen = delete(AUDIT).where(AUDIT.c.at < before, *conditions)
    gone = base.execute(chosen.where(AUDIT.c.asker == asker) if asker else chosen).rowcount
    base.execute(delete(AUDIT_RELEASE).where(AUDIT_RELEASE.c.asker == asker))
    return gone


def _storable(value: Any) -> Any:
    """Text as every database takes it: without NUL, and without halves of characters."""
    return value.replace("\x00", "").encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _entry_of(row: Mapping[Any, Any]) -> Entry:
    held = {**row, **{name: None if row[name] is None else json.loads(row[name]) for name in _JSON}}
    held |= {name: tuple(held[name]) for name in ("tables", "columns", "plan")}
    if held["row_ids"] is not None:
        held["row_ids"] = {table: tuple(numbers) for table, numbers in held["row_ids"].items()}
    return Entry(**held)
