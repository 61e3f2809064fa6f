"""Cells that hold several items: whether a column does, what divides them, and the items of a cell."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from engine.fold import fold

# Strong separators hardly stand in texts; weak ones do, and are believed only where items recur in changing company.
_STRONG = (";", "|", "\n", "•", "；")
_WEAK = (",", "/", "，", "、")
_HOURS = re.compile(r"\d{1,2}[:.]\d\d\s*(?:[ap]m)?\s*[-–—]\s*\d{1,2}[:.]\d\d|\b(?:mon|tue|wed|thu|fri|sat|sun)\w*\b.*\d", re.IGNORECASE)
_FIGURES = re.compile(r"[\d\W]*")
_LOOKED_AT = 20_000
_LONGEST = 60  # characters of an item on average: beyond, a cell is prose


def items(text: str, separator: str) -> list[str]:
    """The items of a list cell, without surrounding blanks and without empty ones."""
    mark = separator.strip() or separator
    return [part for part in map(str.strip, text.split(mark)) if part]


def list_separator(texts: Sequence[str]) -> str | None:
    """What divides the items of these distinct cells in its commonest spelling ("; "), or None where they are no lists."""
    looked = texts if len(texts) <= _LOOKED_AT else texts[:: len(texts) // _LOOKED_AT + 1]
    for mark in (*_STRONG, *_WEAK):
        several = [text for text in looked if mark in text]
        if len(several) >= 2 and _are_lists(several, looked, mark):
            return _spelling(several, mark)
    return None


def _are_lists(several: list[str], looked: Sequence[str], mark: str) -> bool:
    weak = mark in _WEAK
    if len(several) < (0.05 if weak else 0.02) * len(looked) or (weak and len(several) < 4):
        return False
    split = [[fold(item) for item in items(text, mark)] for text in several]
    split = [each for each in split if len(each) > 1]
    if len(split) < (4 if weak else 2):
        return False
    flat = [item for each in split for item in each]
    if sum(map(len, flat)) > _LONGEST * len(flat):
        return False
    if sum(bool(_HOURS.search(text)) for text in several[:2000]) > 0.3 * min(len(several), 2000):
        return False
    if weak and sum(bool(_FIGURES.fullmatch(item)) for item in flat) > 0.1 * len(flat):
        return False  # "12/5", "Smith, 1987"
    cells = Counter(item for each in split for item in set(each))
    single = {fold(text) for text in looked if mark not in text}
    recurring = sum(1 for item in flat if cells[item] > 1 or item in single) / len(flat)
    if not weak:
        return recurring >= (0.5 if mark == "\n" else 0.3)
    if any(item.startswith(("and ", "or ", "und ", "et ", "y ")) or item.count(" ") > 6 for item in flat[:5000]):
        return False  # an enumeration in prose
    return recurring >= 0.7 and _change_places(split, single)


def _change_places(split: list[list[str]], single: set[str]) -> bool:
    """Whether items that recur stand now first, now later: in "Haifa, Israel" each kind keeps its place, in a list they do not."""
    first: dict[str, int] = defaultdict(int)
    later: dict[str, int] = defaultdict(int)
    for each in split:
        first[each[0]] += 1
        for item in each[1:]:
            later[item] += 1
    for item in single:
        first[item] += 1
    both = [item for item in later if first.get(item)]
    moving = sum(later[item] for item in both)
    sizes = {len(each) for each in split} | ({1} if single else set())
    return len(both) >= 2 and moving >= 0.4 * sum(later.values()) and len(sizes) > 1


def _spelling(several: list[str], mark: str) -> str:
    if mark == "\n":
        return mark
    found: Counter[str] = Counter(match for text in several[:2000] for match in re.findall(rf" ?{re.escape(mark)} ?", text))
    return str(found.most_common(1)[0][0])
