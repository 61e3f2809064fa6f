"""A table drawn by chance, with rules and people: every cell has a word that stands nowhere else, so that any of them is known when it is seen."""

from __future__ import annotations

import csv
import io
import random
from dataclasses import dataclass
from pathlib import Path

from engine.catalog import Catalog, load_catalog
from engine.rights import Person

CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"
COLUMNS = ("name", "city", "district", "specialty", "skills", "fee", "private phone")
GROUPS = ("finance", "heads", "desk")
DISTRICTS = ("Norda", "Sulva", "Ostra")
HEADER = """
[access]
people = "people.csv"
groups = { finance = [], heads = [], desk = [] }

[tables.doctors]
source = "doctors.csv"
row = "doctor"
"""


@dataclass(frozen=True)
class World:
    """A catalog in a folder, its rows, and who may see what of them as plain Python tells it."""

    catalog: Catalog
    rows: tuple[tuple[str, ...], ...]
    people: dict[str, tuple[frozenset[str], str]]  # by id: groups and district
    see: frozenset[str]
    hidden_from: dict[str, frozenset[str]]  # by column the groups that see it
    divided: bool
    all_rows: frozenset[str]

    def person(self, name: str) -> Person:
        """The person as a platform knows them."""
        return Person(ids=(name,), outsider=name.startswith("guest"))

    def groups(self, name: str) -> frozenset[str]:
        """All that a person is in."""
        return self.people[name][0] | {"outsiders" if name.startswith("guest") else "everyone"}

    def visible(self, name: str) -> list[tuple[int, str]]:
        """The cells that a person may see: row (0 is the first) and column."""
        groups, district = self.groups(name), self.people[name][1]
        if not groups & self.see or (self.divided and not groups & self.all_rows and not district):
            return []
        columns = self.columns(name)
        whole = not self.divided or bool(groups & self.all_rows)
        rows = [at for at, row in enumerate(self.rows) if whole or row[2].casefold() == district.casefold()]
        return [(row, column) for row in rows for column in columns]

    def columns(self, name: str) -> list[str]:
        """The columns that a rule of their own does not hide from a person."""
        groups = self.groups(name)
        return [column for column in COLUMNS if not (column in self.hidden_from and not groups & self.hidden_from[column])]

    def words(self, viewers: list[str]) -> tuple[set[str], set[str]]:
        """The words that all of these may see, and those that they may not."""
        cells = set.intersection(*(set(self.visible(name)) for name in viewers))
        seen = {word for row, column in cells for word in words_of(self.rows[row][COLUMNS.index(column)])}
        every = {word for row in self.rows for cell in row for word in words_of(cell)}
        return seen, every - seen


def words_of(cell: str) -> list[str]:
    """The words of a cell that tell it: all but the shortest."""
    return [word for word in cell.replace(";", " ").casefold().split() if len(word) > 3]


def word(chance: random.Random, syllables: int = 3) -> str:
    """An invented word."""
    return "".join(chance.choice(CONSONANTS) + chance.choice(VOWELS) for _ in range(syllables)).capitalize()


def draw_rows(chance: random.Random, count: int) -> list[tuple[str, ...]]:
    """Rows of doctors: cities lie in one district, specialties and skills recur, figures are far from each other."""
    cities = [(word(chance), chance.choice(DISTRICTS)) for _ in range(6)]
    specialties, skills = [word(chance, 4) for _ in range(4)], [word(chance, 4) for _ in range(5)]
    rows = []
    for _ in range(count):
        city, district = chance.choice(cities)
        has = "; ".join(chance.sample(skills, k=chance.choice((1, 2, 2))))
        row = (f"{word(chance)} {word(chance)}", city, district, chance.choice(specialties), has)
        rows.append((*row, str(chance.randrange(100_000, 999_999)), f"04{chance.randrange(10**7, 10**8)}"))
    return rows


