"""From a catalog to open tables: what is not built, or whose source has changed, is built first."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from cache.errors import StoreError
from cache.hints import Hints
from cache.seen import Seen
from cache.versions import Held, Store
from engine.agreed import agreed
from engine.catalog import Catalog, TableEntry
from engine.check import check
from engine.embed import default_embedder
from engine.embedder import Embedder
from engine.errors import BuildError, CatalogError, DamageError, PlanError, SourceError
from engine.fold import fold, key
from engine.progress import Progress
from engine.read import read_if_new, stamp
from engine.refreshed import Limits, limits_from_settings
from engine.retired import example_key
from engine.settings import printable
from engine.table import Example, OpenTable, Words
from engine.taken import note_refusal, why_not
from engine.types import WHOLE, TablePlan
from engine.version import BUILD, described_of, is_whole, make_version, shape_of, source_key, version_of

__all__ = ["BUILD", "drop_damaged", "index", "open_tables", "source_key"]
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
    limits = limits_from_settings() if catalog.file else None  # who names a file asks it as it is
    if limits is not None and entry.part != WHOLE:
        limits = replace(limits, most_shrink=1.0)  # a part may lose all its rows
    held = index(entry, store, progress, embedder, only_built, limits)
    try:
        return _opened(held, entry, catalog)
    except DamageError as error:
        log.warning("built files are damaged", extra={"table": entry.name, "reason": type(error.__cause__).__name__})
        held.close()
        _drop(store, source_key(entry), held)
    return _opened(index(entry, store, progress, embedder, limits=limits), entry, catalog)


def _as_last_built(entry: TableEntry, catalog: Catalog, store: Store, embedder: Embedder | None) -> list[OpenTable]:
    """The tables of a source that cannot be read, as they were when it could; none where they never were, or were built otherwise."""
    held = store.current(source_key(entry))
    if held is None:
        return []
    try:
        if held.facts.get("described") == described_of(entry, embedder or default_embedder()) and is_whole(held.facts):
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
    retired = {one for table in tables for one in _retired(table.held)}
    for number, example in enumerate(catalog.examples):
        if not isinstance(example.plan, TablePlan) or example_key(example) in retired:
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
        fits = tuple(one for one in table.words.examples if one.plan.table == table.name and _fits(one.plan, table))
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
    entry: TableEntry,
    store: Store,
    progress: Progress | None = None,
    embedder: Embedder | None = None,
    only_built: bool = False,
    limits: Limits | None = None,
) -> Held:
    """The source's version in service, built now if there is none or the content has changed; nothing is read where the stamp tells that it has not.

    limits: what the source may lose; one that lost more is noted, and raises SourceError. What a refresh refused is not taken either.
    """
    embedder = embedder or default_embedder()
    told = progress or _silent
    kept = source_key(entry)
    entry = agreed(entry, kept, store)
    seen = Seen(Hints(store.root, "tables"))
    now = stamp(entry.source, entry.base)
    held = store.current(kept)
    if held is not None and not is_whole(held.facts):
        held.close()
        _drop(store, kept, held)
        held = None
    if held is None:
        return _fresh(entry, store, told, embedder, now, None, None)
    refused = (held.note() or {}).get("stamp")
    same = now and (held.facts["stamp"] == now or refused == now or seen.at(kept, now) == held.version)
    if held.facts["shape"] == shape_of(entry, embedder) and (only_built or same):
        return held
    try:
        fresh = _fresh(entry, store, told, embedder, now, held, limits)
    except BaseException:
        held.close()
        raise
    if fresh is not held:
        held.close()
    if now and fresh.facts["stamp"] != now and (fresh.note() or {}).get("stamp") != now:
        seen.remember(kept, now, fresh.version)
    return fresh


def _fresh(entry: TableEntry, store: Store, told: Progress, embedder: Embedder, now: str, held: Held | None, limits: Limits | None) -> Held:
    """The version of the source as it now is: the one that is held, where the content is the same, else built."""
    told("reading", 0, 1)
    shape = shape_of(entry, embedder)
    known = str(held.facts.get("content", "")) if held is not None and held.facts.get("shape") == shape else ""
    found = read_if_new(entry.source, entry.options(), entry.base, known)
    if held is not None and (found is None or version_of(shape, found[0]) in (held.version, (held.note() or {}).get("refused"))):
        return held  # nothing is locked or written, and the folder may be read-only
    assert found is not None, "without a version there is no content that is known"
    as_described = held is not None and held.facts.get("described") == described_of(entry, embedder)
    if held is not None and limits is not None and as_described and (reason := why_not(held, found[0], entry, embedder, limits)):
        note_refusal(entry, store, held, reason, stamp=now, refused=version_of(shape, found[0]))
        raise SourceError(f"{reason} If it is right so, `almanac refresh --accept` takes it.")
    return make_version(entry, store, told, embedder, now, found, held).held


def _opened(held: Held, entry: TableEntry, catalog: Catalog) -> list[OpenTable]:
    words = _words(entry, catalog, _retired(held))
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


def _retired(held: Held) -> Collection[str]:
    """The worked examples that no longer ran when the version was made."""
    retired = held.facts.get("retired")
    return [str(one) for one in retired] if isinstance(retired, list) else ()


def _words(entry: TableEntry, catalog: Catalog, retired: Collection[str]) -> Words:
    said: dict[str, list[tuple[str, str]]] = {}
    for column, about in entry.columns.items():
        for term, others in about.terms.items():
            for other in others:
                said.setdefault(key(other), []).append((column, fold(term)))
    for phrase, meaning in catalog.glossary.items():
        said.setdefault(key(phrase), []).append(("", fold(meaning)))
    examples = tuple(
        Example(example.question, example.plan, example.explanation or "")
        for example in catalog.examples
        if isinstance(example.plan, TablePlan) and example_key(example) not in retired
    )
    return Words({phrase: tuple(meant) for phrase, meant in said.items()}, examples)
