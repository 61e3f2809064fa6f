"""Packed spreadsheets looked into before they are opened: what they unfold to, locks, formulas without values, cells that lie too far
apart.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from pathlib import Path

from engine.errors import SourceError
from engine.read.formats import column_number

_PIECE = 1 << 20
_MOST_CELLS = 100_000_000
_LARGE = 50_000_000  # bytes unfolded, below which no share of air is suspicious
_AIR = 1000  # unfolded to packed: repeated cells pack well, a bomb packs far better
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_UNCOMPUTED = re.compile(rb'<c r="([A-Z]+\d+)"(?![^>]*t="str")[^>]*>\s*<f[^>]*(?:/>|>[^<]*</f>)\s*(?:<v\s*/>|<v></v>)?\s*</c>')
_CELL = re.compile(rb'<c r="([A-Z]+)(\d+)"[^>]*[^/]>')
_LOCKED = b"E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e"


def check_packed(path: Path, shown: str, most: int) -> None:
    """Raises SourceError where a spreadsheet cannot be opened safely or would be read wrongly; most: bytes that it may unfold to."""
    with path.open("rb") as file:
        if file.read(4) != b"PK\x03\x04":
            file.seek(0)
            if _LOCKED in file.read(1 << 22):
                raise SourceError(f"{shown} is locked with a password; save it without one.")
            return
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > most:
                raise SourceError(
                    f"{shown} unfolds to more than {most:,} bytes, which is more than may be read; raise bytes in the catalog."
                )
            left = most
            for member in members:
                left -= _check_member(archive, member, shown, left)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError):
        raise SourceError(f"{shown} is no spreadsheet that can be read: it is cut short or damaged.") from None
    except RuntimeError:  # what zipfile raises for an encrypted member
        raise SourceError(f"{shown} is locked with a password; save it without one.") from None


def _check_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, shown: str, left: int) -> int:
    """Unfolds one member and looks at its bytes; how many there were."""
    sheet = _SHEET.fullmatch(member.filename)
    size, before = 0, b""
    rows = columns = 0
    with archive.open(member) as file:
        while piece := file.read(_PIECE):
            size += len(piece)
            if size > left or (size > _LARGE and size > _AIR * max(1, member.compress_size)):
                raise SourceError(f"{shown} unfolds to far more than its size, as no table does; it is not read.")
            if sheet:
                text = before + piece
                found = _UNCOMPUTED.search(text)
                if found:
                    where = f"{shown}: cell {found[1].decode()}"
                    raise SourceError(f"{where} holds a formula that was never computed; open it in a spreadsheet program and save it.")
                for cell in _CELL.finditer(text):
                    rows, columns = max(rows, int(cell[2])), max(columns, column_number(cell[1]) + 1)
                if rows * columns > _MOST_CELLS:
                    raise SourceError(
                        f"{shown}: a sheet spreads over {rows:,} rows and {columns:,} columns, which is more than can be read."
                    )
                before = text[-2000:]
    return size
