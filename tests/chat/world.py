"""A small table to ask, with everything in it that a chat must survive."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.chat.asking import Asking, asking_of
from cache.versions import Store
from engine.catalog import load_catalog
from engine.embed import default_embedder
from engine.library import Library
from engine.rights import Rights
from engine.types import EVERYTHING

HAIFA, ACRE, SAFED = 23, 4, 3  # doctors there; as many as SAFED studied in Safed and work elsewhere
HOSTILE = (
    "<!channel> <@U0HOST> @everyone <at>All</at> *bold* _it_ [here](https://evil.example/x) <https://evil.example/y|z> `code` | &amp; =1+1"
)
CATALOG = """
[tables.doctors]
source = "doctors.csv"
row = "doctor"
keys = ["name", "phone"]
"""


def write(folder: Path) -> Path:
    """The table and its catalog; gives the catalog's path."""
    rows = [
        (f"Dr Haifa {n:02}", "Cardiology" if n % 2 else "Dermatology", "Haifa", "Vienna", "North", "First", f"04-1000{n:02}")
        for n in range(1, HAIFA + 1)
    ]
    rows += [(f"Dr Acre {n:02}", "Cardiology", "Acre", "Vienna", "North", "First", f"04-2000{n:02}") for n in range(1, ACRE + 1)]
    rows += [(f"Dr Lake {n:02}", "Oncology", "Safed", "Vienna", "North", "First", f"04-3000{n:02}") for n in range(1, SAFED + 1)]
    rows += [(f"Dr Hill {n:02}", "Oncology", "Eilat", "Safed", "South", "First", f"04-4000{n:02}") for n in range(1, SAFED + 1)]
    rows += [(f"Dr Port {n:02}", "Oncology", "Eilat", "Vienna", "Rosh", "Second", f"04-6000{n:02}") for n in range(1, 5)]
    rows += [(f"Dr Inn {n:02}", "Oncology", "Eilat", "Vienna", "South", "Rosh", f"04-7000{n:02}") for n in range(1, 4)]
    rows += [(HOSTILE, "Surgery", "Lod", "Vienna", "South", "First", "04-500001")]
    rows += [("ד״ר כהן", "Surgery", "נתניה", "Vienna", "South", "First", "04-500002")]
    with open(folder / "doctors.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "specialty", "city", "studied in", "clinic", "ward", "phone"])
        writer.writerows(rows)
    path = folder / "almanac.toml"
    path.write_text(CATALOG, encoding="utf-8")
    return path


PEOPLE = ("ann", "ben", "U1", "U2", "Dana")
RULES = """
[access]
people = "people.csv"
groups = { heads = [] }

[tables.doctors]
source = "doctors.csv"
row = "doctor"
keys = ["name", "phone"]
rows = "ward = {asker.ward}"
all_rows = ["heads"]

[tables.doctors.columns.phone]
see = ["heads"]
"""


@contextmanager
def ruled(folder: Path) -> Iterator[Asking]:
    """The same with rules: ann may see all, the others neither a phone nor what is not of the first ward."""
    path = write(folder)
    path.write_text(RULES, encoding="utf-8")
    lines = ["id,groups,ward", *(f"{kind}{name},{'heads' if name == 'ann' else ''},First" for name in PEOPLE for kind in ("", "aad-"))]
    (folder / "people.csv").write_text("\n".join(lines), encoding="utf-8")
    catalog = load_catalog(path)
    library = Library(catalog, Store(folder / "store"), default_embedder())
    try:
        yield asking_of(library, Rights(catalog))
    finally:
        library.close()


@contextmanager
def asked(folder: Path) -> Iterator[Asking]:
    """The engine over that table."""
    library = Library(load_catalog(write(folder)), Store(folder / "store"), default_embedder())
    try:
        yield asking_of(library, EVERYTHING)
    finally:
        library.close()
