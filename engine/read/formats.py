"""What number formats of a workbook say about its columns: percentages, money, figures filled up with zeros."""

from __future__ import annotations

import re
import zipfile
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_LOOKED_AT = 2_000_000  # bytes of a sheet: its first rows tell
_STYLED = re.compile(rb'<c r="([A-Z]{1,3})\d+"(?: s="(\d+)")?(?: t="n")?>(?:<f[^>]*(?:/>|>[^<]*</f>))?<v>')
_BUILT_IN = {9: "0%", 10: "0.00%", 5: '"$"0', 6: '"$"0', 7: '"$"0', 8: '"$"0', 42: '"$"0', 44: '"$"0'}
_MONEY = re.compile(r'\[\$([^\]-]{1,4})[^\]]*\]|"?([$€£¥₪₽₹₩₺₴฿])"?')


@dataclass(frozen=True, slots=True)
class Format:
    """How the numbers of a column are shown: as percent, with a currency, or with zeros up to a width."""

    percent: bool = False
    currency: str = ""
    width: int = 0

    def text(self, value: float) -> str:
        """A number as the format shows it, with all of its figures."""
        if self.percent:
            return f"{value * 100:.12g}%"
        plain = str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.15g}"
        return plain.rjust(self.width, "0") if self.width else self.currency + plain


def formats_of(path: Path) -> dict[str, dict[int, Format]]:
    """By sheet and by column (the first is 0) the format that most of its numbers have; nothing where a file is no XLSX."""
    if not zipfile.is_zipfile(path):
        return {}
    with zipfile.ZipFile(path) as archive:
        try:
            styles = _styles(archive)
            return {name: _columns(archive, part, styles) for name, part in _sheets(archive)} if any(styles) else {}
        except (KeyError, ElementTree.ParseError, ValueError):
            return {}


def _styles(archive: zipfile.ZipFile) -> list[Format | None]:
    root = ElementTree.fromstring(archive.read("xl/styles.xml"))
    codes = {int(each.get("numFmtId", "0")): each.get("formatCode", "") for each in root.iter(f"{_MAIN}numFmt")}
    found = root.find(f"{_MAIN}cellXfs")
    numbers = [int(each.get("numFmtId", "0")) for each in found] if found is not None else []
    return [_format(codes.get(number) or _BUILT_IN.get(number, "")) for number in numbers]


def _format(code: str) -> Format | None:
    first = code.split(";")[0]
    if "%" in first:
        return Format(percent=True)
    if re.fullmatch(r"0{2,18}", first):
        return Format(width=len(first))
    money = _MONEY.search(first)
    return Format(currency=(money[1] or money[2]).strip()) if money else None


def _sheets(archive: zipfile.ZipFile) -> list[tuple[str, str]]:
    targets = {each.get("Id"): each.get("Target", "") for each in ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))}
    sheets = ElementTree.fromstring(archive.read("xl/workbook.xml")).iter(f"{_MAIN}sheet")
    return [(each.get("name", ""), "xl/" + targets[each.get(_RELATION)].removeprefix("/xl/")) for each in sheets]


def _columns(archive: zipfile.ZipFile, part: str, styles: list[Format | None]) -> dict[int, Format]:
    with archive.open(part) as file:
        head = file.read(_LOOKED_AT)
    seen: dict[int, Counter[Format | None]] = defaultdict(Counter)
    for cell in _STYLED.finditer(head):
        style = int(cell[2] or 0)
        seen[column_number(cell[1])][styles[style] if style < len(styles) else None] += 1
    found = {column: counts.most_common(1)[0] for column, counts in seen.items()}
    return {column: form for column, (form, count) in found.items() if form and count >= 0.8 * seen[column].total()}


def column_number(letters: bytes) -> int:
    """The number of a column (the first is 0) by its letters."""
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number - 1
