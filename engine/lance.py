"""The LanceDB tables of a version: terms, rows and the table's card, with the searches over them. Nothing else imports lancedb."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import lancedb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from engine.embedder import Embedder
from engine.errors import DamageError
from engine.letters import grams
from engine.panic import PanicError, panics_told

Vectors = NDArray[np.float32]
LETTERS: Final = 256  # dimensions of hashed n-grams
BATCH: Final = 4096
MOST_ROWS: Final = 50_000  # rows are examples for a planner; a larger table gives an even sample of that many
INDEXED_FROM: Final = 60_000  # below this a flat search is as fast and exact
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


def write_index(folder: Path, terms: Sequence[TermEntry], rows: Sequence[tuple[int, str]], card: str, embedder: Embedder) -> None:
    """Writes a version's LanceDB tables into an empty folder; rows are row numbers with the text that stands for them."""
    base = lancedb.connect(folder)
    terms_schema = _schema(
        [pa.field("id", pa.int64()), pa.field("position", pa.int32()), pa.field("text", pa.string())], LETTERS + embedder.dimensions
    )
    written = base.create_table("terms", _term_batches(terms, embedder, terms_schema), schema=terms_schema)
    if len(terms) >= INDEXED_FROM:
        from lancedb.index import IvfFlat  # only large tables need it

        written.create_index("vector", config=IvfFlat(distance_type="dot"))
    rows_schema = _schema([pa.field("row_id", pa.int64()), pa.field("text", pa.string())], embedder.dimensions)
    base.create_table("rows", _row_batches(rows, embedder, rows_schema), schema=rows_schema)
    card_schema = _schema([pa.field("text", pa.string())], embedder.dimensions)
    base.create_table("card", [_batch(card_schema, [[card]], embedder.embed([card]))], schema=card_schema)


def _schema(fields: list[Any], dimensions: int) -> Any:
    return pa.schema([*fields, pa.field("vector", pa.list_(pa.float32(), dimensions))])


def _batch(schema: Any, columns: list[list[Any]], vectors: Vectors) -> Any:
    flat = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
    return pa.record_batch(
        [*(pa.array(values, type=field.type) for values, field in zip(columns, schema, strict=False)), flat], schema=schema
    )


def _term_batches(terms: Sequence[TermEntry], embedder: Embedder, schema: Any) -> Iterator[Any]:
    for start in range(0, max(1, len(terms)), BATCH):
        part = terms[start : start + BATCH]
        vectors = joint_vectors([t.key for t in part], [t.by_meaning for t in part], embedder)
        yield _batch(schema, [[t.id for t in part], [t.position for t in part], [t.text for t in part]], vectors)


def _row_batches(rows: Sequence[tuple[int, str]], embedder: Embedder, schema: Any) -> Iterator[Any]:
    for start in range(0, max(1, len(rows)), BATCH):
        part = rows[start : start + BATCH]
        yield _batch(schema, [[number for number, _ in part], [text for _, text in part]], embedder.embed([text for _, text in part]))


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


def near_rows(folder: Path, vector: Any, limit: int) -> list[int]:
    """The numbers of the rows whose text is nearest to a vector of meaning, the nearest first. Raises DamageError where the files cannot be read."""
    try:
        table: Any = lancedb.connect(folder).open_table("rows")
        query = table.search([vector.tolist()], vector_column_name="vector").distance_type("dot")
        found = query.select(["row_id", "_distance"]).limit(limit).to_arrow().to_pydict()
    except _UNREADABLE as error:
        raise DamageError("The index of a built table is damaged; ask again, and it is built anew.") from error
    return [int(number) for number in found["row_id"]]


def card_of(folder: Path) -> tuple[str, Vectors]:
    """The table's card in words, and its vector, shape (dimensions,). Raises DamageError where the files cannot be read."""
    try:
        found = lancedb.connect(folder).open_table("card").to_arrow().to_pydict()
        return str(found["text"][0]), np.asarray(found["vector"][0], dtype=np.float32)
    except (*_UNREADABLE, IndexError) as error:
        raise DamageError("The index of a built table is damaged; ask again, and it is built anew.") from error


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
    return nearest
