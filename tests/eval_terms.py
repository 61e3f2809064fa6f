"""Measures how often the right term of a column is found for a phrase, and for a whole question.

    python tests/eval_terms.py TERMS.json [--embedder bundled|multilingual|endpoint]

The file has `vocab`, the terms of each column, and `cases` of {cat, column, phrase, question, expected}. Printed are, by category, the shares
with a right term first and among the first three, and the time that a phrase and a question take; then what the embedder itself costs.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
import time
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path

from cache.versions import Store
from engine.catalog import Catalog, ColumnEntry, TableEntry
from engine.embed import CHOICES, embedder_named
from engine.embedder import Embedder
from engine.fold import fold
from engine.language import language_of
from engine.retrieve import retrieve
from engine.table import OpenTable
from engine.tables import open_tables

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)


def main(path: Path, embedder: Embedder) -> None:
    """Prints the table."""
    read = json.loads(path.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        tables = {column: _table(Path(folder), column, terms, embedder) for column, terms in read["vocab"].items()}
        hits: dict[str, dict[str, list[int]]] = {"phrase": defaultdict(lambda: [0, 0, 0]), "question": defaultdict(lambda: [0, 0, 0])}
        seconds = {"phrase": 0.0, "question": 0.0}
        for case in read["cases"]:
            wanted = {fold(term) for term in case["expected"]}
            for field in hits:
                start = time.perf_counter()
                found = retrieve(case[field], language_of(case[field]), tables[case["column"]], embedder, NOW, limit=3)
                seconds[field] += time.perf_counter() - start
                ranked = [fold(match.term.text) in wanted for match in found]
                for category in (case["cat"], "all"):
                    tally = hits[field][category]
                    tally[0] += any(ranked[:1])
                    tally[1] += any(ranked[:3])
                    tally[2] += 1
        for table in tables.values():
            table.close()
    print(f"{'':12}{'phrase':>8} first  first 3   question first  first 3")
    for category in [*(c for c in hits["phrase"] if c != "all"), "all"]:
        one, whole = hits["phrase"][category], hits["question"][category]
        shares = [figure / one[2] for figure in (one[0], one[1], whole[0], whole[1])]
        print(f"{category:12}{one[2]:8}  {shares[0]:.3f}    {shares[1]:.3f}            {shares[2]:.3f}    {shares[3]:.3f}")
    count = len(read["cases"])
    print(f"{embedder.name}: ms a phrase {1000 * seconds['phrase'] / count:.1f}, a question {1000 * seconds['question'] / count:.1f}")

    terms = [term for column in read["vocab"].values() for term in column]
    spent, start = time.process_time(), time.perf_counter()
    embedder.embed([f"{term} {turn}" for turn in ("north", "south") for term in terms])  # which nothing remembers
    spent, took = time.process_time() - spent, time.perf_counter() - start
    print(f"10,000 terms: {took * 5000 / len(terms):.1f} s, {spent * 5000 / len(terms):.1f} s of CPU here")


def _table(folder: Path, column: str, terms: list[str], embedder: Embedder) -> OpenTable:
    source = folder / f"{column}.csv"
    with source.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([column])
        writer.writerows([[term] for term in terms for _ in range(3)])  # terms of a category recur
    entry = TableEntry(name=column, source=str(source), base=folder, columns={column: ColumnEntry(type="text", list=False)})
    return open_tables(Catalog(tables=(entry,)), Store(folder / "data"), embedder=embedder)[0]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="How often the right term is found.")
    parser.add_argument("terms", type=Path)
    parser.add_argument("--embedder", choices=CHOICES, default="bundled")
    given = parser.parse_args()
    main(given.terms, embedder_named(given.embedder))
