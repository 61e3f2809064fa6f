"""Plans by question: the same reply the second time, nothing that is stale, and nothing that is not a plan."""

from __future__ import annotations

import json
import logging
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.answering import answers_from, library_of
from bot.evaluate import evaluate_cases
from cache.hints import Hints
from engine.ask import ask
from engine.catalog import catalog_of
from engine.embed import default_embedder
from engine.errors import UsageError
from engine.remember import Asked as Key
from engine.remember import Memory
from engine.types import EVERYTHING, ChatThread, Chosen, Question, Reply, Scope, Slice, Turn
from tests.engine.conftest import NOW, Asked, Opened
from tests.engine.samples import PROVIDERS

QUESTIONS = [
    "cardiologists in Norwick",
    "which providers are in Norwick and do not speak German?",
    "how many podiatrists are there?",
    "how many providers per district?",
    "which city has the most providers?",
    "dermatolgy in Tarnby",  # misspelt: a binding with other candidates
    "neurology in Norwick",  # nothing, with an explanation of what is near
    "phone of Ida Falk",
    "providers with a fee of at least 150",
    "first 3 providers",
    "providers without a phone",
    "nutrition or podiatry in Easton",
    "average fee in each city",
    "who speaks Swedish",
]
HOURS = "name,town,opening hours\nMill,Ash,Mo-Fr 08:00-18:00\nOld Mill,Ash,Sa-Su 10:00-14:00\nCorner,Oak,24/7\n"


class Asking:
    """Asks tables with a memory."""

    def __init__(self, tables: Asked, root: Path | None, caplog: pytest.LogCaptureFixture) -> None:
        self.tables = tables.tables
        self.memory = Memory(root) if root else None
        self.log = caplog
        caplog.set_level(logging.INFO, "engine")

    def __call__(self, text: str, scope: Scope = EVERYTHING, now: datetime = NOW, thread: ChatThread | None = None) -> Reply:
        thread = thread or ChatThread()
        return ask(text, thread, scope, tables=self.tables, embedder=default_embedder(), now=now, memory=self.memory)

    @property
    def recalled(self) -> bool:
        """Whether the last plan was found and not made."""
        return [record.recalled for record in self.log.records if record.message == "planned"][-1]  # type: ignore[attr-defined]


