"""Whether what was read of a source is taken in place of the version in service, and what is noted of that version where it is not."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from cache.errors import StoreError
from cache.versions import Held, Store
from engine.catalog import TableEntry
from engine.errors import DamageError
from engine.refreshed import Limits
from engine.version import reading_of, shape_of, source_key

if TYPE_CHECKING:
    from engine.embedder import Embedder
    from engine.read.table import SourceTable

log = logging.getLogger(__name__)


def why_not(held: Held, sources: Sequence[SourceTable], entry: TableEntry, embedder: Embedder, limits: Limits) -> str:
    """One sentence on what is wrong with what was read, given the version that is held; empty where it may be taken, or is read in another way."""
    as_before = held.facts["shape"] == shape_of(entry, embedder) or held.facts.get("reading") == reading_of(entry)
    if limits.accept or not as_before:
        return ""
    from engine.build.earlier import EarlierTable  # numpy, which a look that finds nothing new does not need
    from engine.guard import refusal
    from engine.slice import cut

    try:
        tables = held.facts["tables"]
        assert isinstance(tables, list)
        before = {str(name): EarlierTable(held.folder / str(number), True).facts for number, name in enumerate(tables)}
    except DamageError:
        return ""  # nothing to compare with
    found = {entry.name if len(sources) == 1 else table.name: table for table in sources}
    return refusal(before, {name: cut(table, entry.part) for name, table in found.items()}, entry.keys, limits)


def note_refusal(entry: TableEntry, store: Store, held: Held, reason: str, *, stamp: str = "", refused: str = "") -> None:
    """Notes since when the version in service is older than its source, once, and why.

    stamp: of the source that is refused. refused: the version that it would make; both empty where it cannot be read.
    """
    was = held.note() or {}
    since = was.get("since") or datetime.now(UTC).isoformat(timespec="seconds")
    said: dict[str, Any] = {"since": since, "reason": reason, "stamp": stamp if refused else "", "refused": refused}
    if said != was:
        note(entry, store, held, said)


def note(entry: TableEntry, store: Store, held: Held, said: dict[str, Any] | None) -> None:
    """Notes something of the version that is held, or nothing any more; where that cannot be written the log tells."""
    try:
        store.note(source_key(entry), held, said)
    except StoreError as error:
        log.warning("a note on a table could not be written", extra={"table": entry.name, "reason": str(error)})
