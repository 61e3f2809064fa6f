"""From a catalog to open tables: what is not built, or whose source has changed, is built first."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from cache.errors import StoreError
from cache.hints import Hints
from cache.seen import Seen
from cache.versions import Held, Store
from engine.catalog import Catalog, TableEntry
from engine.check import check
from engine.embed import default_embedder
from engine.embedder import Embedder
from engine.errors import BuildError, CatalogError, DamageError, PlanError, SourceError
from engine.fold import fold, key
from engine.language.synonyms import fingerprint
from engine.progress import Progress
from engine.read import read, stamp
from engine.read.where import path_of
from engine.settings import printable
from engine.table import OpenTable, Words
from engine.types import WHOLE, TablePlan

BUILD: Final = "11"  # another number is another build of the same source
log = logging.getLogger(__name__)


def _silent(stage: str, done: int, total: int) -> None:
    pass


def open_tables(
    catalog: Catalog,
    store: Store,
    progress: Progress | None = None,
    embedder: Embedder | None = None,
    only_built: bool = False,
    left_out: Callable[[str], None] | None = None,
    part_of_catalog: bool = False,
) -> list[OpenTable]:
    """Every table of the catalog, open and fresh; only_built takes what is in service without looking at the sources, where there is something.

    left_out: is told of each source that cannot be read; its table is asked as it was last built, or left out where it never was. Without it,
    and where no table is left, SourceError is raised. part_of_catalog: some tables, or slices, of a catalog whose worked examples may tell of others.
    Raises CatalogError (a column that the source does not have), BuildError.
    """
    tables: list[OpenTable] = []
    refused: SourceError | None = None
    told: list[str] = []
    try:
        for entry in catalog.tables:
            try:
                tables += _open(entry, catalog, store, progress, embedder, only_built)
            except SourceError as error:
                refused = SourceError(f'The table "{entry.name}" of the catalog "{catalog.file}": {error}' if catalog.file else str(error))
                if left_out is None or not catalog.file:
                    raise refused from error
                last = _as_last_built(entry, catalog, store, embedder)
                tables += last
                told.append(f"{refused} {f'It is asked as it was read at {last[0].held.built_at}.' if last else 'It is left out.'}")
        if part_of_catalog:
            _leave_out_examples(tables)
        elif refused is None:
            _check_examples(catalog, tables)
        elif not tables:
            raise refused
    except BaseException:
        for table in tables:
            table.close()
        raise
    if left_out is not None:
        for line in told:
            left_out(line)
    return tables


def _open(
    entry: TableEntry, catalog: Catalog, store: Store, progress: Progress | None, embedder: Embedder | None, only_built: bool
) -> list[OpenTable]:
    """The tables of one source; a version whose files turn out to be damaged is built anew, once."""
    held = index(entry, store, progress, embedder, only_built)
    try:
        return _opened(held, entry, catalog)
    except DamageError as error:
        log.warning("built files are damaged", extra={"table": entry.name, "reason": type(error.__cause__).__name__})
        held.close()
        _drop(store, source_key(entry), held)
    return _opened(index(entry, store, progress, embedder), entry, catalog)


def _as_last_built(entry: TableEntry, catalog: Catalog, store: Store, embedder: Embedder | None) -> list[OpenTable]:
    """The tables of a source that cannot be read, as they were when it could; none where they never were, or were built otherwise."""
    held = store.current(source_key(entry))
    if held is None:
        return []
    try:
        if held.facts.get("shape") == _shape(entry, embedder or default_embedder()) and _is_whole(held.facts):
            return _opened(held, entry, catalog)
    except DamageError:
        log.warning("built files are damaged, and their source cannot be read", extra={"table": entry.name})
    held.close()
    return []


def drop_damaged(tables: Sequence[OpenTable], store: Store) -> None:
    """Takes out of service the versions among these that cannot be read, all where none can be told, so that opening builds them anew.

    Raises BuildError where the folder cannot be written.
    """
    damaged = [table for table in tables if not table.intact()] or list(tables)
    log.warning("built files are damaged", extra={"tables": [table.name for table in damaged]})
    for table in damaged:
        _drop(store, table.source_key, table.held)


def _drop(store: Store, source_key: str, held: Held) -> None:
    try:
        store.drop(source_key, held)
    except StoreError as error:
        raise BuildError(str(error)) from error


def _check_examples(catalog: Catalog, tables: Sequence[OpenTable]) -> None:
    """Raises CatalogError for a worked example that names a table or column that is not there, or compares what cannot be compared."""
    facts = {table.name: table.facts for table in tables}
    for number, example in enumerate(catalog.examples):
        if not isinstance(example.plan, TablePlan):
            continue
        where = f'The catalog "{catalog.file}" is wrong: "examples.{number}.plan"'
        if example.plan.table not in facts:
            names = ", ".join(f'"{printable(name)}"' for name in facts)
            raise CatalogError(f'{where} names the table "{printable(example.plan.table)}"; there is {names}.')
        try:
            check(example.plan, facts[example.plan.table])
        except PlanError as error:
            raise CatalogError(f"{where} does not fit its table. {error}") from None


def _leave_out_examples(tables: Sequence[OpenTable]) -> None:
    """Takes from the tables the worked examples that tell of another table, or of what a slice does not hold."""
    for table in tables:
        fits = tuple((question, plan) for question, plan in table.words.examples if plan.table == table.name and _fits(plan, table))
        table.words = replace(table.words, examples=fits)


def _fits(plan: TablePlan, table: OpenTable) -> bool:
    try:
        check(plan, table.facts)
    except PlanError:
        return False
    tests = [test for clause in plan.where for test in clause.any_of if table.facts.column(test.column).textual]
    values = [(test.column, fold(str(value))) for test in tests for value in test.values]
    held = {(term.column.name, term.folded) for term in table.terms_folded(value for _, value in values)}
    return table.part == WHOLE or set(values) <= held


def index(
    entry: TableEntry, store: Store, progress: Progress | None = None, embedder: Embedder | None = None, only_built: bool = False
) -> Held:
    """The source's version in service, built now if there is none or the content has changed; nothing is read where the stamp tells that it has not."""
    embedder = embedder or default_embedder()
    kept = source_key(entry)
    shape = _shape(entry, embedder)
    seen = Seen(Hints(store.root, "tables"))
    now = stamp(entry.source, entry.base)
    held = store.current(kept)
    if held is not None and not _is_whole(held.facts):
        held.close()
        _drop(store, kept, held)
        held = None
    if held is None:
        return _built(entry, store, progress or _silent, embedder, now, None)
    same = now and (held.facts["stamp"] == now or seen.at(kept, now) == held.version)
    if held.facts["shape"] == shape and (only_built or same):
        return held
    try:
        fresh = _built(entry, store, progress or _silent, embedder, now, held)
    except BaseException:
        held.close()
        raise
    if fresh is not held:
        held.close()
    if now and fresh.facts["stamp"] != now:
        seen.remember(kept, now, fresh.version)
    return fresh


