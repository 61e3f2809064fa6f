"""Writes the table that is asked in the browser, and prints the path of its catalog."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

CATALOG = """
[tables.doctors]
source = "doctors.csv"
row = "doctor"
keys = ["name", "phone"]
"""


def write(folder: Path) -> Path:
    """Twenty-three doctors of Haifa, three who live in Safed and three who studied there, and two with Hebrew names and words."""
    rows = [(f"Dr Haifa {n:02}", "Cardiology", "Haifa", "Vienna", f"04-1000{n:02}") for n in range(1, 24)]
    rows += [(f"Dr Lake {n:02}", "Oncology", "Safed", "Vienna", f"04-3000{n:02}") for n in range(1, 4)]
    rows += [(f"Dr Hill {n:02}", "Oncology", "Eilat", "Safed", f"04-4000{n:02}") for n in range(1, 4)]
    rows += [(f"ד״ר כהן {n:02}", "Surgery", "נתניה", "וינה", f"04-5000{n:02}") for n in range(1, 13)]
    rows += [("**not bold** [no link](https://evil.example)", "Surgery", "Lod", "Vienna", "04-600001")]
    with open(folder / "doctors.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "specialty", "city", "studied in", "phone"])
        writer.writerows(rows)
    path = folder / "almanac.toml"
    path.write_text(CATALOG, encoding="utf-8")
    return path


if __name__ == "__main__":
    print(write(Path(sys.argv[1])))
