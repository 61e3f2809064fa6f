"""The history of a built table: what it tells, what it never tells, and that it stays the same bytes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from cache.hints import Hints
from cache.versions import Store
from engine.catalog import catalog_of, load_catalog
from engine.errors import PlanError
from engine.history import MOST, history_lines, history_of
from engine.message import Message
from engine.prompt import messages_for
from engine.table import OpenTable
from engine.tables import open_tables
from engine.types import WHOLE, Slice
from tests.engine.conftest import Asked, Opened
from tests.engine.samples import PROVIDERS

SECRET = """\
[tables.providers]
source = "providers.csv"
[tables.providers.columns.phone]
send_to_model = false
[tables.providers.columns."wheelchair access"]
send_to_model = false
"""


@pytest.fixture
def hints(tmp_path: Path) -> Hints:
    return Hints(tmp_path / "hints", "histories")


def sent(messages: list[Message]) -> str:
    """The bytes that go to an endpoint, as text."""
    return json.dumps([message.wire() for message in messages], ensure_ascii=False)


def told(messages: list[Message]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the table was made with, and what came of it."""
    made, result = messages
    (call,) = made.tool_calls
    return json.loads(call.function.arguments), json.loads(result.content)


def size(messages: list[Message]) -> int:
    """Bytes of what both messages say."""
    made, result = messages
    return len(made.tool_calls[0].function.arguments.encode()) + len(result.content.encode())


def test_it_is_a_tool_call_and_its_result(providers: Asked, hints: Hints) -> None:
    made, result = history_of(providers.tables[0], hints)
    wire = made.wire()
    assert list(wire) == ["role", "content", "tool_calls"]
    (call,) = wire["tool_calls"]
    assert (wire["role"], call["type"], call["function"]["name"]) == ("assistant", "function", "create_sql_table")
    assert result.wire().keys() == {"role", "content", "tool_call_id"}
    assert (result.role, result.tool_call_id) == ("tool", call["id"])


def test_it_tells_names_types_counts_ranges_terms_lists_and_rows(providers: Asked, hints: Hints) -> None:
    table = providers.tables[0]
    arguments, result = told(history_of(table, hints))
    assert arguments["table"] == table.name
    assert [(column["name"], column["type"]) for column in arguments["columns"]] == [(c.name, c.type) for c in table.facts.columns]
    assert result["rows"] == 20
    about = result["columns"]
    assert about["phone"] == {"distinct": 17, "empty": 3}
    assert (about["fee"]["from"], about["fee"]["to"]) == (45, 200)
    assert (about["joined"]["from"], about["joined"]["to"]) == ("2009-09-09", "2023-01-09")
    assert about["specialty"]["list"] == "; "
    assert about["specialty"]["terms"][0] == "Cardiology"
    assert set(about["district"]["terms"]) == {"North", "South", "West"}
    rows = [[*row] for row in table.connection().execute("SELECT c0, c1, c9 FROM rows")]
    assert result["sample"]
    assert all([row[0], row[1], row[9]] in rows for row in result["sample"])


def test_a_column_of_hours_says_so(opened: Opened, hints: Hints) -> None:
    hours = ("Sun-Thu 08:00-16:00", "Mon, Wed 08:00-13:00", "24/7", "Sun-Thu 07:00-19:00; Fri 08:00-12:00")
    text = "name,open\n" + "".join(f'Place {n},"{hours[n % 4]}"\n' for n in range(40))
    _, result = told(history_of(opened(text, "places.csv").tables[0], hints))
    assert result["columns"]["open"]["hours"] is True


def test_the_bytes_are_the_same_in_another_process_and_store(tmp_path: Path, hints: Hints) -> None:
    (tmp_path / "providers.csv").write_text(PROVIDERS, encoding="utf-8")
    told: list[str] = []
    for place in ("one", "other"):
        (table,) = open_tables(catalog_of(str(tmp_path / "providers.csv")), Store(tmp_path / place))
        with closing(table):
            told.append(sent(history_of(table, Hints(tmp_path / place, "histories"))))
            assert "\n".join(history_lines(table)) == "\n".join(
                json.dumps(message.wire(), ensure_ascii=False, separators=(",", ":")) for message in history_of(table, hints)
            )
    assert told[0] == told[1]


