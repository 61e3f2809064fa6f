"""Text of tables and questions made harmless for a terminal: a cell must not move the cursor, reorder its neighbours or hide anything."""

from __future__ import annotations

import json
import re
from typing import Any, Final

# C0 and C1 controls, DEL, line and paragraph separators, embeddings, overrides and isolates of direction, surrogates
_UNSAFE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_UNSAFE_IN_LINES: Final = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_RIGHT_TO_LEFT: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_SHORT: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def one_line(text: str) -> str:
    r"""The text on one line, whatever could drive a terminal written out.

    >>> one_line("a\x1b[2Jb\nc")
    'a\\x1b[2Jb\\nc'
    """
    return _UNSAFE.sub(_written, text)


def lines(text: str) -> str:
    """The same, but the text keeps its line breaks."""
    return _UNSAFE_IN_LINES.sub(_written, text.replace("\r\n", "\n"))


def isolated(text: str) -> str:
    """Each line of a text with right-to-left letters between the marks that keep it from reordering what stands beside it."""
    if not _RIGHT_TO_LEFT.search(text):
        return text
    return "\n".join(f"\u2068{line}\u2069" for line in text.split("\n"))


def json_text(value: Any) -> str:
    """JSON that reads well, is UTF-8 whatever is in it, and holds no raw control character."""
    return _UNSAFE.sub(lambda found: found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def _written(found: re.Match[str]) -> str:
    character = found[0]
    if short := _SHORT.get(character):
        return short
    return f"\\x{ord(character):02x}" if ord(character) < 256 else f"\\u{ord(character):04x}"
