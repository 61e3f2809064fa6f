"""The two icons that Teams asks for, drawn here: a table with one row found."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from typing import Final

Colour = tuple[int, int, int, int]

ACCENT: Final = "#1F4E79"
_GROUND: Final[Colour] = (0x1F, 0x4E, 0x79, 255)
_WHITE: Final[Colour] = (255, 255, 255, 255)
_FOUND: Final[Colour] = (0xFF, 0xC8, 0x57, 255)
_NOTHING: Final[Colour] = (255, 255, 255, 0)


def color_icon() -> bytes:
    """192 x 192 pixels, the sign within the inner 120, as PNG."""
    return _png(192, lambda x, y: _sign(x - 36, y - 36, 120, 8, _WHITE, _FOUND, _GROUND))


def outline_icon() -> bytes:
    """32 x 32 pixels, white on nothing, as PNG."""
    return _png(32, lambda x, y: _sign(x - 2, y - 2, 28, 2, _WHITE, _WHITE, _NOTHING))


def _sign(x: int, y: int, side: int, line: int, ink: Colour, found: Colour, ground: Colour) -> Colour:
    """The colour of a point of a square table: a frame, a head, a line between two columns and three rows, of which the second is found."""
    if not (0 <= x < side and 0 <= y < side):
        return ground
    head = side // 4
    row = (side - head) // 3
    if min(x, y, side - 1 - x, side - 1 - y) < line or y < head:
        return ink
    number, within = divmod(y - head, row)
    if number == 1 and line <= within < row - line and line * 2 <= x < side - line * 2:
        return found
    if (within < line // 2 + 1 and number in (1, 2)) or abs(x - side // 3) < line // 2:
        return ink
    return ground


def _png(side: int, colour: Callable[[int, int], Colour]) -> bytes:
    lines = b"".join(b"\0" + b"".join(bytes(colour(x, y)) for x in range(side)) for y in range(side))
    header = struct.pack(">IIBBBBB", side, side, 8, 6, 0, 0, 0)  # 8 bits each of red, green, blue and opacity
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(lines, 9)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
