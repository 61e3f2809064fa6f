"""Measures how often the right term of a column is found for a phrase, and for a whole question.

    python tests/eval_terms.py TERMS.json

The file has `vocab`, the terms of each column, and `cases` of {cat, column, phrase, question, expected}. Printed are, by category, the shares
with a right term first and among the first three, and the time that a phrase and a question take.
"""

from __future__ import annotations

import csv
import json
import sys
import tempfile
import time
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path

from cache.versions import Store
from engine.catalog import Catalog, ColumnEntry, TableEntry
from engine.embed import default_embedder
from engine.fold import fold
from engine.language import language_of
from engine.retrieve import retrieve
from engine.table import OpenTable
from engine.tables import open_tables

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)


def main(path: Path) -> None:
    """Prints the table."""
    read = json.loads(path.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        tables = {column: _table(Path(folder), column, terms) for column, terms in read["vocab"].items()}
        hits: dict[str, dict[str, list[int]]] = {"phrase": defaultdict(lambda: [0, 0, 0]), "question": defaultdict(lambda: [0, 0, 0])}
        seconds = {"phrase": 0.0, "question": 0.0}
        for case in read["cases"]:
            wanted = {fold(term) for term in case["expected"]}
            for field in hits:
                start = time.perf_counter()
                found = retrieve(case[field], language_of(case[field]), tables[case["column"]], default_embedder(), NOW, limit=3)
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
    print(f"ms a phrase {1000 * seconds['phrase'] / count:.1f}, a question {1000 * seconds['question'] / count:.1f}")


def _table(folder: Path, column: str, terms: list[str]) -> OpenTable:
    source = folder / f"{column}.csv"
    with source.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([column])
        writer.writerows([[term] for term in terms for _ in range(3)])  # terms of a category recur
    entry = TableEntry(name=column, source=str(source), base=folder, columns={column: ColumnEntry(type="text", list=False)})
    return open_tables(Catalog(tables=(entry,)), Store(folder / "data"))[0]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python tests/eval_terms.py TERMS.json")
    main(Path(sys.argv[1]))
