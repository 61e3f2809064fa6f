"""An answer as a file: all its rows as CSV or XLSX, with no cell that a spreadsheet would run, follow or mistake."""

from __future__ import annotations

import csv
import errno
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final

import xlsxwriter

from bot.target import checked_file, replace
from engine.errors import AlmanacError, UsageError
from engine.types import Reply, ResultColumn, ResultTable, Value

_STARTS_A_FORMULA: Final = tuple("=+-@\t\r\n＝＋－＠")
_REFUSALS: Final = {
    errno.EACCES: "you may not write there",
    errno.EPERM: "you may not write there",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "your share of the disk is full",
    errno.EROFS: "the folder is read-only",
    errno.EFBIG: "it would be larger than a file may be",
    errno.ENAMETOOLONG: "its name is longer than a name can be",
}
_LONGEST_CELL: Final = 32_767  # characters, of XLSX
_MOST_ROWS: Final = 1_048_575  # of an XLSX sheet, without its header
_EARLIEST: Final = datetime(1900, 3, 1)  # before it spreadsheets disagree on what a day's number is


class SaveError(AlmanacError):
    """An answer could not be written to the file that was asked for."""


def checked_target(path: Path, read: Iterable[Path] = (), *, overwrite: bool = False) -> Path:
    """The path, when an answer can be saved there.

    Raises UsageError for a kind of file that is not known, a folder that is not there, a file that is itself read, and one that is there already,
    unless it may be overwritten.
    """
    if path.suffix.casefold() not in (".csv", ".xlsx"):
        raise UsageError(f'An answer is saved as .csv or .xlsx, and "{path.name}" is neither.')
    checked_file(path, read, "--save")
    _check_new(path, overwrite)
    return path


def _check_new(path: Path, overwrite: bool) -> None:
    if not overwrite and os.path.lexists(path):
        raise UsageError(f'There is already a file "{path}"; name another with --save, or replace it with --overwrite.')


def save_reply(reply: Reply, path: Path, read: Iterable[Path] = (), *, overwrite: bool = False) -> list[Path]:
    """Writes all rows and gives the files: of several parts, XLSX has a sheet each and CSV a file each ("answer-2.csv").

    A file is there whole or not at all. Raises SaveError where it cannot be written, UsageError where XLSX cannot hold the rows, and what
    checked_target raises for any of the files.
    """
    results = [part.result for part in reply.parts if part.result is not None]
    if not results:
        return []
    if path.suffix.casefold() == ".xlsx":
        if too_long := next((result for result in results if len(result.rows) > _MOST_ROWS), None):
            raise UsageError(f"XLSX holds {_MOST_ROWS:,} rows and the answer has {len(too_long.rows):,}; save it as .csv.")
        _check_new(path, overwrite)
        _replace(path, lambda target: _write_xlsx(results, target))
        return [path]
    paths = [path if at == 1 else path.with_stem(f"{path.stem}-{at}") for at in range(1, len(results) + 1)]
    for target in paths:
        checked_target(target, read, overwrite=overwrite)
    for result, target in zip(results, paths, strict=True):
        save_csv([column.name for column in result.columns], result.rows, target)
    return paths


def guarded(value: Value) -> Value:
    """A text that a spreadsheet would take for a formula gets an apostrophe before it; figures stay as they are.

    >>> guarded("=1+1"), guarded(-5)
    ("'=1+1", -5)
    """
    if isinstance(value, str) and value.lstrip(" \u00a0").startswith(_STARTS_A_FORMULA):
        return "'" + value
    return value


def save_csv(header: Sequence[str], rows: Iterable[Sequence[Value]], path: Path) -> None:
    """Writes rows as they come, over what is there; the file is there whole or not at all. Raises SaveError where it cannot be written."""
    _replace(path, lambda target: _write_csv(header, rows, target))


def _write_csv(header: Sequence[str], rows: Iterable[Sequence[Value]], path: Path) -> None:
    # the byte order mark tells spreadsheets that it is UTF-8
    with open(path, "w", encoding="utf-8-sig", errors="backslashreplace", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([guarded(name) for name in header])
        writer.writerows([guarded(value) for value in row] for row in rows)


def _write_xlsx(results: list[ResultTable], path: Path) -> None:
    options = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False, "constant_memory": True}
    with xlsxwriter.Workbook(str(path), options) as book:
        bold = book.add_format({"bold": True})
        formats = {
            "date": book.add_format({"num_format": "yyyy-mm-dd"}),
            "datetime": book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"}),
        }
        for number, result in enumerate(results, start=1):
            sheet = book.add_worksheet("Answer" if len(results) == 1 else f"Answer {number}")
            for at, column in enumerate(result.columns):
                sheet.write_string(0, at, _cell_text(column.name), bold)
            for line, row in enumerate(result.rows, start=1):
                for at, (column, value) in enumerate(zip(result.columns, row, strict=True)):
                    if isinstance(value, bool):
                        sheet.write_boolean(line, at, value)
                    elif isinstance(value, (int, float)) and abs(value) < 10**15:  # more digits than a spreadsheet's numbers keep
                        sheet.write_number(line, at, value)
                    elif (moment := _moment(column, value)) is not None:
                        sheet.write_datetime(line, at, moment, formats[column.type])
                    elif value is not None:
                        sheet.write_string(line, at, _cell_text(str(value)))
            sheet.freeze_panes(1, 0)
            if result.columns:
                sheet.autofilter(0, 0, len(result.rows), len(result.columns) - 1)


def _cell_text(text: str) -> str:
    clean = text.encode("utf-8", "backslashreplace").decode()
    return clean if len(clean) <= _LONGEST_CELL else clean[: _LONGEST_CELL - 1] + "…"


def _moment(column: ResultColumn, value: Value) -> datetime | None:
    """A date as a spreadsheet's own date, None where it is none that a spreadsheet can hold."""
    if column.type not in ("date", "datetime") or not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment if moment.tzinfo is None and moment >= _EARLIEST else None


@contextmanager
def _said(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = _REFUSALS.get(error.errno or 0, "the folder refused it")
        raise SaveError(f'It could not be saved as "{path}": {why}.') from error
    except xlsxwriter.exceptions.XlsxWriterException as error:
        number = getattr(error.args[0], "errno", 0) if error.args else 0
        raise SaveError(f'It could not be saved as "{path}": {_REFUSALS.get(number, "the folder refused it")}.') from error


def _replace(path: Path, write: Callable[[Path], None]) -> None:
    """Writes beside the target and then takes its place, so that no half file is ever seen."""
    with _said(path):
        replace(path, write)
