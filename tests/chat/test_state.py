"""The state database: once only, over restarts and processes, what waits, what is forgotten."""

from __future__ import annotations

import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from bot.chat.settings import keep_days, state_url
from bot.chat.state import MOST_TRIES, Kept, State
from bot.chat.types import Asker, Incoming, Place
from engine.errors import UsageError
from engine.types import Turn
from tests.bot.replies import answered, table
from tests.chat.process import PLACE, message
from tests.engine.read.test_database import postgres  # noqa: F401 - a fixture

ROOT = Path(__file__).resolve().parent.parent.parent
ANN, BEN = Asker("U-ann", "Ann"), Asker("U-ben")


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty state database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'state.sqlite'}"
    import psycopg

    server = request.getfixturevalue("postgres")
    name = f"state{secrets.token_hex(4)}"
    with psycopg.connect(server, autocommit=True) as base:
        base.execute(f"CREATE SCHEMA {name}")
    return f"{server}?options=-csearch_path%3D{name}"


@pytest.fixture
def state(url: str, clock: Clock) -> Iterator[State]:
    made = State(url, clock)
    yield made
    made.close()


def kept(reply_id: str = "0123456789ab", place: Place = PLACE, asker: Asker = ANN) -> Kept:
    return Kept(reply_id, place, asker, answered(table(("Adler", "Acre"), ("Cohen", "Acre"))), "en", ("chemists in Acre",))


def test_one_key_seen_before_is_enough(state: State) -> None:
    first = Incoming(PLACE, ANN, "chemists", ("event 1", "C1 17.5"))
    assert state.take(first, 60)
    assert state.take(first, 60) is None
    assert state.take(replace(first, keys=("event 2", "C1 17.5")), 60) is None
    assert state.take(replace(first, keys=("event 2", "C1 18.0")), 60) is None, "event 2 was heard with the redelivery"
    assert state.take(replace(first, keys=("event 3", "C1 18.5")), 60)
    assert state.take(replace(first, place=replace(PLACE, workspace="T2")), 60), "another workspace counts for itself"


def test_a_restart_forgets_nothing(url: str) -> None:
    before = State(url)
    assert before.take(message(1), 60)
    before.keep(kept(), "chemists", 60)
    secret = before.secret()
    before.close()
    after = State(url)
    assert after.take(message(1), 60) is None
    assert after.secret() == secret
    assert after.turns(PLACE, ANN)[0] == Turn(who="asker", text="chemists")


def test_a_database_of_an_earlier_version_gets_the_columns_that_it_lacks(state: State, url: str) -> None:
    state.keep(kept("a" * 12), "chemists", 60)
    with state.database.transaction() as base:
        base.execute(text("ALTER TABLE replies DROP COLUMN scope"))
    for reply_id in ("b" * 12, "c" * 12):
        later = State(url)
        assert later.keep(replace(kept(reply_id), scope="key"), "chemists", 60)
        old, new = later.reply("a" * 12), later.reply(reply_id)
        assert old is not None and old.scope == "" and new is not None and new.scope == "key"
        later.close()


def test_processes_share_the_work_and_never_do_it_twice(url: str) -> None:
    state = State(url)
    for number in range(40):
        state.keep(kept(f"{number:012x}"), "chemists", 0.0)
    command = [sys.executable, "-m", "tests.chat.process", url, "60"]
    running = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    taken: list[str] = []
    due: list[str] = []
    for process in running:
        out, _ = process.communicate(timeout=120)
        assert process.returncode == 0
        first, second = out.splitlines()
        taken += first.split()[1:]
        due += second.split()[1:]
    assert sorted(map(int, taken)) == list(range(60))
    assert sorted(due) == [f"{number:012x}" for number in range(40)]


def test_a_conversation_is_told_from_others_and_people_in_it_apart(state: State) -> None:
    state.keep(kept("a" * 12), "chemists in Acre", 60)
    state.keep(kept("b" * 12, asker=BEN), "and in Lod?", 60)
    assert [(turn.who, turn.text) for turn in state.turns(PLACE, ANN)] == [
        ("asker", "chemists in Acre"),
        ("bot", "2 pharmacies"),
        ("other", "and in Lod?"),
        ("bot", "2 pharmacies"),
    ]
    assert state.turns(PLACE, BEN)[0].who == "other"
    assert state.turns(replace(PLACE, thread="2.0"), ANN) == ()
    alone = replace(PLACE, private=True)
    state.keep(kept("c" * 12, place=alone), "chemists", 60)
    assert state.turns(alone, ANN) and state.turns(alone, BEN) == ()


def test_where_there_are_no_threads_what_is_old_is_another_conversation(state: State, clock: Clock) -> None:
    place = replace(PLACE, thread="")
    state.keep(kept(place=place), "chemists", 60)
    assert state.turns(place, ANN)
    clock.now += 3 * 3600
    assert state.turns(place, ANN) == ()


