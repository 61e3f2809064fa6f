"""What a build keeps of its source beside what is asked, so that the next one need only look at what changed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.build.known import Known
from engine.build.terms import ColumnTerms
from engine.fold import key
from engine.language.synonyms import Group
from engine.read.kind import Kind, KnownKind
from engine.read.table import SourceColumn, SourceTable
from engine.types import TEXT_TYPES, ColumnType, Value

TEXTS: Final = "source.json"
CODES: Final = "source.npy"
MOST: Final = 100_000_000  # characters of all distinct texts: more would take as long to keep as to work out again


@dataclass(frozen=True, slots=True)
class KeptColumn:
    """A column as it was read, and the terms of its texts: see SourceColumn and ColumnTerms. folded is None where terms are not kept."""

    name: str
    type: ColumnType
    separator: str | None
    texts: list[str]
    values: list[Value]
    misfits: frozenset[int]
    codes: NDArray[np.int32]
    class_of: NDArray[np.int32]
    folded: list[str] | None
    keys: list[str] | None
    given: ColumnType | None = None
    kind: Kind | None = None

    def known(self) -> KnownKind | None:
        """What the reading made of its texts; None where the texts of other columns had a part in it."""
        if self.kind is None:
            return None
        counts = np.bincount(self.codes[self.codes >= 0], minlength=len(self.texts))
        return KnownKind(self.texts, counts, self.given, self.kind, self.separator)


@dataclass(frozen=True, slots=True)
class Kept:
    """A table as it was read. numbers: of its rows. items: forms of the items of lists. groups: the general synonyms, by stems."""

    columns: list[KeptColumn]
    numbers: NDArray[np.int32]
    items: dict[str, Any]
    groups: list[Group]

    def kinds(self) -> dict[str, KnownKind]:
        """What the reading made of the texts of its columns, by name."""
        return {column.name: known for column in self.columns if (known := column.known()) is not None}


def write_kept(folder: Path, table: SourceTable, terms: Sequence[ColumnTerms], items: Known, groups: list[Group]) -> None:
    """Keeps a table; nothing where it is too large for that."""
    if sum(sum(map(len, column.texts)) for column in table.columns) > MOST:
        return
    said: dict[str, Any] = {
        "rows": table.rows,
        "items": items.used(),
        "groups": groups,
        "columns": [_said(column, found) for column, found in zip(table.columns, terms, strict=True)],
    }
    text = json.dumps(said, ensure_ascii=False, check_circular=False)
    (folder / TEXTS).write_bytes(text.encode("utf-8", "surrogatepass"))
    classes = [found.class_of for found in terms]
    with (folder / CODES).open("wb") as file:
        flat = [table.row_numbers, *(column.codes for column in table.columns), *classes]
        np.save(file, np.concatenate([np.asarray(one, dtype=np.int32) for one in flat]), allow_pickle=False)


def _said(column: SourceColumn, terms: ColumnTerms) -> dict[str, Any]:
    said: dict[str, Any] = {
        "name": column.name, "type": column.type, "separator": column.list_separator, "texts": column.texts, "misfits": sorted(column.misfits),
    }  # fmt: skip
    if column.values != column.texts:
        said["values"] = column.values
    if column.kind is not None:
        said["kind"] = [column.given, column.kind.decimal, column.kind.day_first, column.kind.doubts]
    if column.type in TEXT_TYPES and column.list_separator is None:
        first = _first_texts(column.texts, terms.class_of, len(terms))
        said["folded"] = [None if folded == text else folded for folded, text in zip(terms.folded, first, strict=True)]
        said["keys"] = [None if words == folded else words for words, folded in zip(terms.keys, terms.folded, strict=True)]
        said["apart"] = _apart(column.texts, terms)
    return said


def _first_texts(texts: list[str], class_of: NDArray[np.int32], terms: int) -> list[str]:
    first = [""] * terms
    for number, text in zip(reversed(class_of.tolist()), reversed(texts), strict=True):
        if number >= 0:
            first[number] = text
    return first


def _apart(texts: list[str], terms: ColumnTerms) -> list[int]:
    """The terms whose spellings are looked up differently: which one counts depends on their order."""
    sizes = np.bincount(terms.class_of[terms.class_of >= 0], minlength=len(terms))
    several = np.flatnonzero((terms.class_of >= 0) & (sizes[terms.class_of] > 1)) if len(terms) else np.zeros(0, dtype=np.int64)
    return sorted({int(terms.class_of[index]) for index in several if key(texts[index]) != terms.keys[terms.class_of[index]]})


def read_kept(folder: Path) -> Kept | None:
    """What was kept of a version's table; None where nothing was, or it cannot be read."""
    try:
        said = json.loads((folder / TEXTS).read_bytes().decode("utf-8", "surrogatepass"))
        flat = np.load(folder / CODES, allow_pickle=False)
        sizes = [said["rows"]] * (1 + len(said["columns"])) + [len(each["texts"]) for each in said["columns"]]
        parts = np.split(flat, np.cumsum(sizes)[:-1])
        columns = len(said["columns"])
        return Kept(
            [_column(each, parts[1 + n], parts[1 + columns + n]) for n, each in enumerate(said["columns"])],
            parts[0],
            said["items"],
            [(about, tuple(phrases), tuple(lean)) for about, phrases, lean in said["groups"]],
        )
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None


def _column(said: dict[str, Any], codes: NDArray[np.int32], class_of: NDArray[np.int32]) -> KeptColumn:
    texts: list[str] = said["texts"]
    folded = keys = None
    if "folded" in said:
        first = _first_texts(texts, class_of, len(said["folded"]))
        folded = [text if form is None else form for form, text in zip(said["folded"], first, strict=True)]
        keys = [form if words is None else words for words, form in zip(said["keys"], folded, strict=True)]
        for number in said["apart"]:
            class_of = np.where(class_of == number, -1, class_of)
            folded[number] = f"\0{number}"  # no text folds to this
    values = said.get("values", texts)
    misfits, given, kind = frozenset(said["misfits"]), None, None
    if "kind" in said:
        given, decimal, day_first, doubts = said["kind"]
        kind = Kind(said["type"], values, misfits, decimal, day_first, doubts=[(code, text, list(where)) for code, text, where in doubts])
    return KeptColumn(said["name"], said["type"], said["separator"], texts, values, misfits, codes, class_of, folded, keys, given, kind)