def test_another_version_or_another_type_is_another_history(tmp_path: Path, hints: Hints) -> None:
    file = tmp_path / "providers.csv"
    histories: list[list[Message]] = []
    for text in (PROVIDERS, PROVIDERS.replace("Norwick", "Nordwick"), PROVIDERS.replace("4.5,2015", "4½,2015").replace("4.1,", "good,")):
        file.write_text(text, encoding="utf-8")
        (table,) = open_tables(catalog_of(str(file)), Store(tmp_path / "built"))
        with closing(table):
            histories.append(history_of(table, hints))
    assert len({history[1].tool_call_id for history in histories}) == 3
    assert len({sent(history) for history in histories}) == 3


@contextmanager
def anew(table: OpenTable) -> Iterator[OpenTable]:
    """The table as a process has it that has not made its history yet."""
    fresh = OpenTable(table.held, table.index.parent)
    try:
        yield fresh
    finally:
        fresh.close_connections()  # and the version is not let go, which the other still reads


def again(table: OpenTable, hints: Hints) -> list[Message]:
    """The history, by what the hints hold."""
    with anew(table) as fresh:
        return history_of(fresh, hints)


def test_what_is_remembered_is_used_and_no_row_is_read(providers: Asked, hints: Hints) -> None:
    table = providers.tables[0]
    history = again(table, hints)
    with anew(table) as fresh:
        fresh.connection().set_authorizer(lambda *_: sqlite3.SQLITE_DENY)
        assert history_of(fresh, hints) == history
        with pytest.raises(sqlite3.DatabaseError):
            history_lines(fresh)


@pytest.mark.parametrize(
    "damage",
    [
        lambda entry: None,
        lambda entry: "",
        lambda entry: [],
        lambda entry: entry[:1],
        lambda entry: [entry[1], entry[0]],
        lambda entry: [entry[0], {**entry[1], "tool_call_id": "another"}],
        lambda entry: [entry[0], {**entry[1], "content": 7}],
        lambda entry: [{**entry[0], "role": "system"}, entry[1]],
        lambda entry: [{**entry[0], "tool_calls": []}, entry[1]],
        lambda entry: [{**entry[0], "tool_calls": {"a": 1}}, {**entry[1], "more": 1}],
    ],
)
def test_a_damaged_entry_is_a_miss(providers: Asked, tmp_path: Path, damage: Any) -> None:
    class Damaged(Hints):
        """Gives what somebody else spoiled."""

        kept: Any = None

        def get(self, key: str) -> Any:
            return damage(super().get(key))

        def set(self, key: str, value: Any, expire: float | None = None) -> None:
            self.kept = value
            super().set(key, value, expire)

    table = providers.tables[0]
    right = sent(again(table, Hints(tmp_path, "histories")))
    spoiled = Damaged(tmp_path, "histories")
    assert sent(again(table, spoiled)) == right
    assert spoiled.kept is not None, "made again and remembered"


