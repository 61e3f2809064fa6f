"""Measures what a refresh costs beside a full build, and prints it as a table.

    python -m tests.refresh_figures [ROWS]

Each figure is the median of several runs in one process that has loaded its libraries; beside it stands what a process of its own takes.
"""

from __future__ import annotations

import csv
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from cache.versions import Store
from engine.catalog import Catalog, load_catalog
from engine.embed import default_embedder
from engine.refresh import Refreshed, refresh
from tests.bench import BOOK_ROWS, EXAMPLE, source_of

RUNS = 5
ALONE = """
import sys
from pathlib import Path
from tests.refresh_figures import refreshed
came = refreshed(Path(sys.argv[1]), Path(sys.argv[2]))
assert came.outcome == sys.argv[3], came
"""


def catalog_of_book(source: Path) -> Catalog:
    """The example's catalog, over a file."""
    return load_catalog(EXAMPLE / "almanac.toml").with_source("service_book", str(source))


def refreshed(source: Path, root: Path) -> Refreshed:
    """One refresh of the book."""
    catalog = catalog_of_book(source)
    return refresh(catalog.tables[0], catalog, Store(root), default_embedder())


Rows = list[list[str]]


def edited(rows: Rows, dice: random.Random, new: str, part: float = 0.01) -> None:
    """Changes a part of the rows, each in two cells: new names, moved cities, another phone."""
    header = rows[0]
    name, city, phone = (header.index(column) for column in ("name", "city", "phone"))
    for row in dice.sample(range(1, len(rows)), int(part * (len(rows) - 1))):
        rows[row][name] += f" {new}{row}"
        rows[row][city] = dice.choice(rows[1:])[city]
        rows[row][phone] = f"07-{dice.randrange(10**7):07d}"


def shifted(rows: Rows, dice: random.Random, new: str, part: float = 0.01) -> None:
    """Takes out and puts in half of the part each, so that nearly every row moves; one of the new ones lies in a city that is new."""
    many = int(part * (len(rows) - 1) / 2)
    for row in sorted(dice.sample(range(1, len(rows)), many), reverse=True):
        del rows[row]
    for count in range(many):
        row = [*dice.choice(rows[1:])]
        row[0], row[1] = f"{new}{count:05d}", f"{row[1]} {new}{count}"
        if not count:
            row[3] = f"New Haifa {new}"
        rows.insert(dice.randrange(1, len(rows)), row)


def written(path: Path, rows: Rows) -> None:
    """Writes the file in place of the one that was there."""
    fresh = path.with_suffix(".fresh")
    with fresh.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    fresh.replace(path)
    time.sleep(0.2)  # a refresh rarely comes so soon that it has to wait until the file is at rest


def timed(work: Callable[[], object]) -> float:
    """Seconds on the clock."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def with_work(work: Callable[[], Refreshed]) -> tuple[float, float, Refreshed]:
    """Seconds on the clock and of the processors, of which a busy machine has less to say, and what came of it."""
    start = time.process_time()
    came = work()
    return came.seconds, time.process_time() - start, came


def alone(source: Path, root: Path, outcome: str) -> float:
    """Seconds of a refresh as a process of its own."""
    return timed(lambda: subprocess.run([sys.executable, "-c", ALONE, str(source), str(root), outcome], check=True))


def figures(rows: int, folder: Path) -> dict[str, str]:
    """Every figure for a table of that many rows."""
    given = source_of(rows, folder)
    source, root, dice = folder / "book.csv", folder / "data", random.Random(9)
    with given.open(encoding="utf-8-sig", newline="") as file:
        data = list(csv.reader(file))
    written(source, data)
    default_embedder().embed(["what is loaded once is loaded now"])
    whole = [with_work(partial(refreshed, source, folder / f"full{n}")) for n in range(3)]
    full, full_work = [seconds for seconds, _, _ in whole], [work for _, work, _ in whole]
    full_alone = alone(source, root, "new")
    said = {
        "full build, seconds": f"{statistics.median(full):.2f}",
        "full build as a process of its own, seconds": f"{full_alone:.2f}",
        "nothing changed, seconds": f"{statistics.median(refreshed(source, root).seconds for _ in range(RUNS)):.3f}",
        "nothing changed, as a process of its own": f"{statistics.median(alone(source, root, 'same') for _ in range(RUNS)):.2f}",
    }
    changes: Sequence[tuple[str, Callable[[Rows, random.Random, str], None]]] = (("cells of 1 %", edited), ("1 % in and out", shifted))
    for label, change in changes:
        times, works, embedded = [], [], 0
        for turn in range(RUNS):
            change(data, dice, f"{label[0]}{turn}x")
            written(source, data)
            seconds, work, came = with_work(lambda: refreshed(source, root))
            assert came.outcome == "new", came
            times.append(seconds)
            works.append(work)
            embedded = came.embedded
        change(data, dice, f"{label[0]}z")
        written(source, data)
        median = statistics.median(times)
        said[f"{label}: seconds"] = f"{median:.2f}"
        said[f"{label}: part of a full build"] = f"1/{statistics.median(full) / median:.1f}"
        said[f"{label}: part of a full build's work"] = f"1/{statistics.median(full_work) / statistics.median(works):.1f}"
        said[f"{label}: texts embedded"] = f"{embedded:,}"
        said[f"{label}: as a process of its own, seconds"] = f"{alone(source, root, 'new'):.2f}"
    return said


def main() -> None:
    """Prints the figures."""
    rows = int(sys.argv[1].replace(",", "")) if len(sys.argv) > 1 else BOOK_ROWS
    with tempfile.TemporaryDirectory() as name:
        found = figures(rows, Path(name))
    wide = max(map(len, found)) + 2
    print("".join(f"{label:<{wide}}{figure:>12}\n" for label, figure in found.items()), end="")


if __name__ == "__main__":
    main()