@pytest.fixture
def asking(providers: Asked, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Asking:
    return Asking(providers, tmp_path, caplog)


def written(reply: Reply) -> str:
    return json.dumps(reply.to_json(), ensure_ascii=False)


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_second_reply_is_the_first(
    question: str, asking: Asking, providers: Asked, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    plain, first = Asking(providers, None, caplog)(question), asking(question)
    assert first.kind == "answer" and not asking.recalled
    again, here = asking(question), asking.recalled
    restarted = Asking(providers, tmp_path, caplog)
    elsewhere, there = restarted(question), restarted.recalled
    assert written(plain) == written(first) == written(again) == written(elsewhere)
    assert plain == first == again == elsewhere
    assert here and there


def test_every_case_twice(cases: Path, opened: Opened, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    example = Path(__file__).resolve().parents[2] / "examples" / "service_book"
    catalog = (example / "almanac.toml").read_text(encoding="utf-8")
    book = opened((example / "service_book_sample.csv").read_text(encoding="utf-8"), "service_book_sample.csv", catalog)
    plain, asking = Asking(book, None, caplog), Asking(book, tmp_path, caplog)
    recalled = 0
    for line in (cases / "service_book.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        turns = tuple(Turn(who="bot" if turn.get("who") == "bot" else "asker", text=turn["text"]) for turn in case.get("thread") or ())
        expected = plain(case["question"], thread=ChatThread(turns=turns))
        for _ in range(2):
            assert written(asking(case["question"], thread=ChatThread(turns=turns))) == written(expected), case["question"]
        recalled += asking.recalled
    assert recalled > 30


def test_what_is_kept_holds_no_rows(asking: Asking, tmp_path: Path) -> None:
    reply = asking("cardiologists in Norwick with their phones")
    (part,) = reply.parts
    assert part.result is not None and any("020-555-0101" in row for row in part.result.rows)
    key = Key(Question(text=part.question), asking.tables, EVERYTHING, default_embedder(), NOW)
    kept = Hints(tmp_path, "plans").get(key.key)
    assert set(kept) == {"language", "plan", "bindings", "unused", "confidence", "planner", "spans"}
    assert "020-555" not in json.dumps(kept) and "SELECT" not in json.dumps(kept)


def test_what_is_no_plan_is_not_kept(asking: Asking) -> None:
    for question in ("what is the weather on Mars?", "", "delete all providers"):
        assert asking(question).kind == "no_answer"
        assert asking(question).kind == "no_answer" and not asking.recalled


def test_the_rows_are_those_of_now_where_the_data_changed(
    opened: Opened, providers: Asked, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    Asking(providers, tmp_path, caplog)("cardiologists in Norwick")
    moved = Asking(opened(PROVIDERS.replace("Cardiology,German", "Podiatry,German"), "providers.csv"), tmp_path, caplog)
    reply = moved("cardiologists in Norwick")
    assert not moved.recalled
    assert reply.parts[0].result is not None and reply.parts[0].result.row_ids == (1,)


def test_who_may_see_something_else_finds_nothing_of_it(asking: Asking) -> None:
    (table,) = asking.tables
    asking("how many podiatrists are there?")
    some = Scope(slices={table.entry: Slice(), "another": Slice()})  # the same table whole, but somebody else's rights
    assert asking("how many podiatrists are there?", scope=some).kind == "answer"
    assert not asking.recalled
    assert asking("how many podiatrists are there?", scope=Scope()).kind == "no_answer"
    assert not asking.recalled


def test_another_day_another_zone_and_another_choice_are_planned_anew(asking: Asking) -> None:
    asking("cardiologists in Norwick")
    asking("cardiologists in Norwick", now=NOW + timedelta(hours=3))
    assert asking.recalled
    asking("cardiologists in Norwick", now=NOW + timedelta(days=1))
    assert not asking.recalled
    chosen = ChatThread(chosen=(Chosen(phrase="Norwick", column="city", term="Norwick"),))
    asking("cardiologists in Norwick", thread=chosen)
    assert not asking.recalled


def test_other_words_in_the_catalog_are_planned_anew(opened: Opened, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    catalog = '[tables.providers]\nsource = "providers.csv"\n'
    said = [
        Asking(opened(PROVIDERS, "providers.csv", catalog + glossary), tmp_path, caplog)
        for glossary in ("", '[glossary]\nheart = "Cardiology"\n')
    ]
    for asking in said:
        asking("cardiologists in Norwick")
        assert not asking.recalled
        asking("cardiologists in Norwick")
        assert asking.recalled


def test_open_now_is_asked_anew(opened: Opened, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    asking = Asking(opened(HOURS, "shops.csv"), tmp_path, caplog)
    found = []
    for hour in (9, 21):
        (part,) = asking("which are open now?", now=NOW.replace(hour=hour)).parts
        assert part.result is not None and not asking.recalled
        found.append(part.result.row_ids)
    assert found == [(1, 3), (3,)]
    asking("which are open today?")
    asking("which are open today?")
    assert asking.recalled


def test_a_broken_entry_is_a_miss_and_one_line(asking: Asking, providers: Asked, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    expected = written(asking("dermatolgy in Tarnby"))
    key = Key(Question(text="dermatolgy in Tarnby"), asking.tables, EVERYTHING, default_embedder(), NOW).key
    whole = Hints(tmp_path, "plans").get(key)
    other = {**whole, "plan": {**whole["plan"], "select": ["no such column"]}}
    broken: list[Any] = [7, [], {}, {**whole, "more": 1}, {**whole, "plan": {"kind": "sql", "sql": "DELETE FROM rows"}}, other]
    for entry in broken:
        Hints(tmp_path, "plans").set(key, entry)
        caplog.clear()
        restarted = Asking(providers, tmp_path, caplog)
        assert written(restarted("dermatolgy in Tarnby")) == expected
        assert not restarted.recalled
        assert len([record for record in caplog.records if record.levelno >= logging.WARNING]) == 1


def test_a_broken_file_is_a_miss_and_one_line(asking: Asking, providers: Asked, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    expected = written(asking("cardiologists in Norwick"))
    asking.memory.close()  # type: ignore[union-attr]
    for file in (tmp_path / "plans").glob("cache.db*"):
        file.write_bytes(b"no database" * 1000)
    caplog.clear()
    restarted = Asking(providers, tmp_path, caplog)
    assert written(restarted("cardiologists in Norwick")) == expected
    assert not restarted.recalled
    assert len([record for record in caplog.records if record.levelno >= logging.WARNING]) == 1
    restarted("cardiologists in Norwick")
    assert restarted.recalled


def test_a_setting_turns_it_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "providers.csv").write_text(PROVIDERS, encoding="utf-8")
    plans = tmp_path / "data" / "plans"
    monkeypatch.setenv("ALMANAC_DATA", str(tmp_path / "data"))
    with library_of(catalog_of(str(tmp_path / "providers.csv"))) as library:
        monkeypatch.setenv("ALMANAC_CACHE", "off")
        assert answers_from(library)("how many podiatrists are there?", ChatThread(), EVERYTHING).kind == "answer"
        assert not plans.exists()
        monkeypatch.setenv("ALMANAC_CACHE", "perhaps")
        with pytest.raises(UsageError, match="on or off"):
            answers_from(library)
        monkeypatch.delenv("ALMANAC_CACHE")
        (tmp_path / "cases.jsonl").write_text('{"id": 1, "table_file": "providers.csv", "question": "how many podiatrists are there?"}\n')
        assert evaluate_cases(tmp_path / "cases.jsonl", tmp_path, tmp_path / "out.jsonl").answered == 1
        assert not plans.exists()  # cases measure the planner
        assert answers_from(library)("how many podiatrists are there?", ChatThread(), EVERYTHING).kind == "answer"
        assert plans.stat().st_mode & 0o777 == 0o700
    with sqlite3.connect(plans / "cache.db") as kept:
        assert kept.execute("SELECT count(*) FROM Cache").fetchone()[0] >= 1
    kept.close()
