"""How a delimited text divides its cells: delimiter, quote, and whether a backslash escapes a quote."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from engine.read.numbers import number_of
from engine.read.options import ReadOptions

# What divides cells, and how readily it is believed: a comma stands in texts as well, blanks and colons nearly always do.
_DELIMITERS = {"\t": 1.0, ";": 1.0, "|": 1.0, ",": 0.98, "\x1f": 1.0, "^": 0.8, "~": 0.8, "¦": 0.8, ":": 0.5, " ": 0.45}
_STRONG = "\t;|\x1f"
_ALONE = 0.3  # the worth of taking a text for a single column
_ESCAPED = re.compile(r'(?<!\\)((?:\\\\)*)\\"')
_SURELY_ESCAPED = re.compile(_ESCAPED.pattern + r"(?!\"|\s*(?:[,;\t|]|$))", re.MULTILINE)  # else it may be a path that ends in a backslash
_DOUBLED = re.compile(r'[^,;\t|\s"]""[^,;\t|\s]')
_SEPARATOR_LINE = re.compile(r"sep=(.)\r?\n?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Dialect:
    """quote is "" where nothing is quoted; skip_lines: lines that say the delimiter and hold no cells."""

    delimiter: str = ","
    quote: str = '"'
    escaped: bool = False
    blank_after: bool = False
    skip_lines: int = 0

    def rows(self, lines: Iterable[str]) -> Iterator[list[str]]:
        """The cells of each record; no more lines are taken than the record has."""
        if self.escaped:
            lines = (_ESCAPED.sub(r'\1""', line) for line in lines)
        if not self.quote:
            return csv.reader(lines, delimiter=self.delimiter, quoting=csv.QUOTE_NONE)
        return csv.reader(lines, delimiter=self.delimiter, quotechar=self.quote, skipinitialspace=self.blank_after)

    def closes(self, record: list[str]) -> bool:
        """Whether the quotes of a record of several lines close where a cell ends; else a later cell was taken for the end of this one."""
        strict = csv.reader(record, delimiter=self.delimiter, quotechar=self.quote or None, skipinitialspace=self.blank_after, strict=True)
        if self.escaped or not self.quote:
            return True
        try:
            return all(True for _ in strict)
        except csv.Error:
            return False


def dialect_of(sample: list[str], options: ReadOptions) -> Dialect:
    """The dialect of these first lines; what the options say is not guessed."""
    found = _SEPARATOR_LINE.match(sample[0]) if sample else None
    if found:
        rest = dialect_of(sample[1:], options.model_copy(update={"delimiter": options.delimiter or found[1]}))
        return replace(rest, skip_lines=1)
    delimiters = [options.delimiter] if options.delimiter else list(_DELIMITERS)
    text = "".join(sample)
    if options.quote is not None:
        quotes = [options.quote]
    else:
        quotes = ['"'] + (["'"] if _quoted_by(text, "'") else []) + ([""] if '"' in text else [])
    scored: list[tuple[float, bool, Dialect]] = []
    for delimiter in sorted(delimiters, key=_worth, reverse=True):
        if delimiter not in text and not options.delimiter:
            continue
        if scored and max(score for score, _, _ in scored) > _worth(delimiter):
            break  # none of the others can be worth more
        for quote in quotes:
            for blanks in (False, True) if delimiter == " " else (False,):  # figures in columns are kept apart by runs of blanks
                dialect = Dialect(delimiter, quote, blank_after=blanks)
                scored.append((_score(dialect, sample), quote == '"', dialect))
    best = max(scored, key=lambda each: each[:2], default=(0.0, True, Dialect()))
    if best[0] < _ALONE and not options.delimiter:
        return _refined(Dialect(quote="" if options.quote == "" else (options.quote or '"')), sample, text)
    return _refined(best[2], sample, text)


def _quoted_by(text: str, quote: str) -> bool:
    edge = r"(?:^|[,;\t|])"
    return len(re.findall(edge + quote + r"[^'\n]*" + quote + r"(?=[,;\t|]|\r?$)", text, re.MULTILINE)) >= 2 and '"' not in text


def _refined(dialect: Dialect, sample: list[str], text: str) -> Dialect:
    if dialect.quote != '"' or '"' not in text:
        return dialect
    if '\\"' in text and _SURELY_ESCAPED.search(text) and not _DOUBLED.search(text):
        escaped = replace(dialect, escaped=True)
        if _score(escaped, sample) >= _score(dialect, sample):
            dialect = escaped
    if dialect.delimiter != " " and f'{dialect.delimiter} "' in text:
        spaced = replace(dialect, blank_after=True)
        if _score(spaced, sample) > _score(dialect, sample):
            dialect = spaced
    return dialect


def _score(dialect: Dialect, sample: list[str]) -> float:
    """0 to 1: how far the records agree on their number of cells, and how clean the cells look."""
    try:
        rows = [row for row in dialect.rows(sample) if any(cell.strip() for cell in row)]
    except csv.Error:
        return 0.0
    if not rows:
        return 0.0
    widths = Counter(map(len, rows))
    # Titles above and notes below are narrow: the width that most cells lie in tells more than the width of most rows.
    width = max(widths, key=lambda w: (widths[w] * (w - 1), w))
    if width < 2:
        return 0.0
    agree = widths[width] / len(rows)
    narrow = sum(n for w, n in widths.items() if w == 1) / len(rows)
    agree += 0.5 * sum(n for w, n in widths.items() if 1 < w < width) / len(rows) + 0.6 * min(narrow, 0.3)
    cells = [cell for row in rows for cell in row if cell]
    others = [each for each in _STRONG if each != dialect.delimiter]
    unclean = sum(map(bool, map(re.compile(f"[{''.join(others)}]").search, cells))) / max(1, len(cells))
    if dialect.quote != '"':
        # a cell with one quotation mark was cut in the wrong place
        agree *= 1 - sum(any(cell.count('"') % 2 for cell in row) for row in rows) / len(rows)
    if dialect.delimiter in ": " and (agree < 0.95 or width < 3 or not _figures(rows, width)):
        return 0.0
    return agree**2 * (1 - 0.5 / width) * _worth(dialect.delimiter) * (1 - 0.6 * unclean)


def _worth(delimiter: str) -> float:
    """What the score of a delimiter can be at most."""
    return _DELIMITERS.get(delimiter, 1.0)


def _figures(rows: list[list[str]], width: int) -> bool:
    """Whether a column below the first row holds nothing but figures: words alone that are divided by blanks are prose."""
    below = [row for row in rows[1:] if len(row) == width]
    return len(below) > 1 and any(all(number_of(row[i]) for row in below) for i in range(width))
