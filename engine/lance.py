"""The LanceDB tables of a version: terms, rows and the table's card, with the searches over them. Nothing else imports lancedb."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Final, Protocol
from zlib import crc32

import lancedb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine.embedder import Embedder
from engine.errors import DamageError
from engine.letters import grams
from engine.panic import PanicError, panics_told

Vectors = NDArray[np.float32]
LETTERS: Final = 256  # dimensions of hashed n-grams
BATCH: Final = 4096
_AT_ONCE: Final = 16  # batches: at most 65,536 vectors are in memory
MOST_ROWS: Final = 50_000  # rows are examples for a planner; a larger table gives an even sample of that many
MOST_FRAGMENTS: Final = 8  # files that a table lies in before they are joined
INDEXED_FROM: Final = 60_000  # below this a flat search is as fast and exact
_NEVER_CHANGED: Final = (".lance", ".arrow", ".bin", ".idx", ".manifest", ".txn")
_UNREADABLE: Final = (
    RuntimeError,
    ValueError,
    OSError,
    pa.ArrowException,
    PanicError,
)  # what LanceDB raises for files that are not its own


@dataclass(frozen=True, slots=True)
class TermEntry:
    """A term to be found by likeness: its id in the SQLite file, its key and shown text, whether its meaning counts beside its letters."""

    id: int
    position: int
    key: str
    text: str
    by_meaning: bool


@dataclass(frozen=True, slots=True)
class Near:
    """A term near a phrase; score is the dot product of the joint vectors, higher is nearer."""

    id: int
    position: int
    score: float


class Before(Protocol):
    """The index of the version before, by the folder of its LanceDB tables, and which of its terms are looked up alike."""

    @property
    def folder(self) -> Path:
        """Where its tables lie."""
        ...

    def ids_of(self, terms: Sequence[TermEntry]) -> list[int | None]:
        """For each term the id of one with the same key, whose meaning counts in the same way; None where there is none."""
        ...


def joint_vectors(keys: Sequence[str], by_meaning: Sequence[bool], embedder: Embedder) -> Vectors:
    """Letters and meaning side by side: shape (keys, 256 + the embedder's dimensions); the meaning is zero where it does not count."""
    vectors = np.zeros((len(keys), LETTERS + embedder.dimensions), dtype=np.float32)
    vectors[:, :LETTERS] = letter_vectors(keys)
    meant = [n for n, counts in enumerate(by_meaning) if counts]
    if meant:
        vectors[meant, LETTERS:] = embedder.calibration.meaning * embedder.embed([keys[n] for n in meant])
    return vectors


def letter_vectors(phrases: Sequence[str]) -> Vectors:
    """Hashed n-grams of keys: shape (phrases, 256), unit rows; their dot product is near `likeness`."""
    vectors = np.zeros((len(phrases), LETTERS), dtype=np.float32)
    for row, phrase in enumerate(phrases):
        for gram, count in grams(phrase).items():
            spot = crc32(gram.encode())
            vectors[row, spot % LETTERS] += count if spot & 0x80000000 else -count
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def write_index(
    folder: Path, terms: Sequence[TermEntry], rows: Sequence[tuple[int, str]], card: str, embedder: Embedder, before: Before | None = None
) -> None:
    """Writes a version's LanceDB tables into an empty folder; rows are row numbers with the text that stands for them.

    before: a version built with the same embedder, whose vectors are taken over where nothing else would come of embedding.
    """
    base = lancedb.connect(folder)
    schema = _terms_schema(embedder)
    written = _filled(base, "terms", _term_batches(terms, embedder, schema, before), schema)
    if len(terms) >= INDEXED_FROM:
        from lancedb.index import IvfFlat  # only large tables need it

        written.create_index("vector", config=IvfFlat(distance_type="dot"))
    _write_row_table(base, rows, embedder, before)
    _write_card(base, card, embedder, before)


def edit_index(
    before: Before,
    folder: Path,
    gone: Sequence[int],
    come: Sequence[TermEntry],
    rows_gone: Sequence[int],
    rows: Sequence[tuple[int, str]],
    card: str,
    embedder: Embedder,
    all_rows: bool = False,
) -> None:
    """Brings a version's LanceDB tables, in an empty folder, from those of the version before: its files are shared, and only what changed is written.

    gone: ids of terms, and numbers of rows, that go; come, rows: what is written in their place. all_rows: rows are all that there will be.
    """
    _share(before.folder, folder)
    base = lancedb.connect(folder)
    written = base.open_table("terms")
    _delete(written, "id", gone)
    if come:
        schema = _terms_schema(embedder)
        written.add(pa.Table.from_batches(_term_batches(come, embedder, schema, before), schema=schema))
    _compact(folder, "terms", written)
    if all_rows:
        base.drop_table("rows")
        _write_row_table(base, rows, embedder, before)
    else:
        listed = base.open_table("rows")
        _delete(listed, "row_id", rows_gone)
        if rows:
            schema = _rows_schema(embedder)
            listed.add(pa.Table.from_batches(_row_batches(rows, embedder, schema, before), schema=schema))
        _compact(folder, "rows", listed)
    if base.open_table("card").search().select(["text"]).to_arrow()["text"].to_pylist() != [card]:
        base.drop_table("card")
        _write_card(base, card, embedder, None)


def _share(old: Path, new: Path) -> None:
    """The same files under both folders where the disk can do that: what LanceDB has written it never changes."""
    for above, _, names in os.walk(old):
        here = new / Path(above).relative_to(old)
        here.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in names:
            try:
                if not name.endswith(_NEVER_CHANGED):
                    raise OSError
                os.link(Path(above, name), here / name)
            except OSError:
                shutil.copyfile(Path(above, name), here / name)


def _delete(table: Any, column: str, numbers: Sequence[int]) -> None:
    for start in range(0, len(numbers), BATCH):
        table.delete(f"{column} IN ({', '.join(map(str, map(int, numbers[start : start + BATCH])))})")


def _compact(folder: Path, name: str, table: Any) -> None:
    """Joins a table's files and lets go what no version needs, once there are many: doing so each time would cost more than it gives.

    Large tables have an index to bring up to date.
    """
    states = sum(1 for _ in (folder / f"{name}.lance" / "_versions").iterdir())
    fragments = table.stats()["fragment_stats"]["num_fragments"]
    if fragments > MOST_FRAGMENTS or states > 2 * MOST_FRAGMENTS or table.count_rows() >= INDEXED_FROM:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of readers: nobody reads a version that is being made
            table.optimize(cleanup_older_than=timedelta(0), delete_unverified=True)


def _filled(base: Any, name: str, batches: Iterator[Any], schema: Any) -> Any:
    """A new table of these batches, some at a time: LanceDB would draw them in a thread of its own, where it cannot be asked for old vectors."""
    table = base.create_table(name, schema=schema)
    while part := list(islice(batches, _AT_ONCE)):
        table.add(pa.Table.from_batches(part, schema=schema))
    return table


def _write_row_table(base: Any, rows: Sequence[tuple[int, str]], embedder: Embedder, before: Before | None) -> None:
    schema = _rows_schema(embedder)
    _filled(base, "rows", _row_batches(rows, embedder, schema, before), schema)


def _write_card(base: Any, card: str, embedder: Embedder, before: Before | None) -> None:
    schema = _schema([pa.field("text", pa.string())], embedder.dimensions)
    vectors = _texts_embedded([card], embedder, _stored(before.folder, "card", "text", [card]) if before else {})
    base.create_table("card", [_batch(schema, [[card]], vectors)], schema=schema)


def _terms_schema(embedder: Embedder) -> Any:
    fields = [pa.field("id", pa.int64()), pa.field("position", pa.int32()), pa.field("text", pa.string())]
    return _schema(fields, LETTERS + embedder.dimensions)


def _rows_schema(embedder: Embedder) -> Any:
    return _schema([pa.field("row_id", pa.int64()), pa.field("text", pa.string())], embedder.dimensions)


def _schema(fields: list[Any], dimensions: int) -> Any:
    return pa.schema([*fields, pa.field("vector", pa.list_(pa.float32(), dimensions))])


def _batch(schema: Any, columns: list[list[Any]], vectors: Vectors) -> Any:
    flat = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
    return pa.record_batch(
        [*(pa.array(values, type=field.type) for values, field in zip(columns, schema, strict=False)), flat], schema=schema
    )


def _term_batches(terms: Sequence[TermEntry], embedder: Embedder, schema: Any, before: Before | None) -> Iterator[Any]:
    for start in range(0, max(1, len(terms)), BATCH):
        part = terms[start : start + BATCH]
        ids = before.ids_of(part) if before and part else [None] * len(part)
        stored = _stored(before.folder, "terms", "id", [one for one in ids if one is not None]) if before else {}
        vectors = np.zeros((len(part), LETTERS + embedder.dimensions), dtype=np.float32)
        fresh = [n for n, one in enumerate(ids) if one is None or one not in stored]
        for n, one in enumerate(ids):
            if one is not None and one in stored:
                vectors[n] = stored[one]
        if fresh:
            vectors[fresh] = joint_vectors([part[n].key for n in fresh], [part[n].by_meaning for n in fresh], embedder)
        yield _batch(schema, [[t.id for t in part], [t.position for t in part], [t.text for t in part]], vectors)


def _row_batches(rows: Sequence[tuple[int, str]], embedder: Embedder, schema: Any, before: Before | None) -> Iterator[Any]:
    for start in range(0, max(1, len(rows)), BATCH):
        part = rows[start : start + BATCH]
        texts = [text for _, text in part]
        stored = _stored(before.folder, "rows", "text", texts) if before and part else {}
        yield _batch(schema, [[number for number, _ in part], texts], _texts_embedded(texts, embedder, stored))


def _texts_embedded(texts: Sequence[str], embedder: Embedder, stored: Mapping[Any, Vectors]) -> Vectors:
    """Their vectors, the stored ones taken over; shape (texts, dimensions)."""
    fresh = [text for text in dict.fromkeys(texts) if text not in stored]
    new = dict(zip(fresh, embedder.embed(fresh), strict=True)) if fresh else {}
    vectors = [new[text] if text in new else stored[text] for text in texts]
    return np.stack(vectors) if vectors else np.zeros((0, embedder.dimensions), dtype=np.float32)


def _stored(folder: Path, name: str, column: str, wanted: Sequence[Any]) -> dict[Any, Vectors]:
    """Vectors of a table's rows by one of its columns, for those of the wanted values that it has."""
    if not wanted:
        return {}
    table = lancedb.connect(folder).open_table(name)
    listed = table.search().select([column]).with_row_id(True).to_arrow()
    places = pc.indices_nonzero(pc.is_in(listed[column], value_set=pa.array(list(set(wanted)), type=listed.schema.field(column).type)))
    if not len(places):
        return {}
    taken = listed["_rowid"].take(places).to_pylist()
    found = table.take_row_ids(sorted(taken)).select([column, "vector"]).to_arrow()
    flat = found["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False).reshape(found.num_rows, -1)
    return dict(zip(found[column].to_pylist(), flat, strict=True))


def readable(folder: Path) -> bool:
    """Whether every value of a version's LanceDB tables can be read."""
    try:
        with panics_told():
            base = lancedb.connect(folder)
            return all(base.open_table(name).to_arrow().num_rows >= 0 for name in ("terms", "rows", "card"))
    except _UNREADABLE:
        return False


@lru_cache(maxsize=64)
def _terms_table(folder: Path) -> Any:
    return lancedb.connect(folder).open_table("terms")


def near_terms(folder: Path, vectors: Vectors, limit: int) -> list[list[Near]]:
    """For each joint vector its nearest terms, the nearest first: one batched call. Raises DamageError where the files cannot be read."""
    if not len(vectors):
        return []
    try:
        table = _terms_table(folder)
        query = table.search([vector.tolist() for vector in vectors], vector_column_name="vector").distance_type("dot")
        found = query.select(["id", "position", "_distance"]).limit(limit).to_arrow().to_pydict()
    except _UNREADABLE as error:
        raise DamageError("The index of a built table is damaged; ask again, and it is built anew.") from error
    asked = found.get("query_index", [0] * len(found["id"]))
    nearest: list[list[Near]] = [[] for _ in range(len(vectors))]
    for which, number, position, distance in zip(asked, found["id"], found["position"], found["_distance"], strict=True):
        nearest[which].append(Near(number, position, 1.0 - distance))
    for one in nearest:
        one.sort(key=lambda near: (-near.score, near.id))  # equals in the same order wherever they lie
    return nearest
