"""From a catalog to open tables: what is not built, or whose source has changed, is built first."""

from __future__ import annotations

import json
import logging
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from cache.errors import StoreError
from cache.hints import Hints
from cache.versions import Held, Store
from engine.catalog import Catalog, TableEntry
from engine.embed import Embedder, default_embedder
from engine.errors import BuildError
from engine.fold import fold, key
from engine.language.synonyms import fingerprint
from engine.progress import Progress
from engine.read import read, stamp
from engine.table import OpenTable, Words

BUILD: Final = "9"  # another number is another build of the same source
log = logging.getLogger(__name__)


def _silent(stage: str, done: int, total: int) -> None:
    pass


def open_tables(
    catalog: Catalog, store: Store, progress: Progress | None = None, embedder: Embedder | None = None, only_built: bool = False
) -> list[OpenTable]:
    """Every table of the catalog, open and fresh; only_built takes what is in service without looking at the sources, where there is something.

    Raises SourceError, CatalogError (a column that the source does not have), BuildError.
    """
    tables: list[OpenTable] = []
    try:
        for entry in catalog.tables:
            held = index(entry, store, progress, embedder, only_built)
            tables += _opened(held, entry, catalog)
    except BaseException:
        for table in tables:
            table.close()
        raise
    return tables


def index(
    entry: TableEntry, store: Store, progress: Progress | None = None, embedder: Embedder | None = None, only_built: bool = False
) -> Held:
    """The source's version in service, built now if there is none or the content has changed; nothing is read where the stamp tells that it has not."""
    embedder = embedder or default_embedder()
    told = progress or _silent
    source_key = _source_key(entry)
    shape = _digest(entry.model_dump(mode="json", exclude={"base"}), BUILD, fingerprint(), embedder.name)
    hints = Hints(store.root, "tables")
    now = stamp(entry.source, entry.base)
    held = store.current(source_key)
    if held is not None:
        same = now and (held.facts.get("stamp") == now or hints.get(f"{source_key} {now}") == held.version)
        if held.facts.get("shape") == shape and (only_built or same):
            return held
        held.close()
    from engine.build.build import build  # numpy, LanceDB: seconds that a built table does not need

    told("reading", 0, 1)
    sources = read(entry.source, entry.options(), base=entry.base)
    version = _digest(shape, [table.fingerprint for table in sources])
    facts: dict[str, Any] = {"stamp": now, "shape": shape, "embedder": embedder.name, "tables": []}

    def make(folder: Path) -> None:
        facts["tables"] = []
        for number, table in enumerate(sources):
            part = folder / str(number)
            part.mkdir(mode=0o700)
            name = entry.name if len(sources) == 1 else table.name
            facts["tables"].append(build(part, table, entry.model_copy(update={"name": name}), embedder, told))

    try:
        held = store.build(source_key, version, make, facts, waiting=lambda: told("waiting for another build", 0, 1))
    except StoreError as error:
        raise BuildError(str(error)) from error
    except OSError as error:
        raise BuildError(
            f'The tables could not be built in "{store.root}": {error.strerror or "the disk refused"}; see that the folder can be written.'
        ) from error
    if now and held.facts.get("stamp") != now:
        hints.set(f"{source_key} {now}", held.version)
    return held


def _opened(held: Held, entry: TableEntry, catalog: Catalog) -> list[OpenTable]:
    words = _words(entry, catalog)
    count = len(held.facts["tables"])  # type: ignore[arg-type]
    return [OpenTable(held, held.folder / str(number), words) for number in range(count)]


def _words(entry: TableEntry, catalog: Catalog) -> Words:
    said: dict[str, list[tuple[str, str]]] = {}
    for column, about in entry.columns.items():
        for term, others in about.terms.items():
            for other in others:
                said.setdefault(key(other), []).append((column, fold(term)))
    for phrase, meaning in catalog.glossary.items():
        said.setdefault(key(phrase), []).append(("", fold(meaning)))
    return Words({phrase: tuple(meant) for phrase, meant in said.items()})


def _source_key(entry: TableEntry) -> str:
    where = entry.source if "://" in entry.source else str((entry.base / Path(entry.source).expanduser()).absolute())
    described = bool(entry.row or entry.keys or entry.columns or entry.description)
    return json.dumps([entry.name, where, described], ensure_ascii=False)


def _digest(*parts: Any) -> str:
    return blake2b(json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str).encode(), digest_size=12).hexdigest()
