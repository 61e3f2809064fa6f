"""A version of a source: what it depends on, and how it is made, from the version before where there is one."""

from __future__ import annotations

import gc
import json
import logging
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cache.errors import StoreError, disk_error
from cache.versions import Held, Store
from engine.catalog import TableEntry
from engine.embedder import Embedder
from engine.errors import BuildError, DamageError
from engine.language.synonyms import fingerprint
from engine.progress import Progress
from engine.read.options import READING
from engine.read.where import path_of
from engine.types import WHOLE

if TYPE_CHECKING:
    from engine.build.build import Built
    from engine.build.earlier import EarlierTable
    from engine.read.table import SourceTable

BUILD: Final = "12"  # another number is another build of the same source
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Made:
    """A version in service, and what was built for it: nothing where somebody else had built it meanwhile."""

    held: Held
    built: list[Built] = field(default_factory=list)


def make_version(
    entry: TableEntry,
    store: Store,
    told: Progress,
    embedder: Embedder,
    stamp: str,
    found: tuple[Sequence[SourceTable], str],
    held: Held | None,
    more: Callable[[Path, Sequence[Built]], Mapping[str, Any]] | None = None,
    earlier: Mapping[str, EarlierTable] | None = None,
) -> Made:
    """Builds what was found of a source (its tables, and the digest of its content) beside the version that is held, and puts it in service.

    What the held version has of it is taken over where it was built with the same embedder. more: facts to keep, from the folder that was filled.
    earlier: its tables, where somebody has opened them.
    Raises BuildError where the folder cannot be written, CatalogError for a column that the source does not have.
    """
    from engine.build.build import build  # numpy, LanceDB: seconds that a built table does not need

    sources, content = found
    shape = shape_of(entry, embedder)
    facts: dict[str, Any] = {"stamp": stamp, "shape": shape, "embedder": embedder.name, "build": BUILD, "content": content, "tables": []}
    facts |= {"reading": reading_of(entry), "described": described_of(entry, embedder)}
    built: list[Built] = []

    def fill(folder: Path, before: Mapping[str, EarlierTable]) -> None:
        built.clear()
        for number, table in enumerate(sources):
            part = folder / str(number)
            part.mkdir(mode=0o700)
            name = entry.name if len(sources) == 1 else table.name
            built.append(build(part, table, entry.model_copy(update={"name": name}), embedder, told, before.get(name)))

    def make(folder: Path) -> None:
        before = earlier_tables(held, embedder) if earlier is None else earlier
        with without_collector(bool(before)):
            try:
                fill(folder, before)
            except (DamageError, sqlite3.DatabaseError, RuntimeError, ValueError, KeyError, IndexError) as error:
                if not before or disk_error(error, store.root) is not None:
                    raise  # a second try would fill the disk as well
                log.warning("a table is built from its source alone", extra={"table": entry.name, "reason": type(error).__name__})
                for path in folder.iterdir():
                    shutil.rmtree(path)
                fill(folder, {})
        facts["tables"] = [table.name for table in built]
        facts["rows"] = sum(table.facts.rows for table in built)
        facts.update(more(folder, built) if more else {})

    try:
        made = store.build(
            source_key(entry), version_of(shape, sources), make, facts, waiting=lambda: told("waiting for another build", 0, 1)
        )
    except StoreError as error:
        raise BuildError(str(error)) from error
    except OSError as error:
        raise BuildError(
            f'The tables could not be built in "{store.root}": {error.strerror or "the disk refused"}; see that the folder can be written.'
        ) from error
    return Made(made, built)


def earlier_tables(held: Held | None, embedder: Embedder) -> dict[str, EarlierTable]:
    """The tables of a version by name, in their order, where what they hold can be taken over."""
    if held is None or held.facts.get("embedder") != embedder.name or held.facts.get("build") != BUILD:
        return {}
    from engine.build.earlier import EarlierTable

    try:
        return {
            str(name): EarlierTable(held.folder / str(number), not embedder.address)
            for number, name in enumerate(held.facts["tables"])  # type: ignore[arg-type]
        }
    except DamageError:
        return {}


@contextmanager
def without_collector(short: bool) -> Iterator[None]:
    """Takes over hundreds of thousands of texts without Python looking through them for cycles, which takes longer than the work."""
    was = gc.isenabled()
    if short:
        gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def source_key(entry: TableEntry) -> str:
    """The key that the store keeps a table, or a slice of it, under."""
    where = entry.source if "://" in entry.source else str(path_of(entry.source, entry.base).absolute())
    described = bool(entry.row or entry.keys or entry.columns or entry.description)
    part = [digest(entry.part.model_dump())] if entry.part != WHOLE else []  # whose rows they are is no name of a folder
    return json.dumps([entry.name, where, described, *part], ensure_ascii=False)


def shape_of(entry: TableEntry, embedder: Embedder) -> str:
    """What a version depends on besides the content of its source; who may see it is no part of it."""
    rules = {
        "base",
        "see",
        "rows",
        "all_rows",
        "channels",
        "audit_rows",
        "refresh",
        "jitter",
        "alerts",
        *(() if entry.agreed else ("agreed",)),
    }
    said = entry.model_dump(mode="json", exclude=rules | {"columns"})
    columns = {name: about.model_dump(mode="json", exclude={"see"}) for name, about in entry.columns.items()}
    return digest(said, columns, BUILD, fingerprint(), embedder.name)


def described_of(entry: TableEntry, embedder: Embedder) -> str:
    """What `shape_of` tells, without the types that were agreed on."""
    return shape_of(entry.model_copy(update={"agreed": {}}), embedder)


def reading_of(entry: TableEntry) -> str:
    """What the reading of a source depends on by the catalog: where it is the same, two versions differ by their source."""
    return digest(READING, entry.source, entry.model_copy(update={"agreed": {}}).options().model_dump(mode="json"))


def version_of(shape: str, sources: Sequence[SourceTable]) -> str:
    """The name of the version that these tables make."""
    return digest(shape, [table.fingerprint for table in sources])


def is_whole(facts: Mapping[str, Any]) -> bool:
    """Whether a manifest says all that was written into it."""
    return bool(facts.get("tables")) and isinstance(facts["tables"], list) and {"stamp", "shape"} <= facts.keys()


def digest(*parts: Any) -> str:
    """Of anything that JSON can say, or that has a text."""
    return blake2b(
        json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass"), digest_size=12
    ).hexdigest()
