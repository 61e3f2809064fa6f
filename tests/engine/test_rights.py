"""From rules and people to scopes; slices; what is not sent to a model. Whether anything leaks is held in tests/rights."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cache.versions import Store
from engine.ask import ask
from engine.catalog import load_catalog
from engine.embed import chosen_embedder, default_embedder
from engine.errors import CatalogError, SourceError, UsageError
from engine.library import Library
from engine.rights import Person, Rights
from engine.types import EVERYTHING, Answer, ChatThread, Scope, Slice

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
STAFF = """name,city,district,skills,salary
Ada Lev,Haifa,North,French; Arabic,9000
Ben Mor,Acre,North,French,8000
Cat Nir,Eilat,South,Arabic,7000
"""
PEOPLE = """email,groups,district
Ann@Clinic.example,finance; heads,South
ben@clinic.example,,north
dot@clinic.example,,
"""
RULES = """
[access]
people = "people.csv"
groups = { finance = [], heads = [], board = ["U1", "S77", "eve@board.example"] }

[tables.staff]
source = "staff.csv"
row = "person"
rows = "district = {asker.district}"
all_rows = ["heads", "board"]

[tables.staff.columns.salary]
see = ["finance"]

[tables.staff.columns.skills]
list = "; "

[[examples]]
question = "who earns most?"
plan = { kind = "table", table = "staff", sort = [{ by = "salary", descending = true }], limit = 1 }