def draw(chance: random.Random, folder: Path) -> World:
    """A world in a folder."""
    rows = draw_rows(chance, chance.choice((8, 25, 40)))
    see = frozenset(chance.choice((("everyone",), ("everyone", "outsiders"), ("desk", "heads"), ("finance",))))
    hidden = {
        column: frozenset((chance.choice(GROUPS),))
        for column in chance.sample(("city", "specialty", "skills", "fee", "private phone"), k=2)
    }
    divided = chance.random() < 0.6
    all_rows = frozenset(chance.sample(GROUPS, k=1))
    people = {
        name: (frozenset(chance.sample(GROUPS, k=chance.choice((0, 1, 1, 2)))), chance.choice((*DISTRICTS, "")))
        for name in ("ann", "ben", "cat", "guest dan")
    }
    text = HEADER + f"see = {sorted(see)!r}\n"
    if divided:
        text += f'rows = "district = {{asker.district}}"\nall_rows = {sorted(all_rows)!r}\n'
    for column, groups in hidden.items():
        text += f'[tables.doctors.columns."{column}"]\nsee = {sorted(groups)!r}\n'
    return _written(folder, rows, people, text, see, hidden, divided, all_rows)


def altered(world: World, name: str, chance: random.Random, folder: Path) -> World:
    """The same for one person, with everything that they may not see drawn anew: other cells, and more or fewer rows."""
    cells = set(world.visible(name))
    fresh = draw_rows(chance, len(world.rows))
    rows: list[tuple[str, ...]] = []
    for at, row in enumerate(world.rows):
        kept = [row[place] if (at, column) in cells else fresh[at][place] for place, column in enumerate(COLUMNS)]
        if not any(number == at for number, _ in cells):
            kept[2] = chance.choice([d for d in DISTRICTS if d.casefold() != world.people[name][1].casefold()])
        rows.append(tuple(kept))
    text = (Path(world.catalog.file)).read_text(encoding="utf-8")
    return _written(folder, rows, world.people, text, world.see, world.hidden_from, world.divided, world.all_rows)


def _written(
    folder: Path,
    rows: list[tuple[str, ...]],
    people: dict[str, tuple[frozenset[str], str]],
    text: str,
    see: frozenset[str],
    hidden: dict[str, frozenset[str]],
    divided: bool,
    all_rows: frozenset[str],
) -> World:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "doctors.csv").write_text(_table([COLUMNS, *rows]), encoding="utf-8")
    listed = [(name, "; ".join(sorted(groups)), district) for name, (groups, district) in people.items()]
    (folder / "people.csv").write_text(_table([("person", "groups", "district"), *listed]), encoding="utf-8")
    (folder / "almanac.toml").write_text(text, encoding="utf-8")
    return World(load_catalog(folder / "almanac.toml"), tuple(rows), people, see, hidden, divided, all_rows)


def _table(rows: list[tuple[str, ...]]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue()


def questions(world: World, chance: random.Random) -> list[str]:
    """Questions by chance about anything in the world, seen or not: also misspelt, ambiguous, without an answer, and follow-ups."""
    row = chance.choice(world.rows)
    name, city, district, specialty, skills, fee, phone = row
    skill = skills.split("; ")[0]
    misspelt = city[:2] + city[3:]
    first = chance.choice(
        (
            f"doctors in {city}", f"doctors in {misspelt}", f"{specialty} in {city}", f"how many doctors in {district}",
            f"phone of {name}", f"private phone of {name}", f"doctors with {skill}", f"fee of {name}", "how many doctors are there?",
            "how many doctors per district?", "doctors per specialty", "which doctor has the highest fee?", f"{phone}", f"doctors with fee {fee}",
            f"{name}", f"{skill} in {district}", "average fee per city", "list all doctors", f"doctors in {word(chance)}", f"{city} or {district}",
        )
    )  # fmt: skip
    other = chance.choice(world.rows)
    then = chance.choice(
        (f"and in {other[1]}?", "how many are there?", f"only {other[3]}", "their fee", f"I meant {other[1]}", "and the private phone?")
    )
    return [first, then] if chance.random() < 0.4 else [first]
