"""What may be asked at all: a question is one text of a sensible length that says something."""

from __future__ import annotations

import unicodedata
from typing import Final

from engine.errors import UsageError

LONGEST: Final = 2000  # characters


def checked_question(text: str) -> str:
    """The question with its white space made plain; raises UsageError for one that is empty, too long, wordless or not text."""
    plain = " ".join(text.split())
    if not plain:
        raise UsageError('The question is empty; ask something like "how many rows are there?".')
    if len(plain) > LONGEST:
        raise UsageError(f"The question is {len(plain):,} characters long; it can have {LONGEST:,}.")
    for character in plain:
        category = unicodedata.category(character)
        if category == "Cc":
            raise UsageError(f"The question holds a control character (U+{ord(character):04X}); ask in plain text.")
        if category == "Cs":
            raise UsageError("The question is not readable as text; ask in UTF-8.")
    if not any(unicodedata.category(character)[0] in "LN" for character in plain):
        raise UsageError("The question has no word or number in it; ask in words.")
    return plain
