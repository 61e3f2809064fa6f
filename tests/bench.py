"""Measures what the README promises, and prints it as a table.

    python tests/bench.py [ROWS ...]

The data is the service book beside the checkout where there is one, else, and for other numbers of rows, invented rows of the same shape.
Every figure comes from a process of its own, so that memory and imports are those of the work alone.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
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
    """The median wall time of a command as a new process that remembers no plan, in seconds."""
    code = "import json, os, subprocess, sys, time\nos.environ['ALMANAC_CACHE'] = 'off'\n"
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


ONCE = """
import engine.build.build as module
build, built = module.build, []
module.build = lambda *arguments: built.append(1) or build(*arguments)
from pathlib import Path
from bot.answering import answers_from, library_of
from engine.catalog import catalog_of
from engine.types import EVERYTHING, ChatThread
with library_of(catalog_of({source!r})) as library:
    reply = answers_from(library)({question!r}, ChatThread(), EVERYTHING)
print(json.dumps({{"built": len(built), "rows": reply.parts[0].result.rows}}))
"""
AGAIN = """
import time
from pathlib import Path
from bot.answering import answers_from, library_of
from engine.catalog import catalog_of
from engine.types import EVERYTHING, ChatThread
with library_of(catalog_of({source!r})) as library:
    answer, seconds = answers_from(library), []
    for _ in range(30):
        start = time.perf_counter()
        answer({question!r}, ChatThread(), EVERYTHING)
        seconds.append(time.perf_counter() - start)
