"""The audit for whoever reads it: on a terminal, for a program, or as a file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, TextIO

from bot.chat.audit import Entry
from bot.escape import json_text, one_line
from bot.save import checked_target, save_csv
from engine.errors import UsageError
from engine.settings import printable
from engine.types import Value

_HEADER: Final = tuple(Entry("").to_json())
_DAY: Final = timedelta(days=1)


def moment(option: str, text: str | None, *, end: bool = False) -> float | None:
    """A day or a moment (UTC, unless it says otherwise) as seconds since 1970, of a day the beginning or the end; raises UsageError."""
    if text is None:
        return None
    try:
        read = datetime.fromisoformat(text.strip())
        if len(text.strip()) <= len("2026-11-30") and end:
            read += _DAY
    except (ValueError, OverflowError):
        raise UsageError(f'{option} is "{printable(text)}"; it must be a day or a moment such as 2026-11-30 or 2026-11-30T12:00.') from None
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()


def checked_csv(path: Path, *, overwrite: bool) -> Path:
    """The path, when entries can be saved there; raises UsageError."""
    if path.suffix.casefold() != ".csv":
        raise UsageError(f'The audit is saved as .csv, and "{path.name}" is not.')
    return checked_target(path, overwrite=overwrite)


def print_entries(entries: Iterable[Entry], out: TextIO, *, as_json: bool) -> None:
    """Writes each entry on a line of its own: as JSON, or time, action, place, asker, kind, rows, tables and question with tabs between them."""
    for entry in entries:
        if as_json:
            out.write(json_text(entry.to_json()) + "\n")
            continue
        where = "/".join(part for part in (entry.platform, entry.workspace, entry.channel, entry.thread) if part)
        who = f"{entry.asker} {entry.email}".strip()
        told = (entry.time, entry.action, where, who, entry.kind, f"{entry.rows}", ", ".join(entry.tables), entry.question)
        out.write("\t".join(one_line(text) for text in told) + "\n")


def save_entries(entries: Iterable[Entry], path: Path) -> int:
    """Writes all fields of the entries as CSV, no cell of which a spreadsheet runs, and gives how many there were; raises SaveError."""
    saved = 0

    def rows() -> Iterable[list[Value]]:
        nonlocal saved
        for entry in entries:
            saved += 1
            yield [_cell(value) for value in entry.to_json().values()]

    save_csv(_HEADER, rows(), path)
    return saved


def _cell(value: Any) -> Value:
    if value is None or isinstance(value, str | int | float):
        return value
    return json.dumps(value, ensure_ascii=False)