def _built(entry: TableEntry, store: Store, told: Progress, embedder: Embedder, now: str, held: Held | None) -> Held:
    """The version of the source as it now is: the one that is held, where the content is the same, else built."""
    from engine.build.build import build  # numpy, LanceDB: seconds that a built table does not need

    told("reading", 0, 1)
    sources = read(entry.source, entry.options(), base=entry.base)
    shape = _shape(entry, embedder)
    version = _digest(shape, [table.fingerprint for table in sources])
    if held is not None and held.version == version:
        return held  # nothing is locked or written, and the folder may be read-only
    facts: dict[str, Any] = {"stamp": now, "shape": shape, "embedder": embedder.name, "tables": []}

    def make(folder: Path) -> None:
        facts["tables"] = []
        for number, table in enumerate(sources):
            part = folder / str(number)
            part.mkdir(mode=0o700)
            name = entry.name if len(sources) == 1 else table.name
            facts["tables"].append(build(part, table, entry.model_copy(update={"name": name}), embedder, told))

    try:
        return store.build(source_key(entry), version, make, facts, waiting=lambda: told("waiting for another build", 0, 1))
    except StoreError as error:
        raise BuildError(str(error)) from error
    except OSError as error:
        raise BuildError(
            f'The tables could not be built in "{store.root}": {error.strerror or "the disk refused"}; see that the folder can be written.'
        ) from error


def _is_whole(facts: Mapping[str, Any]) -> bool:
    """Whether a manifest says all that was written into it."""
    return bool(facts.get("tables")) and isinstance(facts["tables"], list) and {"stamp", "shape"} <= facts.keys()


def _opened(held: Held, entry: TableEntry, catalog: Catalog) -> list[OpenTable]:
    words = _words(entry, catalog)
    tables: list[OpenTable] = []
    try:
        for number in range(len(held.facts["tables"])):  # type: ignore[arg-type]
            tables.append(OpenTable(held, held.folder / str(number), words, entry.name, entry.part, source_key(entry)))
        if entry.part == WHOLE and entry.partition:
            _check_partition(entry.partition[0], tables)
    except (DamageError, CatalogError):
        for table in tables:
            table.close_connections()
        raise
    return tables


def _check_partition(column: str, tables: Sequence[OpenTable]) -> None:
    """Raises CatalogError where a rule on rows names a column that a built table does not have: a rule may change without a build."""
    for table in tables:
        if table.facts.left_out == 0 and column not in [known.name for known in table.facts.columns]:
            raise CatalogError(
                f'The rule on rows of the table "{table.name}" names the column "{printable(column)}", which its source does not have.'
            )


def _words(entry: TableEntry, catalog: Catalog) -> Words:
    said: dict[str, list[tuple[str, str]]] = {}
    for column, about in entry.columns.items():
        for term, others in about.terms.items():
            for other in others:
                said.setdefault(key(other), []).append((column, fold(term)))
    for phrase, meaning in catalog.glossary.items():
        said.setdefault(key(phrase), []).append(("", fold(meaning)))
    examples = tuple((example.question, example.plan) for example in catalog.examples if isinstance(example.plan, TablePlan))
    return Words({phrase: tuple(meant) for phrase, meant in said.items()}, examples)


def source_key(entry: TableEntry) -> str:
    """The key that the store keeps a table, or a slice of it, under."""
    where = entry.source if "://" in entry.source else str(path_of(entry.source, entry.base).absolute())
    described = bool(entry.row or entry.keys or entry.columns or entry.description)
    part = [_digest(entry.part.model_dump())] if entry.part != WHOLE else []  # whose rows they are is no name of a folder
    return json.dumps([entry.name, where, described, *part], ensure_ascii=False)


def _shape(entry: TableEntry, embedder: Embedder) -> str:
    """What a version depends on besides the content of its source; who may see it is no part of it."""
    rules = {"base", "see", "rows", "all_rows", "channels", "audit_rows", "refresh", "jitter", "alerts"}
    said = entry.model_dump(mode="json", exclude=rules | {"columns"})
    columns = {name: about.model_dump(mode="json", exclude={"see"}) for name, about in entry.columns.items()}
    return _digest(said, columns, BUILD, fingerprint(), embedder.name)


def _digest(*parts: Any) -> str:
    return blake2b(
        json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass"), digest_size=12
    ).hexdigest()
