"""A first catalog for a source, and questions that are known to work because they were asked."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.answering import answers_from, library_of
from bot.escape import one_line
from engine.build.facts import ColumnFacts
from engine.catalog import catalog_of
from engine.read.where import path_of
from engine.table import OpenTable
from engine.types import EVERYTHING, ChatThread, Reply

QUESTIONS: Final = 5
_SHOWN_COLUMNS: Final = 60
_REACHING: Final = frozenset({"phone", "telephone", "tel", "email", "address"})
_NO_FIGURE: Final = frozenset({"id", "code", "number", "no", "nr", "latitude", "longitude", "lat", "lng"})  # numbers that are no amounts
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Draft:
    """A catalog's text, and questions that its table answers."""

    text: str
    questions: list[str]

    def commands(self, catalog: Path) -> list[str]:
        """The questions as they are typed, with the catalog's file where it is not the one that is found by itself."""
        option = "" if catalog == Path("almanac.toml") else f" --catalog {shlex.quote(str(catalog))}"
        return [f"almanac ask{option} {shlex.quote(question)}" for question in self.questions]


def draft(source: str, folder: Path) -> Draft:
    """Drafts a catalog that will lie in the folder; raises SourceError where the source cannot be read."""
    catalog = catalog_of(source)
    path = str(path_of(source, None).absolute())
    beside = os.path.relpath(path, folder.absolute())
    here = source if "://" in source else path if beside.startswith("../..") else beside

    with library_of(catalog) as library:
        answer = answers_from(library)

        def drafted(tables: Sequence[OpenTable]) -> Draft:
            questions: list[str] = []
            for table in tables:
                for asked in _candidates(table):
                    if len(questions) < QUESTIONS and _works(answer(asked, ChatThread(), EVERYTHING)):
                        questions.append(asked)
            return Draft(text=_text(catalog.tables[0].name, here, tables, questions), questions=questions)

        return library.used(EVERYTHING, drafted)


def _works(reply: Reply) -> bool:
    """Whether every word found its place and something came of it."""
    first = reply.parts[0]
    return reply.kind == "answer" and first.result is not None and first.result.total > 0 and not first.unused


def _candidates(table: OpenTable) -> Iterator[str]:
    """Questions that ought to work, of different sorts first, from the table's own words."""
    facts = table.facts
    nouns = _nouns(table.name)
    noun = nouns[1] if nouns else "rows"
    yield f"how many {noun} are there?"
    shared = [c for c in facts.columns if c.kind in ("category", "name") and c.textual and 1 < c.distinct < facts.rows * 0.7]
    categories = [column for column in shared if column.name != facts.naming]
    categories.sort(key=lambda column: (column.empty > facts.rows * 0.1, column.distinct))
    figures = [column for column in facts.columns if column.numeric and column.distinct > 2 and not _NO_FIGURE & set(column.key.split())]
    others = [c for c in facts.columns if c.textual and c.name != facts.naming and c.empty < facts.rows / 2]
    reached = sorted(others, key=lambda column: (not _REACHING & set(column.key.split()), column in categories))
    named = [term for term in table.terms_of(facts.column(facts.naming), limit=50_000)[-200:] if term.rows == 1 and _speakable(term.text)]
    groups: list[list[str]] = [[], [], [], [], []]
    for column in categories[:8]:
        terms = [term for term in table.terms_of(column, limit=5) if _speakable(term.text)]
        groups[0] += [f"which {noun} have {_spoken(column)} {term.text}?" for term in terms[:2]]
        groups[0] += [f"how many {noun} are in {term.text}?" for term in terms[:1]]
        groups[1] += [f"how many {noun} per {_spoken(column)}?"]
    groups[2] += [f"what is the {_spoken(column)} of {term.text}?" for column in reached[:2] for term in named[:3]]
    one = nouns[0] if nouns else "row"
    for column in figures[:4]:
        groups[3] += [f"which {one} has the highest {_spoken(column)}?", f"what is the average {_spoken(column)}?"]
    groups[4] += [f"{noun} with no {_spoken(column)}" for column in facts.columns if 0 < column.empty < facts.rows / 2][:3]
    groups[4] += [f"{noun} whose {_spoken(facts.column(facts.naming))} starts with {term.text[:3]}" for term in named[:2]]
    # one of each sort in turn, so that the five are not five of a kind
    for turn in range(max(map(len, groups), default=0)):
        yield from (group[turn] for group in groups if turn < len(group))


