"""From a catalog to open tables: what is not built, or whose source has changed, is built first."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Protocol

from cache.errors import StoreError
from cache.hints import Hints
from cache.versions import Held, Store
from engine.build.facts import TableFacts
from engine.build.profile import asked_columns, table_facts
from engine.build.sqlite import write_sqlite
from engine.build.terms import ColumnTerms, terms_of
from engine.catalog import Catalog, TableEntry
from engine.embed import Embedder, default_embedder
from engine.errors import BuildError, CatalogError
from engine.fold import fold, key
from engine.read import read, stamp
from engine.read.sample import representative
from engine.read.table import SourceTable
from engine.table import LANCE_NAME, SQLITE_NAME, OpenTable, Words

BUILD: Final = "3"  # another number is another build of the same source
log = logging.getLogger(__name__)


class Progress(Protocol):
    """Told what is being done: a stage, and how much of it."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Called at the start of each stage with done = 0, and as it goes on."""
        ...


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


def index(entry: TableEntry, store: Store, progress: Progress | None = None, embedder: Embedder | None = None, only_built: bool = False) -> Held:
    """The source's version in service, built now if there is none or the content has changed; nothing is read where the stamp tells that it has not."""
    embedder = embedder or default_embedder()
    told = progress or _silent
    source_key = _source_key(entry)
    shape = _digest(entry.model_dump(mode="json", exclude={"base"}), BUILD, embedder.name)
    hints = Hints(store.root, "tables")
    now = stamp(entry.source, entry.base)
    held = store.current(source_key)
    if held is not None and held.facts.get("shape") == shape:
        if only_built or (now and (held.facts.get("stamp") == now or hints.get(f"{source_key} {now}") == held.version)):
            return held
    if held is not None:
        held.close()
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
            facts["tables"].append(_build(part, table, entry.model_copy(update={"name": name}), embedder, told))

    try:
        held = store.build(source_key, version, make, facts, waiting=lambda: told("waiting for another build", 0, 1))
    except StoreError as error:
        raise BuildError(str(error)) from error
    except OSError as error:
        raise BuildError(f'The tables could not be built in "{store.root}": {error.strerror or "the disk refused"}; see that the folder can be written.') from error
    if now and held.facts.get("stamp") != now:
        hints.set(f"{source_key} {now}", held.version)
    return held


def _build(folder: Path, source: SourceTable, entry: TableEntry, embedder: Embedder, told: Progress) -> str:
    from engine.lance import TermEntry, write_index  # LanceDB takes seconds to import, and a built table does not need it

    table = asked_columns(source, entry)
    _check_columns(entry, source)
    told("gathering terms", 0, 1)
    terms = [terms_of(column) for column in table.columns]
    facts = table_facts(source, table, entry, terms)
    told("writing rows", 0, 1)
    write_sqlite(folder / SQLITE_NAME, table, terms, facts)
    told("indexing terms", 0, 1)
    entries = [
        TermEntry(column.first_term + n, column.position, found.keys[n], found.texts[n], column.kind == "category")
        for column, found in zip(facts.columns, terms, strict=True)
        if column.kind in ("category", "name")
        for n in range(len(found))
        if 0 < len(found.texts[n]) <= 80
    ]
    write_index(folder / LANCE_NAME, entries, list(_row_texts(table)), _card(table, facts, terms), embedder)
    return facts.name


def _row_texts(table: SourceTable, most: int = 50_000) -> Iterator[tuple[int, str]]:
    step = max(1, -(-table.rows // most))
    for row in range(0, table.rows, step):
        texts = (column.texts[column.codes[row]] for column in table.columns[:30] if column.codes[row] >= 0)
        yield row + 1, " | ".join(text[:200] for text in texts if text)


def _card(table: SourceTable, facts: TableFacts, terms: list[ColumnTerms]) -> str:
    """The table in words: description, columns with counts and examples, a representative sample."""
    lines = [f"{facts.name}: {facts.description or ', '.join(facts.nouns)}", f"{facts.rows} rows"]
    for column, found in zip(facts.columns[:60], terms, strict=False):
        examples = ", ".join(text[:40] for text in found.texts[:5])
        lines.append(f"{column.name} ({column.type}, {column.distinct} distinct, {column.empty} empty): {examples}")
    for row in representative(table):
        lines.append(" | ".join(column.texts[column.codes[row - 1]][:60] if column.codes[row - 1] >= 0 else "" for column in table.columns[:60]))
    return "\n".join(lines)


def _check_columns(entry: TableEntry, table: SourceTable) -> None:
    names = [column.name for column in table.columns]
    for name in (*entry.keys, *entry.columns):
        if name not in names:
            shown = ", ".join(names[:12])
            raise CatalogError(f'The catalog\'s table "{entry.name}" names the column "{name}", which its source does not have; it has {shown}.')


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
