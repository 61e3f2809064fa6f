"""Spreadsheets (XLSX, XLS, ODS): each sheet to a grid."""

from __future__ import annotations

import datetime as dt
import zipfile
from bisect import bisect_left, bisect_right
from dataclasses import replace
from pathlib import Path
from typing import Any

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, PasswordError, SheetTypeEnum, SheetVisibleEnum

from engine.errors import SourceError
from engine.panic import PanicError, panics_told
from engine.read.formats import Format, formats_of
from engine.read.grid import Gatherer, Grid
from engine.read.options import ReadOptions
from engine.read.packed import check_packed


def read_sheets(path: Path, shown: str, options: ReadOptions) -> list[tuple[str, Grid]]:
    """Each sheet that has cells, with its name; the one that the options name, hidden or not, else all that are visible.

    A whole number is written without decimals, a date in ISO form, truth as TRUE and FALSE; percentages, money and codes filled up with
    zeros as they are shown.
    Raises SourceError for a file that is cut short, locked, too large unfolded, or full of formulas that were never computed.
    """
    check_packed(path, shown, options.bytes)
    try:
        with panics_told():
            book = CalamineWorkbook.from_path(str(path))
            names = _wanted(book, shown, options)
            formats = formats_of(path)
            return [(name, _grid(book.get_sheet_by_name(name), formats.get(name, {}))) for name in names]
    except PasswordError:
        raise SourceError(f"{shown} is locked with a password; save it without one.") from None
    except (CalamineError, PanicError, OSError, ValueError):
        raise SourceError(f"{shown} is no spreadsheet that can be read: it is cut short or damaged.") from None


def packing_of(path: Path) -> str:
    """The format of a spreadsheet: xlsx, xlsb, ods or xls."""
    if not zipfile.is_zipfile(path):
        return "xls"
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
    return "ods" if "content.xml" in names else "xlsb" if "xl/workbook.bin" in names else "xlsx"


def _wanted(book: CalamineWorkbook, shown: str, options: ReadOptions) -> list[str]:
    if options.sheet is not None:
        if options.sheet not in book.sheet_names:
            raise SourceError(f'{shown} has no sheet "{options.sheet}"; it has {", ".join(book.sheet_names[:10])}.')
        return [options.sheet]
    plain = [sheet for sheet in book.sheets_metadata if sheet.typ == SheetTypeEnum.WorkSheet]
    return [sheet.name for sheet in plain if sheet.visible == SheetVisibleEnum.Visible]


def _grid(sheet: CalamineSheet, formats: dict[int, Format]) -> Grid:
    gatherer = Gatherer()
    left = sheet.start[1] if sheet.start else 0  # rows are given from the sheet's first on, columns from the first that is used
    for number, row in enumerate(sheet.iter_rows(), 1):
        cells = [_text(cell) for cell in row]
        for column, form in formats.items():
            value = row[column - left] if left <= column < left + len(row) else None
            if isinstance(value, float):
                cells[column - left] = form.text(value)
        gatherer.add(cells if any(cells) else (), number)
    grid = gatherer.grid()
    return replace(grid, merged=_merged(sheet, grid, left))


def _merged(sheet: CalamineSheet, grid: Grid, left: int) -> list[tuple[int, int, int, int]]:
    """Merged ranges in rows and columns of the grid, whose rows are fewer than the sheet's where blank ones were left out."""
    lines = grid.lines.tolist()
    found = []
    for (top, first), (bottom, last) in sheet.merged_cell_ranges or []:
        above, below = bisect_left(lines, top + 1), bisect_right(lines, bottom + 1) - 1
        if above <= below and first >= left and lines[above] == top + 1:
            found.append((above, first - left, below, min(last - left, grid.width - 1)))
    return found


def _text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else f"{cell:.15g}"
    if isinstance(cell, dt.datetime):
        return cell.isoformat(" ", "seconds")
    if isinstance(cell, dt.timedelta):
        seconds = round(cell.total_seconds())
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if isinstance(cell, dt.date):
        return cell.isoformat()
    if isinstance(cell, dt.time):
        return cell.isoformat("seconds")
    return "" if cell is None else str(cell)
