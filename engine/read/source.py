"""Which kind of source a name means, and who reads it."""

from __future__ import annotations

import csv
import hashlib
import re
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from pathlib import Path

import numpy as np

from engine.errors import SourceError
from engine.read.options import ReadOptions
from engine.read.table import SourceColumn, SourceTable
from engine.types import ColumnType, Value


def read_source(source: str, options: ReadOptions, base: Path | None) -> list[SourceTable]:
    """Dispatch on the kind of the source."""
    path = (base or Path()) / source.removeprefix("sqlite:///")
    if not path.is_file():
        raise SourceError(f"There is no file {source}.")
    data = path.read_bytes()
    if not data.strip():
        raise SourceError(f"{source} is empty.")
    changed = datetime.fromtimestamp(path.stat().st_mtime, timezone.utc).isoformat(timespec="seconds")
    print_ = hashlib.blake2b(data + options.model_dump_json().encode(), digest_size=16).hexdigest()
    if data.startswith(b"SQLite format 3"):
        with sqlite3.connect(path) as connection:
            names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type='table' AND name NOT LIKE 'sqlite_%'")]
            tables = []
            for name in names:
                cursor = connection.execute('SELECT * FROM "' + name.replace('"', '""') + '"')
                rows = [["" if cell is None else str(cell) for cell in row] for row in cursor]
                tables.append(_table(name, [part[0] for part in cursor.description], rows, source, changed, print_ + name))
            return tables
    text = data.decode("utf-8-sig", "replace")
    lines = list(csv.reader(text.splitlines(keepends=True)))
    header, *rows = [line for line in lines if any(line)]
    return [_table(path.stem, header, rows, source, changed, print_)]


def _table(name: str, header: Sequence[str], rows: Iterable[Sequence[str]], source: str, changed: str, fingerprint: str) -> SourceTable:
    listed = list(rows)
    columns = []
    for i, title in enumerate(header):
        known: dict[str, int] = {}
        codes = np.array([known.setdefault(row[i], len(known)) if i < len(row) else -1 for row in listed], dtype=np.int32)
        texts = list(known)
        kind, values = _typed(texts)
        columns.append(SourceColumn(title.strip() or f"column {i + 1}", kind, texts, values, codes))
    return SourceTable(name, columns, len(listed), source, encoding="utf-8", delimiter=",", changed_at=changed, fingerprint=fingerprint)


def _typed(texts: list[str]) -> tuple[ColumnType, list[Value]]:
    filled = [text for text in texts if text.strip()]
    if filled and all(re.fullmatch(r"-?(0|[1-9]\d{0,17})", text) for text in filled):
        return "integer", [int(text) if text.strip() else None for text in texts]
    if filled and all(re.fullmatch(r"-?\d+(\.\d+)?", text) for text in filled) and not any(re.match(r"0\d", text) for text in filled):
        return "decimal", [float(text) if text.strip() else None for text in texts]
    if filled and all(re.fullmatch(r"\d{4}-\d\d-\d\d", text) for text in filled):
        return "date", [text or None for text in texts]
    return "text", [text.strip() or None for text in texts]


def stamp_source(source: str, base: Path | None) -> str:
    """Size and time of the file."""
    path = (base or Path()) / source.removeprefix("sqlite:///")
    return f"{path.stat().st_size}-{path.stat().st_mtime_ns}" if path.is_file() else ""