def test_a_reply_is_kept_without_its_rows(state: State, tmp_path: Path) -> None:
    assert state.keep(kept(), "chemists", 60)
    assert not state.keep(kept(), "chemists", 60)
    found = state.reply(kept().id)
    assert found is not None
    result = found.reply.parts[0].result
    assert result is not None and result.rows == () and result.total == 2
    assert found.asker == ANN and found.carried == ("chemists in Acre",)
    assert not any(b"Adler" in path.read_bytes() for path in tmp_path.iterdir())  # of SQLite
    assert state.reply("f" * 12) is None


def test_a_reply_waits_until_its_poster_is_given_up_and_longer_with_every_try(state: State, clock: Clock) -> None:
    state.keep(kept(), "chemists", 60)
    assert state.due("slack", 60) == []
    clock.now += 61
    assert state.due("teams", 60) == []
    assert state.due("slack", 60) == [(kept().id, 0)]
    assert state.due("slack", 60) == [], "it is leased"
    waits = []
    for _ in range(MOST_TRIES):
        before = clock.now
        assert state.unposted(kept().id)
        while not state.due("slack", 0):
            clock.now += 1
        waits.append(clock.now - before)
    assert waits == sorted(waits) and waits[0] <= 2 and waits[-1] > 1000
    assert not state.unposted(kept().id)
    assert state.waiting() == 0


def test_a_platform_says_itself_when_to_try_again(state: State, clock: Clock) -> None:
    state.keep(kept(), "chemists", 60)
    state.unposted(kept().id, 30)
    clock.now += 29
    assert state.due("slack", 60) == []
    clock.now += 1
    assert state.due("slack", 60) == [(kept().id, 1)]
    state.posted(kept().id, "17.5")
    found = state.reply(kept().id)
    assert found is not None and found.message == "17.5"
    clock.now += 10_000
    assert state.due("slack", 60) == []


def test_a_question_that_was_cut_off_is_taken_up_by_one(state: State, clock: Clock) -> None:
    asked = message(1)
    question = state.take(asked, 60)
    assert question is not None
    assert state.abandoned("slack", 60) == []
    clock.now += 61
    assert state.abandoned("slack", 60) == [(question, asked, 1)]
    assert state.abandoned("slack", 60) == []
    assert state.keep(kept(question), asked.text, 60, question)
    clock.now += 61
    assert state.abandoned("slack", 60) == []


def test_the_same_press_within_a_moment_is_one(state: State, clock: Clock) -> None:
    assert state.first_time(PLACE, ("press",), 10)
    assert not state.first_time(PLACE, ("press",), 10)
    clock.now += 11
    assert state.first_time(PLACE, ("press",), 10)
    assert not state.first_time(PLACE, ("press",))


def test_the_latest_thumb_counts(state: State) -> None:
    state.judge("a" * 12, "U1", "up")
    state.judge("a" * 12, "U1", "down")
    state.judge("a" * 12, "U2", "up")
    assert state.verdicts("a" * 12) == {"U1": "down", "U2": "up"}


def test_what_is_old_is_forgotten(state: State, clock: Clock) -> None:
    state.keep(kept("a" * 12), "chemists", 60)
    clock.now += 20 * 86_400
    state.keep(kept("b" * 12), "dentists", 60)
    clock.now += 20 * 86_400
    assert state.forget(30) == 3
    assert state.reply("a" * 12) is None and state.reply("b" * 12) is not None
    assert [turn.text for turn in state.turns(PLACE, ANN)] == ["dentists", "2 pharmacies"]
    assert state.waiting() == 1


def test_the_settings_are_told_from_what_is_wrong(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ALMANAC_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("ALMANAC_STATE", raising=False)
    assert state_url().startswith("sqlite:///")
    assert (tmp_path / "data" / "state.sqlite").stat().st_mode & 0o077 == 0
    monkeypatch.setenv("ALMANAC_STATE", "sqlite:///elsewhere.sqlite")
    assert state_url() == "sqlite:///elsewhere.sqlite"
    for days in ("0", "-1", "soon", "nan"):
        monkeypatch.setenv("ALMANAC_KEEP_DAYS", days)
        with pytest.raises(UsageError, match="ALMANAC_KEEP_DAYS"):
            keep_days()


@pytest.mark.parametrize("address", ["nonsense", "nosuch://x", "sqlite:////no/such/folder/state.sqlite"])
def test_a_database_that_cannot_be_opened_is_told_in_a_sentence(address: str) -> None:
    with pytest.raises(UsageError, match="ALMANAC_STATE"):
        State(address)


def test_a_server_that_says_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cache.database.CONNECTING", 2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(UsageError, match="cannot be opened"):
            State(f"postgresql+psycopg://ann:secret@127.0.0.1:{silent.getsockname()[1]}/state")