print(json.dumps(seconds))
"""
QUESTION = "how many pharmacies are in Haifa?"


def environment(data: Path) -> dict[str, str]:
    """Of a process that keeps what it builds in a folder."""
    return {**os.environ, "ALMANAC_DATA": str(data), "PYTHONPATH": str(ROOT)}


def asked(source: Path, data: Path, question: str = QUESTION) -> tuple[float, list[list[Any]]]:
    """The seconds of a question as a new process, and the rows of its answer; none where it failed."""
    command = [sys.executable, "-c", "from bot.cli import main; main()", "ask", "--json", "--table", str(source), question]
    start = time.perf_counter()
    done = subprocess.run(command, env=environment(data), capture_output=True, text=True)
    return time.perf_counter() - start, json.loads(done.stdout)["rows"] if done.returncode == 0 else []


def cold_and_warm(source: Path, data: Path, starts: int = STARTS) -> dict[str, str]:
    """The first answer ever, the first after a restart, and the same question again in one process."""
    first, rows = asked(source, data)
    later = [asked(source, data) for _ in range(starts)]
    if not rows or any(found != rows for _, found in later):
        sys.exit("the answers differ")
    restart = statistics.median(seconds for seconds, _ in later)
    again = sorted(in_child(AGAIN.format(source=str(source), question=QUESTION), str(data)))
    return {
        "first answer, seconds: ever": f"{first:.2f}",
        "first answer, seconds: after a restart": f"{restart:.2f}",
        "first answer: after a restart to ever (at most 1/10)": f"1/{first / restart:.0f}",
        "same question again in a process, median ms": f"{statistics.median(again) * 1000:.1f}",
    }


def at_once(source: Path, data: Path, processes: int = 8) -> dict[str, int]:
    """Processes that all ask for a table that is not built: how many answered alike, and how often it was built."""
    code = "import json\n" + ONCE.format(source=str(source), question=QUESTION)
    running = [
        subprocess.Popen([sys.executable, "-c", code], env=environment(data), stdout=subprocess.PIPE, text=True) for _ in range(processes)
    ]
    said = [process.communicate()[0] for process in running]
    found = [json.loads(text.splitlines()[-1]) for text in said if text.strip()]
    same = [one for one in found if one["rows"] == found[0]["rows"] and one["rows"]]
    return {"processes": processes, "answered": len(same), "built": sum(one["built"] for one in found)}


def killed(source: Path, data: Path, times: int = 50, longest: float = 4.0) -> dict[str, int]:
    """Builders killed at random, each of a source that is another than before; counts of kills, wrong answers, and folders left over."""
    dice = random.Random(7)
    lines = source.read_text(encoding="utf-8").splitlines()
    kills = wrong = most = 0
    command = [sys.executable, "-c", "from bot.cli import main; main()", "index", "--table", str(source)]
    for turn in range(times):
        source.write_text("\n".join([*lines, *lines[1 : 2 + turn % 3]]) + "\n", encoding="utf-8")
        builder = subprocess.Popen(command, env=environment(data), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with suppress(subprocess.TimeoutExpired):
            builder.wait(dice.uniform(0.3, longest))
        if builder.poll() is None:
            builder.kill()
            kills += 1
        builder.wait()
        most = max([most, *(len(list(home.iterdir())) for home in data.glob("*-*") if home.is_dir())])
        if turn % 10 == 9 or turn == times - 1:
            every = len(lines) - 1 + 1 + turn % 3
            wrong += asked(source, data, "how many rows are there?")[1] != [[every]]
    left = sum(not name.startswith(("build.lock", "manifest.json", "version-")) for home in data.glob("*-*") for name in os.listdir(home))
    return {"kills": kills, "wrong answers": wrong, "most entries in the folder": most, "left over": left}


def filled(root: Path, entries: int = 10_000, limit: int = 200 * 2**20, size: int = 30_000) -> dict[str, int]:
    """Different entries in a namespace with a limit, while one is asked for again and again and a built version is held."""
    from cache.hints import Hints
    from cache.versions import Store

    def make(folder: Path) -> None:
        (folder / "rows").write_bytes(bytes(1000))

    held = Store(root).build("held", "1", make, {})
    hints, noise, largest, lost = Hints(root, "plans", limit), random.Random(5), 0, 0
    hints.set("asked", 1)
    for number in range(entries):
        hints.set(str(number), noise.randbytes(size // 2).hex())
        if number % 20 == 0:
            lost += hints.get("asked") != 1
        if number % max(1, entries // 20) == 0 or number == entries - 1:
            largest = max(largest, sum(path.stat().st_size for path in (root / "plans").rglob("*") if path.is_file()))
    there = (held.folder / "rows").stat().st_size == 1000 and hints.get(str(entries - 1)) is not None
    hints.close()
    held.close()
    return {"entries": entries, "limit": limit, "largest": largest, "lost that was in use": lost + (not there)}


def kept(folder: Path) -> dict[str, str]:
    """What keeping gives: cold and warm, many at once, killed builders, a full namespace."""
    source = source_of(BOOK_ROWS, folder)
    small = folder / "small.csv"
    small.write_text("\n".join(source.read_text(encoding="utf-8-sig").splitlines()[:1500]) + "\n", encoding="utf-8")
    once, kills, full = at_once(source, folder / "once"), killed(small, folder / "killed"), filled(folder / "filled")
    return {
        **cold_and_warm(source, folder / "cold"),
        "asked at once for a table that is not built": f"{once['answered']} of {once['processes']}, built {once['built']} x",
        "builders killed: wrong answers, left over": f"{kills['kills']}: {kills['wrong answers']}, {kills['left over']}",
        f"{full['entries']:,} entries, limit {full['limit'] >> 20} MB: most MB": f"{full['largest'] / 2**20:.0f}",
        "lost among them that was in use": f"{full['lost that was in use']}",
    }


def main() -> None:
    """Prints what keeping gives, one column of figures for each number of rows, then what importing costs."""
    with tempfile.TemporaryDirectory() as name:
        figures = kept(Path(name))
    wide = max(map(len, figures)) + 2
    print(f"What keeping gives, {BOOK_ROWS:,} rows")
    print("".join(f"{label:<{wide}}{figure:>24}\n" for label, figure in figures.items()))
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
