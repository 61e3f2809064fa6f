"""How tables were read, for a person: source, encoding, header, columns with their types, and each doubt with its first lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, TextIO

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bot.escape import isolated, one_line
from engine.catalog import Catalog
from engine.read import read
from engine.read.report import report_json
from engine.read.table import SourceTable

_EXAMPLES: Final = 3
_LINES: Final = 3
_HEADINGS: Final = ("column", "type", "distinct", "empty", "list of", "examples")
_DELIMITERS: Final = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "bar", " ": "blank"}


def read_catalog(catalog: Catalog) -> list[SourceTable]:
    """The tables of every source of the catalog, read anew; raises SourceError."""
    return [table for entry in catalog.tables for table in read(entry.source, entry.options(), base=entry.base)]


def print_reports(tables: Sequence[SourceTable], out: TextIO) -> None:
    """Writes a report of each table: with drawn columns on a terminal, with tabs elsewhere."""
    console = Console(file=out, highlight=False, markup=False, emoji=False) if out.isatty() else None
    for number, (table, report) in enumerate(zip(tables, report_json(tables)["tables"], strict=True)):
        rows = [_column_cells(table, at, column) for at, column in enumerate(report["columns"])]
        lead = "\n" if number else ""
        if console is None:
            out.write(lead + one_line(_heading(table, report)) + "\n" + "\t".join(_HEADINGS) + "\n")
            out.writelines("\t".join(row) + "\n" for row in rows)
            out.writelines(line + "\n" for line in _doubts(report))
            continue
        console.print(Text(lead + one_line(_heading(table, report)), style="bold"))
        drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for at, heading in enumerate(_HEADINGS):
            drawn.add_column(heading, justify="right" if at in (2, 3) else "left", overflow="fold", style="dim" if at == 5 else "")
        for row in rows:
            drawn.add_row(*(Text(isolated(cell)) for cell in row))
        console.print(drawn)
        for line in _doubts(report):
            console.print(Text(isolated(line), style="yellow"))


def _heading(table: SourceTable, report: dict[str, Any]) -> str:
    said = [f"{table.name}: {table.rows:,} rows from {table.source}"]
    said += [report["encoding"]] if report["encoding"] else []
    said += [f"delimiter {_DELIMITERS.get(report['delimiter'], report['delimiter'])}"] if report["delimiter"] else []
    return ", ".join([*said, f"header rows {report['header_rows']}"])


def _column_cells(table: SourceTable, at: int, column: dict[str, Any]) -> tuple[str, ...]:
    source = table.columns[at]
    filled = [text for text, value in zip(source.texts, source.values, strict=True) if value is not None][:_EXAMPLES]
    examples = " · ".join(one_line(text if len(text) <= 40 else text[:39] + "…") for text in filled)
    separator = column["list_separator"]
    listed = f'"{one_line(separator)}"' if separator else ""
    return (one_line(column["name"]), column["type"], f"{column['distinct']:,}", f"{column['empty']:,}", listed, examples)


def _doubts(report: dict[str, Any]) -> Iterator[str]:
    for warning in report["warnings"]:
        lines = warning["lines"]
        where = ", ".join(f"{line:,}" for line in lines[:_LINES]) + (" …" if len(lines) > _LINES else "")
        label = "" if not lines else f" (line {where})" if len(lines) == 1 else f" (lines {where})"
        yield one_line(f"{warning['code']}: {warning['text']}{label}")