def test_where_nothing_can_be_remembered_it_is_made(providers: Asked, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert len(again(providers.tables[0], Hints(tmp_path / "file", "histories"))) == 2


def test_what_may_not_be_sent_is_not_in_it(opened: Opened, hints: Hints) -> None:
    table = opened(PROVIDERS, "providers.csv", SECRET).tables[0]
    text = sent(messages_for([table], "who is in Norwick?", hints)) + "\n".join(history_lines(table))
    assert "Norwick" in text
    for word in ("phone", "020-555", "wheelchair", "Yes"):
        assert word not in text
    hidden = sum(not column.sent for column in table.facts.columns)
    assert "more_columns" not in told(history_of(table, hints))[1] and hidden == 2


def test_a_table_of_which_nothing_may_be_sent_has_none(opened: Opened, hints: Hints) -> None:
    catalog = '[tables.providers]\nsource = "providers.csv"\nsend_to_model = false\n'
    table = opened(PROVIDERS, "providers.csv", catalog).tables[0]
    assert history_of(table, hints) == [] and history_lines(table) == []
    with pytest.raises(PlanError, match='"providers"'):
        messages_for([table], "who is in Norwick?", hints)


def test_a_slice_has_a_history_of_its_own(tmp_path: Path, hints: Hints) -> None:
    (tmp_path / "providers.csv").write_text(PROVIDERS, encoding="utf-8")
    (tmp_path / "almanac.toml").write_text('[tables.providers]\nsource = "providers.csv"\n', encoding="utf-8")
    catalog = load_catalog(tmp_path / "almanac.toml")
    seen: dict[str, str] = {}
    for name, part in (("all", WHOLE), ("north", Slice(hidden=("fee",), column="district", value="north"))):
        entry = catalog.tables[0].model_copy(update={"part": part})
        (table,) = open_tables(catalog.model_copy(update={"tables": (entry,)}), Store(tmp_path / "built"))
        with closing(table):
            seen[name] = sent(history_of(table, hints))
    assert "Easton" in seen["all"] and "fee" in seen["all"]
    assert "Norwick" in seen["north"]
    assert "Easton" not in seen["north"] and "fee" not in seen["north"] and "South" not in seen["north"]


WIDE = (
    ",".join(f"column {n} of the survey" for n in range(700))
    + "\n"
    + "".join(",".join(f"{row} {n}" for n in range(700)) + "\n" for row in range(5))
)
LONG = "name,note\n" + "".join(f'P{row},"{"word " * 400}{row}"\n' for row in range(30))
HEBREW = (
    ",".join(f"עמודה מספר {n} של הסקר" for n in range(40))
    + "\n"
    + "".join(",".join([f"ערך {row % 3} בטור"] * 40) + "\n" for row in range(60))
)
MARKS = '"a ""quoted"" name","line\nbreak",{{ brace }}\n' + "".join(f'"x""{n % 3}","{{{{ 7*7 }}}}",\\\\\n' for n in range(60))
NAMES = ",".join([*(chr(0x10400 + n) * 400 for n in range(5)), "short"]) + "\n" + "1,2,3,4,5,6\n" * 9


@pytest.mark.parametrize("text", [PROVIDERS, WIDE, LONG, HEBREW, MARKS, NAMES], ids=["plain", "wide", "long", "hebrew", "marks", "names"])
def test_it_stays_within_its_budget(opened: Opened, hints: Hints, text: str) -> None:
    table = opened(text, "survey.csv").tables[0]
    history = history_of(table, hints)
    assert 0 < size(history) <= MOST
    arguments, result = told(history)
    shown, of = len(arguments["columns"]), len(table.facts.columns)
    assert 0 < shown == of - result.get("more_columns", 0)
    assert {column["name"] for column in arguments["columns"]} <= {column.name for column in table.facts.columns}


def test_the_least_useful_goes_first(opened: Opened, hints: Hints) -> None:
    _, result = told(history_of(opened(HEBREW, "survey.csv").tables[0], hints))
    assert "sample" not in result
    arguments, _ = told(history_of(opened(WIDE, "survey.csv").tables[0], hints))
    assert len(arguments["columns"]) >= 20


def test_a_prompt_is_instructions_history_and_the_question_last(providers: Asked, hints: Hints) -> None:
    table = providers.tables[0]
    one, other = (messages_for([table], text, hints) for text in ('who is in "Norwick"?\n{{ 7*7 }}', "cheapest cardiologist"))
    assert [message.role for message in one] == ["system", "assistant", "tool", "user"]
    assert one[1:3] == history_of(table, hints)
    assert one[:-1] == other[:-1]
    assert json.loads(one[-1].content) == {"question": 'who is in "Norwick"?\n{{ 7*7 }}'}
    same, whole = sent(one[:-1]), sent(other)
    assert whole.startswith(same[:-1]) and len(same) / len(whole) > 0.6
    assert "Norwick" not in one[0].content, "text of tables is no instruction"
