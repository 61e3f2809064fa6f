"""Looking after what is kept: what there is, forgetting it, reading all of it, and loading it ahead."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from bot.escape import one_line
from bot.progress import ProgressBar
from bot.say import say
from cache import entries
from cache.namespaces import NAMESPACES
from cache.versions import Store
from engine.built import Built, built_tables, clear_built, drop_wrong
from engine.catalog import Catalog
from engine.errors import UsageError
from engine.types import EVERYTHING

Found = dict[str, Any]


def stats(folder: Path) -> Found:
    """What lies in the data folder, as the command's JSON has it; nothing is changed."""
    namespaces = []
    for rules in NAMESPACES.values():
        measured = entries.measure(folder, rules)
        namespaces.append({**rules._asdict(), "entries": measured.entries, "bytes": measured.size})
    return {"folder": str(folder), "namespaces": namespaces, "tables": [_table(one) for one in built_tables(Store(folder))]}


def print_stats(found: Found, out: TextIO) -> None:
    """The same for a person."""
    rows = [["remembered", "entries", "size", "limit", "days", "first to go", "what"]]
    for one in found["namespaces"]:
        number = "damaged" if one["entries"] is None else f"{one['entries']:,}"
        days = f"{one['lifetime'] / 86_400:.0f}"
        rows.append([one["name"], number, size_text(one["bytes"]), size_text(one["limit"]), days, one["eviction"], one["holds"]])
    _print_columns(rows, out)
    out.write("\n")
    rows = [["built", "version", "rows", "size", "held", "left over", "read at", "wrong"]]
    for one in found["tables"]:
        rows.append(
            [
                one_line(", ".join(one["names"]) or one["folder"]),
                one["version"],
                "" if one["rows"] is None else f"{one['rows']:,}",
                size_text(one["bytes"]),
                "" if one["readers"] is None else f"{one['readers']}",
                f"{one['leftovers']}",
                one["built_at"],
                one["wrong"],
            ]
        )
    if len(rows) == 1:
        out.write("No table is built.\n")
    else:
        _print_columns(rows, out)
    out.write(f"All of it lies in {one_line(found['folder'])}.\n")


def checked_namespaces(name: str | None) -> list[str]:
    """The namespaces that are meant: the one that is named, else all; raises UsageError for a name that is none."""
    if name is None:
        return list(NAMESPACES)
    if name not in NAMESPACES:
        near = difflib.get_close_matches(name, NAMESPACES, 1)
        hint = f' Did you mean "{near[0]}"?' if near else ""
        raise UsageError(f'"{one_line(name)}" is no namespace; there are {", ".join(NAMESPACES)}.{hint}')
    return [name]


def clear(folder: Path, names: Iterable[str], *, with_tables: bool) -> Found:
    """Forgets what these namespaces hold; with_tables: removes what is built, but for what somebody holds or builds."""
    forgotten = {name: entries.clear(folder, NAMESPACES[name]) for name in names}
    removed, kept = clear_built(Store(folder)) if with_tables else (0, 0)
    return {"forgotten": forgotten, "tables_removed": removed, "tables_in_use": kept}


def print_cleared(cleared: Found, out: TextIO) -> None:
    """The same for a person."""
    for name, number in cleared["forgotten"].items():
        out.write(f"{name}: {number:,} forgotten\n")
    if cleared["tables_removed"] or cleared["tables_in_use"]:
        out.write(f"built tables: {cleared['tables_removed']:,} removed, {cleared['tables_in_use']:,} in use and left\n")


def verify(folder: Path, *, repair: bool) -> Found:
    """Reads every entry and every built file; `wrong` has a sentence for each thing that is, and nothing of it is there any more after a repair."""
    wrong, read = [], 0
    for name, rules in NAMESPACES.items():
        checked = entries.check(folder, rules, repair=repair)
        read += checked.entries
        wrong += [{"what": name, "why": why} for why in checked.wrong]
    store = Store(folder)
    built = built_tables(store, thorough=True)
    wrong += [{"what": ", ".join(one.names) or one.folder, "folder": one.folder, "why": one.wrong} for one in built if one.wrong]
    if repair:
        drop_wrong(store, built)
    return {"entries": read, "tables": len(built), "wrong": wrong, "repaired": repair and bool(wrong)}


def print_verified(found: Found, out: TextIO) -> None:
    """The same for a person."""
    for one in found["wrong"]:
        out.write(f"{one_line(one['what'])}: {one['why']}\n")
    told = f"{found['entries']:,} entries and {found['tables']:,} built tables were read"
    if not found["wrong"]:
        out.write(f"{told}; nothing is wrong.\n")
    elif found["repaired"]:
        out.write(f"{told}; what was wrong is dropped, and made anew when it is asked for.\n")
    else:
        out.write(f"{told}; --repair drops what is wrong, and it is made anew when it is asked for.\n")


def warm_tables(catalog: Catalog, seconds: float) -> list[Found]:
    """Opens the tables of a catalog, building those that are not built, and reads them once; begins none after that many seconds."""
    from engine.embed import chosen_embedder
    from engine.library import Library
    from engine.settings import data_folder
    from engine.warm import warm

    with ProgressBar() as bar:
        library = Library(catalog, Store(data_folder()), chosen_embedder(catalog.access.endpoints), bar.report, left_out=say)
        try:
            return [asdict(one) for one in warm(library, (EVERYTHING,), seconds)]
        finally:
            library.close()


def print_warmed(warmed: Sequence[Found], out: TextIO) -> None:
    """The same for a person."""
    for one in warmed:
        part = "" if one["whole"] else " (a part of it)"
        came = one["failure"] or f"{one['rows']:,} rows, version {one['version']}{', built now' if one['built'] else ''}"
        out.write(f"{one_line(one['table'])}{part}: {came}\n")
    if not warmed:
        out.write("There was no time to begin a table; give more with --seconds.\n")


def history(catalog: Catalog, name: str) -> list[str]:
    """The messages that show a table being created, as lines of JSON; raises UsageError for a table that is not there."""
    from bot.answering import library_of
    from engine.history import history_lines  # type: ignore[import-not-found, unused-ignore]

    with library_of(catalog) as library:
        tables = {table.name: table for table in library.under(EVERYTHING)}
        if name not in tables:
            raise UsageError(f'There is no table "{one_line(name)}"; there is {", ".join(map(one_line, tables))}.')
        return list(history_lines(tables[name]))


def size_text(size: int) -> str:
    """A number of bytes as people say it.

    >>> size_text(900), size_text(16 * 2**20)
    ('900 B', '16.0 MB')
    """
    number, unit = float(size), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if number < 1024:
            break
        number, unit = number / 1024, larger
    return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"


def _table(one: Built) -> Found:
    fields = asdict(one)
    size = fields.pop("size")
    return {**fields, "names": list(one.names), "bytes": size}


def _print_columns(rows: list[list[str]], out: TextIO) -> None:
    """Rows as aligned columns; the first is the header."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        out.write("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n")
