"""Which kind of source a name means, and who reads it."""

from __future__ import annotations

import glob
import hashlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from engine.errors import SourceError
from engine.read.columns import typed
from engine.read.decode import digest_of, encoding_of
from engine.read.delimited import read_delimited
from engine.read.kind import KnownKind
from engine.read.layout import tables_in
from engine.read.options import READING, ReadOptions
from engine.read.raw import RawTable, joined
from engine.read.records import read_json_lines, read_parquet
from engine.read.table import Doubt, SourceTable
from engine.read.where import as_text, files_of, is_address, is_server, parts_of

_SQLITE = b"SQLite format 3\0"
_KNOWN_BINARIES = {
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"\x1f\x8b": "a gzip archive",
}


@dataclass(frozen=True, slots=True)
class _Read:
    """Tables without types, the digest of what they were read from, and when it changed."""

    tables: list[RawTable]
    digest: bytes
    changed_at: str = ""


class _SameError(Exception):
    """A file holds the bytes that are known; they need not be parsed."""


def read_source(
    source: str, options: ReadOptions, base: Path | None, known: str = "", kinds: Callable[[], Sequence[Mapping[str, KnownKind]]] = list
) -> tuple[list[SourceTable], str] | None:
    """Every table of a source with types and doubts, and the digest of what was read; None where that is the known one.

    kinds: what is known of the columns of each table, asked for when something is read.
    """
    try:
        found = _read(source, options, base, bytes.fromhex(known))
    except _SameError:
        return None
    if found.digest.hex() == known:
        return None
    if not any(table.rows for table in found.tables):
        raise SourceError(f"{source} has {'a header and no rows' if any(table.columns for table in found.tables) else 'no table'}.")
    tables = _named_apart(found.tables)
    earlier = [*kinds(), *({} for _ in tables)]
    return [_finished(table, source, options, found, n, earlier[n]) for n, table in enumerate(tables)], found.digest.hex()


def _read(source: str, options: ReadOptions, base: Path | None, known: bytes) -> _Read:
    if is_address(source):
        from engine.read.address import fetched

        with fetched(source, options) as (path, changed):
            return replace(_stable(path, source, _stem(source.split("?")[0]), options, known), changed_at=changed)
    if is_server(source):
        from engine.read.database import read_database

        return _Read(*read_database(source, options, base))
    paths = files_of(source, base)
    if len(paths) == 1 and not glob.has_magic(source):
        return _stable(paths[0], source, _stem(source), options, known)
    return _several(paths, source, options)


def _several(paths: list[Path], source: str, options: ReadOptions) -> _Read:
    read = [_stable(path, path.name, _stem(path.name), options) for path in paths]
    for path, each in zip(paths, read, strict=True):
        if len(each.tables) != 1:
            raise SourceError(
                f"{path.name} holds {len(each.tables)} tables; files read as one table hold one each, or the catalog names the sheet."
            )
    name = re.sub(r"[\W_]*[*?\[].*", "", _stem(source)) or Path(source).parent.name or "table"
    table = joined([each.tables[0] for each in read], [path.name for path in paths], name)
    digest = hashlib.blake2b(b"".join(each.digest for each in read), digest_size=16).digest()
    return _Read([table], digest, max(each.changed_at for each in read))


def _stem(source: str) -> str:
    name = source.rstrip("/").rsplit("/", 1)[-1]
    stem = re.sub(r"\.(?:csv|tsv|tab|psv|txt|xlsx|xlsm|xlsb|xls|ods|parquet|jsonl|ndjson|json|sqlite3?|db)$", "", name, flags=re.IGNORECASE)
    return re.sub(r"\.(?:csv|tsv|txt)$", "", stem, flags=re.IGNORECASE) or "table"


def _stable(path: Path, shown: str, name: str, options: ReadOptions, known: bytes = b"") -> _Read:
    """Reads a file that is the same before and after; once more where it is not. Raises _SameError for the known bytes."""
    for _ in range(2):
        try:
            before = path.stat()
            if known and before.st_size <= options.bytes and digest_of(path) == known:
                raise _SameError
            read = _file(path, shown, name, options)
            after = path.stat()
        except PermissionError:
            raise SourceError(f"{shown} may not be read by this user.") from None
        except FileNotFoundError:
            raise SourceError(f"{shown} went away while it was read.") from None
        except IsADirectoryError:
            raise SourceError(f"{shown} is a folder and no file.") from None
        except OSError:
            raise SourceError(f"{shown} cannot be read: its disk, or the system, refuses it.") from None
        if (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns):
            latest = max([after.st_mtime, *(part.stat().st_mtime for part in parts_of(path)[1:])])
            changed = datetime.fromtimestamp(latest, UTC).isoformat(timespec="seconds")
            return replace(read, changed_at=changed)
    raise SourceError(f"{shown} changed while it was read; try again when it is at rest.")


