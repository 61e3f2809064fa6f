"""Text of tables and people as elements of a card: plain runs, in which no markdown, link, mention or date function works."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, Final

from bot.escape import lines

Element = dict[str, Any]

_FUNCTION: Final = re.compile(r"\{(?=\{)")  # {{DATE(...)}} is computed by the client
_BREAK: Final = "\u200b"  # no width: between the braces it takes their meaning away
CUT: Final = "…"


def plain(text: str, most: int) -> str:
    r"""The text without what could drive a client, cut to so many characters.

    >>> plain("a\x00b", 10), plain("abcdef", 4)
    ('a\\x00b', 'abc…')
    """
    clean = lines(text)
    return _FUNCTION.sub("{" + _BREAK, clean if len(clean) <= most else clean[: most - 1] + CUT)


def run(text: str, most: int, **style: Any) -> Element:
    """A paragraph of its own; style is that of a TextRun (size, weight, color, isSubtle, fontType)."""
    words = plain(text, most)
    return {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": words, **style} if style else words]}


def reads_right_to_left(text: str) -> bool | None:
    """The direction of the first letter that has one, None where there is none.

    >>> reads_right_to_left("12 תל אביב"), reads_right_to_left("Acre"), reads_right_to_left("12")
    (True, False, None)
    """
    for character in text:
        direction = unicodedata.bidirectional(character)
        if direction in ("R", "AL"):
            return True
        if direction == "L":
            return False
    return None
