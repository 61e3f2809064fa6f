"""Reading: any table that an office has, column by column, with a report of how it was read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.read.options import ReadOptions
from engine.read.where import stamp_source

if TYPE_CHECKING:
    from engine.read.kind import KnownKind
    from engine.read.table import SourceTable

__all__ = ["ReadOptions", "read", "read_if_new", "stamp"]


def read(source: str, options: ReadOptions = ReadOptions(), *, base: Path | None = None) -> list[SourceTable]:
    """Every table of a source: a path or glob (relative to base), an https address, or a database by its URL or file.

    Raises SourceError, one sentence naming the source and the line where there is one.
    """
    from engine.read.source import read_source  # what reads spreadsheets and databases is imported when something is read

    found = read_source(source, options, base)
    assert found is not None, "no digest is known"
    return found[0]


def read_if_new(
    source: str, options: ReadOptions, base: Path | None, known: str, kinds: Callable[[], Sequence[Mapping[str, KnownKind]]] = list
) -> tuple[list[SourceTable], str] | None:
    """Every table of a source and a digest of its content; None, and nothing is parsed, where the digest is the known one ("" for none).

    kinds: what an earlier reading with the same options made of the columns of each table, by name. Raises SourceError as `read` does.
    """
    from engine.read.source import read_source

    return read_source(source, options, base, known, kinds)


def stamp(source: str, base: Path | None = None, known: str = "") -> str:
    """A cheap identity of the source's state (sizes and times of files, ETag of an address); empty where it cannot be told.

    known: an earlier one; an address is asked whether it still holds.
    """
    return stamp_source(source, base, known)
