"""A refresh: the same as a full build in all that can be seen, with only what changed embedded, and nothing where nothing changed."""

from __future__ import annotations

import csv
import os
import random
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from engine.ask import ask
from engine.embed import default_embedder
from engine.read.kind import Kind, Texts
from engine.read.kinds import kind_of
from engine.refresh import Limits
from engine.types import EVERYTHING, ChatThread
from tests.engine.conftest import NOW
from tests.engine.refreshing import Source
from tests.engine.samples import PROVIDERS

CATALOG = """
[tables.staff]
source = "staff.csv"
keys = ["name", "phone"]

[tables.staff.columns.specialty]
list = "; "

[[examples]]
question = "who is in the north?"
plan = {kind = "table", table = "staff", where = [{any_of = [{column = "district", op = "is", values = ["North"]}]}]}

[[examples]]
question = "whose fee is above 100?"
plan = {kind = "table", table = "staff", where = [{any_of = [{column = "fee", op = "more", values = [100]}]}]}
"""
QUESTIONS = (
    "how many rows are there?", "cardiologists in Norwick", "who speaks German?", "how many per district?", "the highest fee",
    "dermatology in the south", "who has no phone?", "wheelchair access in Oxmoor", "names of those who joined after 2018",
    "average rating per city", "nutrition or podiatry", "who is called Lindqvist?", "ratings above 4.5", "cardilogy in norwik",
)  # fmt: skip


def many(rows: int = 400, seed: int = 1) -> list[list[str]]:
    """Rows as an office has them, drawn by chance, with a column that tells them apart."""
    header, *known = list(csv.reader(StringIO(PROVIDERS)))
    dice = random.Random(seed)
    made = [header]
    for number in range(rows):
        row = [dice.choice(known)[place] for place in range(len(header))]
        row[0], row[1] = f"{number + 10_000:06d}", f"{row[1]} {dice.randrange(60)}"
        made.append(row)
    return made


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return Source(tmp_path, CATALOG)


def edited(rows: list[list[str]], dice: random.Random) -> list[list[str]]:
    """The same table after a day at the office."""
    now = [[*row] for row in rows]
    for _ in range(dice.randrange(1, 12)):
        what = dice.randrange(8)
        at = dice.randrange(1, len(now))
        if what == 0:
            now.insert(at, [f"{dice.randrange(900_000):06d}", f"New {dice.randrange(99)}", *dice.choice(now[1:])[2:]])
        elif what == 1 and len(now) > 200:
            del now[at]
        elif what == 2:
            now.insert(dice.randrange(1, len(now)), now.pop(at))
        elif what == 3:
            now[at][4] = dice.choice(["Norwick", "NORWICK", "norwick ", "Nörwick", f"Newtown {dice.randrange(5)}", ""])
        elif what == 4:
            now[at][2] = dice.choice(
                ["Cardiology", "cardiology; Surgery", "Surgery", "Sports Medicine; Neurology", "", f"Art {dice.randrange(9)}"]
            )
        elif what == 5:
            now[at][7] = f"${dice.randrange(40, 300)}.00"
        elif what == 6:
            now[at][11] = dice.choice(["", "rings twice", "a longer remark " * dice.randrange(1, 30), "SuperStore"])
        else:
            now[at][9] = f"20{dice.randrange(10, 25)}-0{dice.randrange(1, 9)}-11"
    return now