[[examples]]
question = "people of the far city"
plan = { kind = "table", table = "staff", where = [{ any_of = [{ column = "city", op = "is", values = ["Eilat"] }] }] }
"""


def catalog(folder: Path, rules: str = RULES, people: str = PEOPLE) -> Path:
    (folder / "staff.csv").write_text(STAFF, encoding="utf-8")
    (folder / "people.csv").write_text(people, encoding="utf-8")
    (folder / "almanac.toml").write_text(rules, encoding="utf-8")
    return folder / "almanac.toml"


def part_of(folder: Path, *ids: str, rules: str = RULES, groups: tuple[str, ...] = (), outsider: bool = False) -> Slice | None:
    scope = Rights(load_catalog(catalog(folder, rules))).scope_of(Person(ids=ids, groups=groups, outsider=outsider))
    return scope.slice_of("staff")


@contextmanager
def asking(folder: Path, *ids: str, rules: str = RULES) -> Iterator[tuple[Library, Scope]]:
    said = load_catalog(catalog(folder, rules))
    library = Library(said, Store(folder / "built"), default_embedder())
    try:
        yield library, Rights(said).scope_of(Person(ids=ids))
    finally:
        library.close()


def answered(library: Library, scope: Scope, text: str) -> Answer:
    (part,) = ask(text, ChatThread(), scope, tables=library.under(scope), embedder=default_embedder(), now=NOW).parts
    return part


# ---- who is in which scope


def test_rules_are_applied_to_groups_and_attributes(tmp_path: Path) -> None:
    assert part_of(tmp_path, "ann@clinic.example") == Slice(), "finance sees the salary, a head all rows"
    assert part_of(tmp_path, "U9", "BEN@clinic.example") == Slice(hidden=("salary",), column="district", value="north")
    assert part_of(tmp_path, "dot@clinic.example") is None, "nobody says which rows are theirs"
    assert part_of(tmp_path, "nobody@clinic.example") is None
    for board in (("U1",), ("eve@board.example",)):
        assert part_of(tmp_path, *board) == Slice(hidden=("salary",))
    assert part_of(tmp_path, "U5", groups=("S77",)) == Slice(hidden=("salary",)), "the platform's own group"


def test_outsiders_see_what_a_rule_gives_them_and_nothing_else(tmp_path: Path) -> None:
    plain = '[tables.staff]\nsource = "staff.csv"\n'
    assert part_of(tmp_path, "U1", rules=plain) == Slice()
    assert part_of(tmp_path, "U1", rules=plain, outsider=True) is None
    assert part_of(tmp_path, "U1", rules=plain + 'see = ["outsiders"]\n', outsider=True) == Slice()
    assert part_of(tmp_path, "U1", outsider=True) is None
    named = RULES.replace("rows =", 'see = ["everyone", "board"]\nrows =', 1)
    assert part_of(tmp_path, "U1", rules=named, outsider=True) == Slice(hidden=("salary",)), "a guest of a group that a rule names"


def test_a_display_name_gives_no_rights(tmp_path: Path) -> None:
    assert part_of(tmp_path, "ann@clinic.example.evil") is None
    assert part_of(tmp_path, "") is None


def test_an_accent_makes_another_person(tmp_path: Path) -> None:
    assert part_of(tmp_path, "ANN@clinic.example") == Slice()
    assert part_of(tmp_path, "ánn@clinic.example") is None
    assert part_of(tmp_path, "eve@board.example") is not None
    assert part_of(tmp_path, "evé@board.example") is None


def test_what_several_may_see_is_what_all_of_them_may(tmp_path: Path) -> None:
    rights = Rights(load_catalog(catalog(tmp_path)))
    ann, ben, board = (Person(ids=(name,)) for name in ("ann@clinic.example", "ben@clinic.example", "U1"))
    assert rights.shared([ann, board]).slice_of("staff") == Slice(hidden=("salary",))
    assert rights.shared([ann, board, ben]).slice_of("staff") == Slice(hidden=("salary",), column="district", value="north")
    assert rights.shared([ann, Person()]).slice_of("staff") is None
    assert rights.shared(None).slice_of("staff") is None


def test_a_table_may_be_kept_to_some_channels(tmp_path: Path) -> None:
    rights = Rights(load_catalog(catalog(tmp_path, '[tables.staff]\nsource = "staff.csv"\nchannels = ["C1"]\n')))
    scope = rights.scope_of(Person(ids=("U1",)))
    assert rights.in_channel(scope, "C1") == scope
    assert rights.in_channel(scope, "C2").slices == {}


def test_a_list_of_people_that_cannot_be_read_lets_nobody_in(tmp_path: Path) -> None:
    path = catalog(tmp_path)
    (tmp_path / "people.csv").unlink()
    with pytest.raises(SourceError):
        Rights(load_catalog(path)).scope_of(Person(ids=("ann@clinic.example",)))
    catalog(tmp_path, people="who,groups\nann,finance\n")
    with pytest.raises(SourceError, match="person"):
        Rights(load_catalog(path)).scope_of(Person(ids=("ann",)))


def test_two_rows_that_disagree_on_a_person_are_not_believed(tmp_path: Path) -> None:
    path = catalog(tmp_path, people=PEOPLE + "ann@clinic.example,,North\n")
    assert Rights(load_catalog(path)).scope_of(Person(ids=("ann@clinic.example",))).slices == {}


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        (RULES.replace('see = ["finance"]', 'see = ["fnance"]'), r'"tables.staff.columns.salary.see" names the group "fnance".*"finance"'),
        (RULES.replace('"heads", "board"]', '"haeds"]'), '"tables.staff.all_rows" names the group "haeds"'),
        (RULES.replace("district = {asker.district}", "district = North"), r"one column and one attribute"),
        (RULES.replace("district = {asker.district}", "district = {asker.district} or 1"), r"one column and one attribute"),
        (RULES.replace("groups = {", "groups = { everyone = [], "), 'has the group "everyone"'),
        (RULES.replace('people = "people.csv"', 'peple = "people.csv"'), 'did you mean "people"'),
        (RULES.replace('rows = "district', 'see = []\nrows = "district'), "names? at least one"),
    ],
)
def test_a_wrong_rule_is_refused_at_load(tmp_path: Path, rules: str, told: str) -> None:
    with pytest.raises(CatalogError, match=told):
        load_catalog(catalog(tmp_path, rules))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [("columns.salary", "columns.wages", '"wages"'), ('rows = "district =', 'rows = "region =', '"region"')],
)
def test_a_rule_on_a_column_that_is_not_there_is_refused(tmp_path: Path, old: str, new: str, told: str) -> None:
    with pytest.raises(CatalogError, match=told), asking(tmp_path, rules=RULES.replace(old, new)) as (library, _):
        library.under(EVERYTHING)


def test_a_rule_that_is_new_since_the_build_is_checked_as_well(tmp_path: Path) -> None:
    with asking(tmp_path) as (library, _):
        library.under(EVERYTHING)
    with (
        pytest.raises(CatalogError, match='"region"'),
        asking(tmp_path, rules=RULES.replace('rows = "district', 'rows = "region')) as (library, _),
    ):
        library.under(EVERYTHING)
    wrong = RULES.replace('rows = "district', 'rows = "region')
    with pytest.raises(CatalogError, match='"region"'), asking(tmp_path, "ben@clinic.example", rules=wrong) as (library, scope):
        library.under(scope)


# ---- slices


def test_a_slice_holds_nothing_of_what_is_hidden(tmp_path: Path) -> None:
    with asking(tmp_path, "ben@clinic.example") as (library, scope):
        (table,) = library.under(scope)
        assert [column.name for column in table.facts.columns] == ["name", "city", "district", "skills"]
        part = answered(library, scope, "people who speak French")
        assert part.result is not None and part.result.row_ids == (1, 2)
        files = [path for path in table.held.folder.rglob("*") if path.is_file()]
        assert files
        for path in files:
            content = path.read_bytes()
            for secret in (b"Cat Nir", b"Eilat", b"salary", b"9000"):
                assert secret not in content, (path, secret)


def test_a_table_of_which_every_column_is_hidden_is_not_there(tmp_path: Path) -> None:
    hidden = "".join(f'[tables.staff.columns.{name}]\nsee = ["finance"]\n' for name in STAFF.splitlines()[0].split(","))
    rules = f'{RULES.partition("[tables")[0]}[tables.staff]\nsource = "staff.csv"\n{hidden}[tables.open]\nsource = "staff.csv"\n'
    with asking(tmp_path, "ben@clinic.example", rules=rules) as (library, scope):
        assert [table.name for table in library.under(scope)] == ["open"]
        assert answered(library, scope, "French").kind == "answer"


def test_rows_keep_their_numbers_and_lists_are_cut_with_them(tmp_path: Path) -> None:
    rules = RULES.replace("district = {asker.district}", "skills = {asker.district}")
    with asking(tmp_path, "ben@clinic.example", rules=rules) as (library, _):
        scope = Scope(slices={"staff": Slice(column="skills", value="arabic")})
        part = answered(library, scope, "people who speak Arabic")
        assert part.result is not None and part.result.row_ids == (1, 3), "an item of a list is enough"


def test_a_worked_example_tells_nothing_of_what_a_slice_leaves_out(tmp_path: Path) -> None:
    with asking(tmp_path, "ben@clinic.example") as (library, scope):
        (table,), (whole,) = library.under(scope), library.under(EVERYTHING)
        assert len(whole.words.examples) == 2 and table.words.examples == ()
        assert "Eilat" not in answered(library, scope, "people of the far city").model_dump_json()


def test_a_table_of_another_scope_is_not_asked(tmp_path: Path) -> None:
    with asking(tmp_path, "ben@clinic.example") as (library, scope):
        whole = library.under(EVERYTHING)
        (part,) = ask("people who speak French", ChatThread(), scope, tables=whole, embedder=default_embedder(), now=NOW).parts
        assert (part.kind, part.result) == ("no_answer", None)


def test_the_same_slice_is_opened_once(tmp_path: Path) -> None:
    with asking(tmp_path, "ben@clinic.example") as (library, scope):
        assert library.under(scope) == library.under(Scope(slices=dict(scope.slices)))


# ---- what leaves the machine


def test_only_listed_endpoints_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALMANAC_EMBEDDER", "endpoint")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://models.example/v1/")
    assert chosen_embedder(["https://models.example/v1"]).address == "https://models.example/v1"
    with pytest.raises(UsageError, match=r"access\.endpoints"):
        chosen_embedder(["https://other.example/v1"])
    with pytest.raises(UsageError, match="none"):
        chosen_embedder([])