def _file(path: Path, shown: str, name: str, options: ReadOptions) -> _Read:
    size = os.path.getsize(path)
    if size > options.bytes:
        raise SourceError(f"{shown} has {size:,} bytes, more than the {options.bytes:,} that may be read; raise bytes in the catalog.")
    with path.open("rb") as file:
        head = file.read(4096)
    if not head.strip(b"\0 \t\r\n\xef\xbb\xbf"):
        raise SourceError(f"{shown} is empty.")
    lower = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:15].lower()
    if lower.startswith((b"<!doctype html", b"<html", b"<head")):
        raise SourceError(f"{shown} is a web page and not a table; the address of the file itself is needed.")
    for mark, what in _KNOWN_BINARIES.items():
        if head.startswith(mark):
            raise SourceError(f"{shown} is {what} and not a table; a CSV, spreadsheet, Parquet or JSON lines file is expected.")
    reader = _reader(head, path)
    _check_asked(reader, shown, options)
    return reader(path, shown, name, options)


def _check_asked(reader: Callable[[Path, str, str, ReadOptions], _Read], shown: str, options: ReadOptions) -> None:
    """Raises SourceError where the catalog names a part that a file of this kind does not have."""
    if options.sheet is not None and reader is not _spreadsheet:
        raise SourceError(f'{shown} is no spreadsheet and has no sheets; leave "sheet" out of the catalog.')
    if (options.table is not None or options.query is not None) and reader is not _sqlite:
        key = "table" if options.table is not None else "query"
        instead = ', or name the "sheet"' if reader is _spreadsheet else ""
        raise SourceError(f'{shown} is no database; leave "{key}" out of the catalog{instead}.')


def _reader(head: bytes, path: Path) -> Callable[[Path, str, str, ReadOptions], _Read]:
    if head.startswith(_SQLITE):
        return _sqlite
    if head.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        return _spreadsheet
    if head.startswith(b"PAR1"):
        return _parquet
    suffix = path.suffix.lower()
    if suffix in (".jsonl", ".ndjson", ".json") or re.match(rb"[\xef\xbb\xbf\s]*(?:\[\s*)?\{\s*\"", head):
        return _json_lines
    return _text


def _sqlite(path: Path, shown: str, name: str, options: ReadOptions) -> _Read:
    from engine.read.database import read_sqlite

    return _Read(*read_sqlite(path, shown, options))


def _spreadsheet(path: Path, shown: str, name: str, options: ReadOptions) -> _Read:
    from engine.read.sheets import packing_of, read_sheets

    tables: list[RawTable] = []
    sheets = read_sheets(path, shown, options)
    for title, grid in sheets:
        tables += tables_in(grid, title if len(sheets) > 1 else name, options, sheet=True)
    return _Read([replace(table, encoding=packing_of(path)) for table in tables], digest_of(path))


def _parquet(path: Path, shown: str, name: str, options: ReadOptions) -> _Read:
    return _Read([read_parquet(path, shown, name)], digest_of(path))


def _json_lines(path: Path, shown: str, name: str, options: ReadOptions) -> _Read:
    table, encoding, digest = read_json_lines(path, shown, name, options)
    return _Read([replace(table, encoding=encoding)], digest)


def _text(path: Path, shown: str, name: str, options: ReadOptions) -> _Read:
    encoding = encoding_of(path, shown, options.encoding)
    found = read_delimited(path, shown, encoding, options)
    tables = tables_in(found.grid, name, options)
    if encoding.strays:
        text = f"Some bytes are not {encoding.name} and are read as Windows-1252."
        tables[0].doubts.append(Doubt("stray_bytes", text, encoding.strays[:100]))
    if found.unquoted:
        text = "A quotation mark opens a cell here and nothing closes it; quotation marks are read as text."
        tables[0].doubts.append(Doubt("unclosed_quote", text, (found.unquoted,)))
    return _Read([replace(table, encoding=encoding.name, delimiter=found.dialect.delimiter) for table in tables], encoding.digest)


def _named_apart(tables: list[RawTable]) -> list[RawTable]:
    taken: set[str] = set()
    given = []
    for table in tables:
        name, n = table.name, 2
        while name.casefold() in taken:
            name, n = f"{table.name} {n}", n + 1
        taken.add(name.casefold())
        given.append(replace(table, name=name))
    return given


def _finished(table: RawTable, source: str, options: ReadOptions, read: _Read, number: int, known: Mapping[str, KnownKind]) -> SourceTable:
    columns, doubts = typed(table, options, source, known)
    if not table.rows:
        doubts.append(Doubt("no_rows", "The table has a header and no rows."))
    print_ = hashlib.blake2b(read.digest, digest_size=16)
    name = as_text(table.name)
    print_.update(f"{READING} {number} {name} {options.model_dump_json()}".encode())
    return SourceTable(
        name, columns, table.rows, as_text(source), table.encoding, table.delimiter, table.header_rows, read.changed_at, print_.hexdigest(),
        [*table.doubts, *doubts], table.lines, {row + 1: cells for row, cells in table.overflow.items()}, table.around,
    )  # fmt: skip