def _text(name: str, source: str, tables: Sequence[OpenTable], questions: list[str]) -> str:
    section = name if _BARE_KEY.fullmatch(name) else _quoted(name)
    lines = ["# A draft by `almanac init`: change what is not so, and leave out what you do not need.", ""]
    lines += [f"[tables.{section}]", f"source = {_quoted(source)}"]
    if len(tables) == 1:
        lines += _section(tables[0], section)
    else:
        names = ", ".join(one_line(table.name) for table in tables)
        lines.append(f"# It holds {len(tables)} tables, which are asked as they are: {names}")
    if questions:
        lines += ["", "# Questions that work:", *(f"#   {one_line(question)}" for question in questions)]
    return "\n".join(lines) + "\n"


def _section(table: OpenTable, section: str) -> list[str]:
    facts = table.facts
    nouns = _nouns(table.name)
    lines = ['# description = "What the table holds, in a sentence."']
    lines += [f"row = [{', '.join(map(_quoted, nouns))}]  # what one row is called, and several"] if nouns else ['# row = ["row", "rows"]']
    lines += [f"keys = [{', '.join(map(_quoted, facts.keys))}]  # shown with every row; the first names it", ""]
    lines.append("# Its columns, as they were read:")
    for column in facts.columns[:_SHOWN_COLUMNS]:
        examples = ", ".join(_quoted(term.text[:40]) for term in table.terms_of(column, limit=3))
        listed = f", lists divided by {_quoted(column.list_separator)}" if column.list_separator else ""
        counts = f"{column.distinct:,} distinct, {column.empty:,} empty"
        lines.append(one_line(f"#   {column.name}: {column.type}{listed}, {counts}; {examples}".rstrip("; ")))
    if len(facts.columns) > _SHOWN_COLUMNS:
        lines.append(f"#   and {len(facts.columns) - _SHOWN_COLUMNS:,} more")
    worded = next((column for column in facts.columns if column.kind == "category" and column.textual), facts.columns[0])
    column_key = worded.name if _BARE_KEY.fullmatch(worded.name) else _quoted(worded.name)
    lines += ["#", "# What your people call a column, and its values, goes into a section like this one:"]
    lines.append(f"# [tables.{one_line(section)}.columns.{one_line(column_key)}]")
    lines.append('# synonyms = ["another name for the column"]')
    if terms := table.terms_of(worded, limit=1):
        lines.append(f'# terms = {{ {one_line(_quoted(terms[0].text))} = ["another word for it"] }}')
    return lines


def _nouns(table: str) -> tuple[str, str] | None:
    """What a row and rows are called, by a table's name that ends in an English plural; None where it tells nothing."""
    words = re.findall(r"[a-z]+", table.casefold())
    last = words[-1] if words else ""
    if len(last) < 4 or not last.endswith("s") or last.endswith(("ss", "us", "is")):
        return None
    if last.endswith("ies"):
        return last[:-3] + "y", last
    return last[:-2] if last.endswith(("ches", "shes", "sses", "xes")) else last[:-1], last


def _spoken(column: ColumnFacts) -> str:
    return column.key or column.name


def _speakable(text: str) -> bool:
    return 2 < len(text) <= 40 and text.isprintable() and any(character.isalpha() for character in text)


def _quoted(text: str) -> str:
    """A text as TOML writes it; JSON's way of quoting is TOML's too, but for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