@pytest.mark.parametrize("seed", range(6))
def test_a_refresh_gives_what_a_full_build_gives(source: Source, tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    rows = many(300 + 60 * seed, seed)
    source.write(rows)
    assert source.refresh().outcome == "new"
    for turn in range(4):
        rows = edited(rows, dice)
        source.write(rows)
        came = source.refresh()
        assert (came.outcome, came.rows) == ("new", len(rows) - 1), came
        source.same_as_fresh(tmp_path / f"fresh{turn}")


def test_answers_are_those_of_a_full_build(source: Source, tmp_path: Path) -> None:
    from cache.versions import Store

    rows = many()
    source.write(rows)
    source.refresh()
    source.write(edited(edited(rows, random.Random(3)), random.Random(4)))
    assert source.refresh().outcome == "new"
    mine, fresh = source.open(), source.open(Store(tmp_path / "fresh"))
    kinds = []
    for question in QUESTIONS:
        one, other = (
            ask(question, ChatThread(), EVERYTHING, tables=tables, embedder=default_embedder(), now=NOW).model_dump()
            for tables in (mine, fresh)
        )
        for reply in (one, other):
            for part in reply["parts"]:
                for name in ("result", "freshness"):
                    if part[name]:
                        part[name].pop("loaded_at")
        assert one == other, question
        kinds.append(one["parts"][0]["kind"])
    assert kinds.count("answer") >= 8, kinds
    for table in (*mine, *fresh):
        table.close()


def test_only_what_is_new_is_embedded(source: Source) -> None:
    rows = many()
    source.write(rows)
    first = source.refresh()
    assert first.embedded == len(source.embedder.given) > 400
    rows[7][4] = "Newtown"
    rows[9][6] = "020-555-7777"
    source.write(rows)
    came = source.refresh()
    given = source.embedder.given
    assert "newtown" in given and len(given) == came.embedded == 4, given  # a term, two rows, the card
    assert (came.added, came.changed, came.removed) == (0, 2, 0)
    assert came.told == ('The column "city" of "staff" has a new value: "Newtown".',)
    rows.insert(1, ["999999", "Only One", *rows[3][2:]])
    source.write(rows)
    came = source.refresh()
    assert came.embedded == 2 and (came.added, came.changed, came.removed) == (1, 0, 0), source.embedder.given


def test_rows_are_compared_by_key_or_by_content(tmp_path: Path) -> None:
    source = Source(tmp_path)
    rows = [["id", "what"], *([f"A{n:03d}", "a pen" if n % 2 else "a book"] for n in range(100))]
    source.write(rows)
    source.refresh()
    source.write([rows[0], *rows[50:], ["A900", "a pen"], *rows[3:50], ["A001", "a lamp"]])
    came = source.refresh()
    assert (came.added, came.changed, came.removed) == (1, 1, 1)
    plain = Source(tmp_path, name="plain.csv")
    rows = [["what", "where"], *(["pen" if n % 3 else "book", "here" if n % 2 else "there"] for n in range(60))]
    plain.write(rows)
    plain.refresh()
    plain.write([rows[0], *reversed(rows[1:]), ["lamp", "here"]])
    came = plain.refresh()
    assert (came.outcome, came.added, came.changed, came.removed) == ("new", 1, 0, 0)


def tree(folder: Path) -> dict[str, tuple[int, int, int]]:
    return {
        str(path.relative_to(folder)): (path.lstat().st_ino, path.lstat().st_mtime_ns, path.lstat().st_ctime_ns)
        for path in (folder, *folder.rglob("*"))
    }


def test_where_nothing_changed_nothing_is_written_and_nothing_parsed(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    source.write(many())
    built = source.refresh()
    held = source.store.root / next(path.name for path in source.store.root.iterdir() if path.name.startswith("staff"))
    for path in held.glob("version-*/held"):
        os.utime(path, (1_700_000_000, 1_700_000_000))  # used long ago, which an opening would say anew
    before = tree(source.folder)
    came = source.refresh()
    assert came.outcome == "same" and (came.version, came.rows, came.read_at) == (built.version, 400, built.read_at)
    os.utime(source.path)  # the same bytes at another time
    before |= {source.name: tree(source.folder)[source.name]}
    monkeypatch.setattr("engine.read.source.typed", None)  # whoever parses fails
    assert source.refresh().outcome == "same"
    assert tree(source.folder) == before
    assert source.embedder.given == []


def test_a_type_that_changes_is_taken_and_told(source: Source, tmp_path: Path) -> None:
    rows = many()
    source.write(rows)
    source.refresh()
    rows = [[*row] for row in rows]
    rows[0].append("floor")
    for number, row in enumerate(rows[1:]):
        row[7] = "by agreement" if number % 2 else "free"
        row.append(str(number % 5))
    source.write(rows)
    came = source.refresh()
    assert came.outcome == "new"
    assert 'The column "fee" of "staff" was money and is text now.' in came.told
    assert '"staff" has a new column "floor" (integer).' in came.told
    assert 'The worked example "whose fee is above 100?" does not run on "staff" any more, and is left out.' in came.told
    (table,) = source.open()
    assert [one.question for one in table.words.examples] == ["who is in the north?"]
    table.close()
    for row in rows[1:]:
        row[7] = "$80.00"
    source.write(rows)
    assert source.refresh().outcome == "new"
    (table,) = source.open()
    assert len(table.words.examples) == 2  # it runs again
    table.close()


def test_ids_of_terms_find_room_again_and_again(source: Source, tmp_path: Path) -> None:
    rows = many(200)
    source.write(rows)
    source.refresh()
    for turn in range(12):
        for row in random.Random(turn).sample(range(1, 201), 30):
            rows[row][6] = f"020-555-0103 {turn:02d}{row:04d}"  # all between two that are there
            rows[row][1] = f"Anna Weiss 3 {turn}{row}"
        source.write(rows)
        assert source.refresh().outcome == "new"
    source.same_as_fresh(tmp_path / "fresh")


def test_a_damaged_version_is_built_anew_from_its_source(source: Source, tmp_path: Path) -> None:
    rows = many()
    source.write(rows)
    source.refresh()
    with source.held() as held:
        path = held.folder / "0" / "source.json"
        path.write_bytes(b"[" + path.read_bytes()[1:])
        database = held.folder / "0" / "table.sqlite"
        middle = bytearray(database.read_bytes())
        middle[8192:] = b"\xff" * (len(middle) - 8192)
        database.write_bytes(bytes(middle))
    rows[1][4] = "Newtown"
    source.write(rows)
    assert source.refresh(Limits()).outcome == "new"
    source.same_as_fresh(tmp_path / "fresh")


def test_what_is_known_of_a_column_is_not_worked_out_again_and_what_changed_is(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = many()
    source.write(rows)
    source.refresh()
    looked: list[str] = []

    def noted(column: Texts, *more: Any) -> Kind:
        looked.append(column.name)
        return kind_of(column, *more)

    monkeypatch.setattr("engine.read.columns.kind_of", noted)
    rows = [[*row] for row in rows]
    place = rows[0].index("city")
    rows[7][place] = "Newtown"
    source.write(rows)
    assert source.refresh().outcome == "new"
    assert "city" in looked and len(set(looked)) < len(rows[0]) / 2
    monkeypatch.undo()
    source.same_as_fresh(source.folder / "fresh")
