"""Parquet and JSON lines: records with named fields, to one table."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from engine.errors import SourceError
from engine.read.decode import encoding_of
from engine.read.grid import Cell, Gatherer
from engine.read.options import ReadOptions
from engine.read.raw import RawColumn, RawTable
from engine.types import ColumnType

_TYPES: dict[type, ColumnType] = {
    bool: "boolean",
    int: "integer",
    float: "decimal",
    dt.datetime: "datetime",
    dt.date: "date",
    dt.time: "time",
}


def text_of(value: Any) -> Cell:
    """A value of a database or record as the text that stands for it; None is no cell."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return "" if value != value else str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, dt.datetime):
        return value.replace(tzinfo=None).isoformat(" ", "seconds")
    if isinstance(value, list | tuple) and all(isinstance(item, str) and ";" not in item for item in value):
        return "; ".join(value)
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    return str(value)


class Records:
    """Takes rows of values under known names and gives a table; a column whose values are all of one kind has that type."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._kinds: list[set[type]] = [set() for _ in names]
        self._gatherer = Gatherer()
        self.rows = 0

    def add(self, row: Sequence[Any], line: int) -> None:
        """One record; one whose values are all missing is a row as well."""
        for kinds, value in zip(self._kinds, row, strict=True):
            kinds.add(type(value))
        self._gatherer.take([text_of(value) for value in row], line)
        self.rows += 1

    def table(self, name: str) -> RawTable:
        """What was taken."""
        grid = self._gatherer.grid()
        if not grid.width:
            grid.texts.extend([] for _ in self._names)
            grid.codes.extend(grid.lines for _ in self._names)
        columns = [
            RawColumn(title, texts, codes, (title,), _declared(kinds, texts))
            for title, texts, codes, kinds in zip(_distinct(self._names), grid.texts, grid.codes, self._kinds, strict=True)
        ]
        return RawTable(name, columns, grid.lines, grid.rows)


def _declared(kinds: set[type], texts: list[str]) -> ColumnType | None:
    """The type of values that are all of one kind; decimals that are all whole are whole numbers, and text says nothing."""
    found = kinds - {type(None)}
    if found in ({float}, {int, float}):
        return "integer" if all(text.lstrip("-").isdigit() for text in texts if text) else "decimal"
    return _TYPES.get(found.pop()) if len(found) == 1 else None


def _distinct(names: Sequence[str]) -> list[str]:
    taken: set[str] = set()
    given = []
    for i, name in enumerate(names):
        base = name.strip() or f"column {i + 1}"
        unique, n = base, 2
        while unique in taken:
            unique, n = f"{base} ({n})", n + 1
        taken.add(unique)
        given.append(unique)
    return given


def read_parquet(path: Path, shown: str, name: str) -> RawTable:
    """A Parquet file, read batch by batch."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            names = list(file.schema_arrow.names)
            records = Records(names)
            for batch in file.iter_batches(batch_size=4096):
                for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                    records.add(row, records.rows + 1)
    except (pa.ArrowException, OSError):
        raise SourceError(f"{shown} is no Parquet file that can be read: it is cut short or damaged.") from None
    return records.table(name)


def read_json_lines(path: Path, shown: str, name: str, options: ReadOptions) -> tuple[RawTable, str, bytes]:
    """A file with a JSON object on each line, or one JSON array of objects; also its encoding and digest.

    Columns are the fields in the order in which they first occur. Raises SourceError with the line that is no object.
    """
    encoding = encoding_of(path, shown, options.encoding)
    with path.open(encoding=encoding.name, errors=encoding.errors) as file:
        objects = list(_objects(file, shown))
    names = list(dict.fromkeys(name for _, each in objects for name in each))
    if not names:
        raise SourceError(f"{shown} holds no records.")
    records = Records(names)
    for line, each in objects:
        records.add([each.get(field) for field in names], line)
    return records.table(name), encoding.name, encoding.digest


def _objects(file: Iterable[str], shown: str) -> Iterator[tuple[int, dict[str, Any]]]:
    lines = list(file)
    first = next((line.strip() for line in lines if line.strip()), "")
    if first.startswith("[") or first == "{" or not first.endswith("}"):
        yield from _whole("".join(lines), shown)
        return
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            raise SourceError(
                f'{shown}, line {number}: this is no JSON object; each line should be one, as in {{"name": "value"}}.'
            ) from None
        if not isinstance(value, dict):
            raise SourceError(f'{shown}, line {number}: this is no JSON object; each line should be one, as in {{"name": "value"}}.')
        yield number, value


def _whole(text: str, shown: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """An array of objects, or one object: the records are its only list of objects, or the object itself is the record."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise SourceError(f"{shown} is no JSON that can be read: it is cut short or damaged.") from None
    if isinstance(value, dict):
        lists = [each for each in value.values() if isinstance(each, list) and each and all(isinstance(item, dict) for item in each)]
        value = lists[0] if len(lists) == 1 else [value]
    if not isinstance(value, list):
        raise SourceError(f"{shown} holds no records; an array of objects, or an object on each line, is expected.")
    for number, each in enumerate(value, 1):
        if not isinstance(each, dict):
            raise SourceError(f"{shown}: element {number} is no object; an array of objects is expected.")
        yield number, each
