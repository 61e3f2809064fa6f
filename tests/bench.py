"""Measures what the README promises, and prints it as a table.

    python tests/bench.py [ROWS ...]

The data is the service book beside the checkout where there is one, else, and for other numbers of rows, invented rows of the same shape.
Every figure comes from a process of its own, so that memory and imports are those of the work alone.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT.parent / "shared" / "cases" / "service_book" / "service_book.csv"
EXAMPLE = ROOT / "examples" / "service_book"
BOOK_ROWS = 23_000
STARTS = 5  # of a new process, for each figure; the median counts

BUILD = """
import resource, time
start = time.perf_counter()
from pathlib import Path
from bot.answering import library_of
from engine.catalog import load_catalog
with library_of(load_catalog(Path({catalog!r})).with_source("service_book", {source!r})):
    seconds = time.perf_counter() - start
print(json.dumps({{"seconds": seconds, "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}}))
"""
ANSWER = """
import resource, time
from pathlib import Path
from bot.answering import answers_from, library_of
from engine.catalog import load_catalog
from engine.types import EVERYTHING, ChatThread
with library_of(load_catalog(Path({catalog!r})).with_source("service_book", {source!r})) as library:
    answer = answers_from(library)
    answer("cardilogy in haifa", ChatThread(), EVERYTHING)  # what is loaded once is loaded now
    seconds, kinds = [], []
    for question in {questions!r}:
        start = time.perf_counter()
        reply = answer(question, ChatThread(), EVERYTHING)
        seconds.append(time.perf_counter() - start)
        kinds.append(reply.kind)
print(json.dumps({{"seconds": seconds, "kinds": kinds, "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}}))
"""


def questions() -> list[str]:
    """About a hundred questions of ordinary sorts, no two the same, in words that the table has, nearly has, or that mean the same."""
    cities = ("Haifa", "Netanya", "Ashdod", "Eilat", "Holon", "Rehovot", "Tiberias", "Acre", "Hadera", "Dimona")
    said = ["how many providers are there?", "how many providers per district?", "which city has the most pharmacies?"]
    said.append("providers with no phone")
    for city in cities:
        said += [
            f"pharmacies in {city}",
            f"how many dental clinics are in {city}?",
            f"cardiology in {city} with an elevator",
            f"laboratory or imaging institute in {city}",
            f"chemists in {city}",
            f"{city} providers that are not pharmacies",
            f"which clinics in {city} have a hearing loop?",
            f"vacinations in {city}",  # misspelt, so that near terms are looked for
            f"skin doctor in {city}",
        ]
    return said


def in_child(code: str, data: str) -> Any:
    """What a fresh process prints as JSON."""
    env = {**os.environ, "ALMANAC_DATA": data, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", "import json\n" + code], env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"the measurement failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def new_process(arguments: Sequence[str], data: str) -> float:
    """The median wall time of a command as a new process, in seconds."""
    code = "import json, subprocess, sys, time\n"
    code += f"command = [sys.executable, '-c', 'from bot.cli import main; main()', *{list(arguments)!r}]\ntimes = []\n"
    code += f"for _ in range({STARTS}):\n    start = time.perf_counter()\n    subprocess.run(command, capture_output=True)\n"
    code += "    times.append(time.perf_counter() - start)\nprint(json.dumps(times))"
    return statistics.median(in_child(code, data))


def import_seconds(statement: str) -> float:
    """The median time that an import adds to a bare start of Python."""
    code = "import time\nstart = time.perf_counter()\n" + statement + "\nprint(json.dumps(time.perf_counter() - start))"
    return statistics.median(in_child(code, "") for _ in range(STARTS))


def source_of(rows: int, folder: Path) -> Path:
    """A file of that many rows."""
    if rows == BOOK_ROWS and BOOK.exists():
        return BOOK
    path = folder / f"service_book_{rows}.csv"
    subprocess.run([sys.executable, str(EXAMPLE / "make_sample.py"), str(rows), str(path)], check=True)
    return path


def measure(rows: int, folder: Path) -> dict[str, str]:
    """Every figure for a table of that many rows."""
    source, catalog, data = source_of(rows, folder), folder / f"almanac_{rows}.toml", str(folder / f"data_{rows}")
    given = (EXAMPLE / "almanac.toml").read_text(encoding="utf-8")
    catalog.write_text(given.replace('"service_book_sample.csv"', json.dumps(str(source))), encoding="utf-8")
    built = in_child(BUILD.format(catalog=str(catalog), source=str(source)), data)
    asked = in_child(ANSWER.format(catalog=str(catalog), source=str(source), questions=questions()), data)
    seconds = sorted(asked["seconds"])
    answered = asked["kinds"].count("answer")
    exact = new_process(["ask", "--catalog", str(catalog), "how many pharmacies are in Haifa?"], data)
    near = new_process(["ask", "--catalog", str(catalog), "how many pharmacys are in Hafia?"], data)
    return {
        "first index, seconds": f"{built['seconds']:.1f}",
        "first index, peak memory in MB": f"{built['memory'] / 1024:.0f}",
        "answer in a running process, median ms": f"{statistics.median(seconds) * 1000:.1f}",
        "answer in a running process, 95th percentile ms": f"{seconds[int(len(seconds) * 0.95)] * 1000:.1f}",
        f"of {len(seconds)} questions answered": f"{answered}",
        "memory of the answering process in MB": f"{asked['memory'] / 1024:.0f}",
        "new process, exact terms, seconds": f"{exact:.2f}",
        "new process, near terms, seconds": f"{near:.2f}",
        "new process: near to exact": f"{near / exact:.1f}",
    }


def main() -> None:
    """Prints one column of figures for each number of rows, then what importing costs."""
    sizes = [int(argument.replace("_", "").replace(",", "")) for argument in sys.argv[1:]] or [BOOK_ROWS]
    with tempfile.TemporaryDirectory() as name:
        columns = [measure(rows, Path(name)) for rows in sizes]
    width = max(len(label) for label in columns[0]) + 2
    print(" " * width + "".join(f"{f'{rows:,} rows':>18}" for rows in sizes))
    for label in columns[0]:
        print(f"{label:<{width}}" + "".join(f"{column[label]:>18}" for column in columns))
    bare = new_process(["--version"], "")
    print(f"\n{'almanac --version as a new process, seconds':<{width}}{bare:>18.2f}")
    for module in ("bot.cli", "bot.answering", "lancedb"):
        print(f"{'import ' + module + ', seconds':<{width}}{import_seconds('import ' + module):>18.2f}")


if __name__ == "__main__":
    main()
