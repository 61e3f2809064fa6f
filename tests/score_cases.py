"""Asks every set of cases beside the checkout and prints how many were right.

    python tests/score_cases.py FOLDER [SET ...]

A set that misses what is promised of it makes the exit status 1.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCORE = re.compile(r"right (\d+) / (\d+) = ([\d.]+), answered but wrong (\d+)(?:.*median (\d+) ms, p95 (\d+) ms)?")


@dataclass(frozen=True)
class CaseSet:
    """A set, how it is asked, and what is promised of it: the least share right, the largest share answered but wrong."""

    name: str
    file: str
    options: tuple[str, ...] = ()
    least: float = 0.0
    most_wrong: float = 1.0


def sets(folder: Path) -> list[CaseSet]:
    """Every set, in the order in which it is printed."""
    catalog = ("--catalog", str(ROOT / "examples" / "service_book" / "almanac.toml"))
    source = ("--source", f"service_book={folder / 'service_book' / 'service_book.csv'}")
    return [
        CaseSet("service_book", "service_book.jsonl", (*catalog, *source), 0.60, 0.12),
        CaseSet("directory", "directory.jsonl", (), 0.65, 0.15),
        CaseSet("wikisql", "wikisql.jsonl", (), 0.45),
        CaseSet("wtq", "wtq.jsonl"),
        CaseSet("spider", "spider.jsonl"),
        *(CaseSet(f"spider {field}", "spider.jsonl", ("--field", f"question_{field}")) for field in ("syn", "realistic", "de")),
    ]


def main() -> int:
    """Prints one line a set; gives 1 where a promise is missed, 2 where the cases are not there."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT.parent / "shared" / "cases").resolve()
    score = folder / "score.py"
    if not score.exists():
        print(f"There are no cases to ask: {folder} is missing.", file=sys.stderr)
        return 2
    wanted = sys.argv[2:]
    missed = False
    print(f"{'set':20}{'right':>12}{'share':>8}{'wrong':>8}{'median ms':>11}{'p95 ms':>8}")
    with tempfile.TemporaryDirectory() as name:
        for chosen in sets(folder):
            if wanted and chosen.name not in wanted and chosen.name.split()[0] not in wanted:
                continue
            missed |= not _score(chosen, folder, score, Path(name) / "results.jsonl")
    return int(missed)


def _score(chosen: CaseSet, folder: Path, score: Path, results: Path) -> bool:
    cases = folder / chosen.file
    asked = [sys.executable, "-c", "from bot.cli import main; main()", "eval", str(cases), "--root", str(folder), "--out", str(results)]
    done = subprocess.run([*asked, *chosen.options], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        print(f"{chosen.name:20}could not be asked: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else done.returncode}")
        return False
    ids = {json.loads(line)["id"] for line in _lines(results)}
    scored = results.with_name("cases.jsonl")  # those that were asked: not every case has every field
    scored.write_text("".join(line + "\n" for line in _lines(cases) if json.loads(line)["id"] in ids), encoding="utf-8")
    text = subprocess.run([sys.executable, str(score), str(scored), str(results)], capture_output=True, text=True, check=False).stdout
    found = SCORE.search(text)
    if found is None:
        print(f"{chosen.name:20}could not be scored")
        return False
    right, asked_cases, share, wrong, median, p95 = found.groups()
    kept = float(share) >= chosen.least and int(wrong) / int(asked_cases) <= chosen.most_wrong
    promise = "" if kept else f"  promised: {chosen.least} right, at most {chosen.most_wrong} wrong"
    wrong_share = int(wrong) / int(asked_cases)
    counts, times = f"{right} / {asked_cases}", f"{median or '':>11}{p95 or '':>8}"
    print(f"{chosen.name:20}{counts:>12}{share:>8}{wrong_share:>8.3f}{times}{promise}", flush=True)
    return kept


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


if __name__ == "__main__":
    sys.exit(main())
