"""The audit: what it keeps, that nobody changes it, for how long it stays, and what is left of a person who is erased."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import delete, insert, select, text, update
from sqlalchemy.exc import DatabaseError

from bot.chat.audit import Audit, Entry
from bot.chat.entry import entry_of
from bot.chat.erase import Erased, erase
from bot.chat.settings import audit_days
from bot.chat.state import State, new_id
from bot.chat.tables import AUDIT, AUDIT_RELEASE
from bot.chat.types import Asker
from engine.errors import UsageError
from engine.types import Chosen, ClarifyPlan, Clause, Comparison, Measure, Reading, Reply, Sort, TablePlan
from tests.bot.replies import answered, table
from tests.chat.process import PLACE
from tests.chat.test_state import Clock, clock, kept, state, url  # noqa: F401 - fixtures
from tests.engine.read.test_database import postgres  # noqa: F401 - a fixture

ANN, BEN = Asker("U-ann", "Ann", "Ann@example.org"), Asker("U-ben", "Ben", "ben@example.org")
REPLY = answered(table(("Adler", "Acre"), ("Cohen", "Acre")))


def entry(asker: Asker = ANN, action: str = "ask", **more: object) -> Entry:
    return replace(entry_of(action, PLACE, asker, reply_id="a" * 12, reply=REPLY, question="chemists in Acre"), **more)  # type: ignore[arg-type]


@pytest.fixture
def audit(state: State) -> Audit:  # noqa: F811
    return Audit(state)


def test_what_is_written_is_read(audit: Audit, clock: Clock) -> None:  # noqa: F811
    written = Entry(
        "ask", "slack", "T1", "C1", "1.0", "U-ann", "ann@example.org", "a" * 12, "רופאים \ud800?\x00", "answer", ("t",), ("t.a",), 3,
        {"t": (1, 7)}, ({"kind": "table", "table": "t"},), "model", "key", 2, 0.25,
    )  # fmt: skip
    audit.write(written)
    (read,) = audit.read()
    assert read == replace(written, at=clock.now, id=read.id, question="רופאים ??")
    assert read.time == "1970-01-12T13:46:40.000+00:00"
    assert read.to_json()["row_ids"] == {"t": [1, 7]}


def test_it_is_read_oldest_first_from_a_time_to_another_and_by_person(audit: Audit, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setattr("bot.chat.audit._PAGE", 2)  # so that a few entries are several pages
    start = clock.now
    for number in range(7):
        clock.now = start + number // 3  # several at one moment
        audit.write(entry(ANN if number % 2 else BEN, question=str(number)))
    assert [one.question for one in audit.read()] == list("0123456")
    assert [one.question for one in audit.read(start + 1, start + 2)] == list("345")
    assert [one.question for one in audit.read(asker="U-ann")] == list("135")
    assert [one.question for one in audit.read(start + 1, asker="BEN@example.org")] == list("46")


def test_reading_keeps_nobody_from_writing(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.chat.audit._PAGE", 2)
    for number in range(4):
        audit.write(entry(question=str(number)))
    reading = audit.read()
    assert next(reading).question == "0"
    audit.write(entry(question="4"))
    assert [one.question for one in reading] == list("1234")


def test_an_entry_is_never_changed_and_goes_only_when_it_is_released(audit: Audit, state: State, clock: Clock) -> None:  # noqa: F811
    audit.write(entry())
    (before,) = audit.read()
    base = state.database
    statements = [
        update(AUDIT).values(question="harmless"),
        update(AUDIT).values(rows=0).where(AUDIT.c.id == before.id),
        delete(AUDIT),
        delete(AUDIT).where(AUDIT.c.id == before.id),
    ]
    if base.is_sqlite:
        statements.append(text("INSERT OR REPLACE INTO audit SELECT * FROM audit"))  # type: ignore[arg-type]
    else:
        statements.append(text("TRUNCATE audit"))  # type: ignore[arg-type]
    for statement in statements:
        with pytest.raises(DatabaseError, match="audit entry"), base.transaction() as one:
            one.execute(statement)
    with pytest.raises(DatabaseError, match="audit entry"), base.transaction() as one:
        one.execute(insert(AUDIT_RELEASE).values(asker="U-ben", before=clock.now + 1))  # which releases another's
        one.execute(delete(AUDIT))
    with pytest.raises(DatabaseError, match="audit entry"), base.transaction() as one:
        one.execute(insert(AUDIT_RELEASE).values(asker="", before=clock.now))  # which releases what is older
        one.execute(delete(AUDIT))
    assert list(audit.read()) == [before]


def test_it_stays_append_only_when_another_process_opens_it(audit: Audit, url: str) -> None:  # noqa: F811
    audit.write(entry())
    other = State(url)
    with pytest.raises(DatabaseError, match="audit entry"), other.database.transaction() as one:
        one.execute(delete(AUDIT))
    other.close()


def test_what_is_old_goes_and_its_number_is_not_given_again(audit: Audit, state: State, clock: Clock) -> None:  # noqa: F811
    for days in (0, 100, 300):
        clock.now = 1_000_000.0 + days * 86_400
        audit.write(entry(question=f"day {days}"))
    last = max(one.id for one in audit.read())
    assert audit.forget(250) == 1
    assert [one.question for one in audit.read()] == ["day 100", "day 300"]
    clock.now += 400 * 86_400
    assert audit.forget(365) == 2
    with state.database.transaction() as base:
        assert base.execute(select(AUDIT_RELEASE)).all() == [], "nothing is released any more"
    audit.write(entry())
    assert [one.id for one in audit.read()] == [last + 1]


def test_the_state_forgets_conversations_and_keeps_the_audit(audit: Audit, state: State, clock: Clock) -> None:  # noqa: F811
    state.keep(kept(), "chemists", 60)
    audit.write(entry())
    clock.now += 40 * 86_400
    assert state.forget(30) > 0
    assert len(list(audit.read())) == 1


def test_an_entry_names_the_tables_and_columns_of_its_plans() -> None:
    plan = TablePlan(
        table="doctors",
        where=(Clause(any_of=(Comparison(column="city", op="is", values=("Acre",)),)),),
        group_by=("ward",),
        measures=(Measure(function="sum", column="beds"),),
        sort=(Sort(by=Measure(function="max", column="age")), Sort(by="floor")),
        select=("fee",),
    )
    part = REPLY.parts[0].model_copy(update={"plan": plan})
    made = entry_of("page", PLACE, ANN, reply=Reply(parts=(part,)), row_ids_of="doctors".__eq__, page=2, page_rows=1, scope="key")
    assert (made.tables, made.kind, made.rows, made.scope) == (("doctors",), "answer", 2, "key")
    assert set(made.columns) == {f"doctors.{name}" for name in ("city", "ward", "beds", "age", "floor", "fee", "name", "town")}
    assert made.row_ids == {"doctors": (2,)}
    assert made.plan[0]["where"][0]["any_of"][0]["values"] == ["Acre"]
    assert entry_of("ask", PLACE, ANN, reply=Reply(parts=(part,))).row_ids is None, "only where the catalog wants it"
    offered = ClarifyPlan(reason="x", readings=(Reading(label="city = Acre", question="q", plan=plan, rows=1),))
    asked_back = Reply(parts=(part.model_copy(update={"kind": "clarify", "plan": offered, "result": None}),))
    assert entry_of("ask", PLACE, ANN, reply=asked_back).tables == ("doctors",)
    assert entry_of("refused", PLACE, ANN, question="too many").question == "too many"


@pytest.mark.parametrize("days", ["0", "-1", "soon", "nan"])
def test_a_time_that_is_none_is_told(monkeypatch: pytest.MonkeyPatch, days: str) -> None:
    monkeypatch.delenv("ALMANAC_AUDIT_DAYS", raising=False)
    assert audit_days() == 365
    monkeypatch.setenv("ALMANAC_AUDIT_DAYS", days)
    with pytest.raises(UsageError, match="ALMANAC_AUDIT_DAYS"):
        audit_days()


# ---- erasure


def talk(state: State) -> None:  # noqa: F811
    """Ann and Ben in one thread, each with a choice, thumbs and something that waits."""
    audit = Audit(state)
    for number, (asker, said, headline) in enumerate(
        [(ANN, "secret of Ann", "to Ann"), (BEN, "word of Ben", "to Ben"), (ANN, "more of Ann", "to Ann")]
    ):
        part = REPLY.parts[0].model_copy(update={"question": said, "headline": headline})
        state.keep(replace(kept(f"{number:012x}", asker=asker), reply=Reply(parts=(part,))), said, 60)
        audit.write(entry(asker, question=said))
    for asker in (ANN, BEN):
        state.choose(PLACE, asker, Chosen(phrase="chemists", column="type", term="Pharmacy"))
        state.judge(f"{1:012x}", asker.id, "up")
    state.judge(f"{0:012x}", BEN.id, "down")
    state.posted(f"{0:012x}")
    state.take(waiting(ANN, "late secret of Ann"), 60)
    state.take(waiting(BEN, "late word of Ben"), 60)


def waiting(asker: Asker, said: str) -> object:
    from bot.chat.types import Incoming

    return Incoming(PLACE, asker, said, (new_id(),))


@pytest.mark.parametrize("named", ["U-ann", "ann@EXAMPLE.org"])
def test_only_what_is_the_persons_goes(state: State, named: str) -> None:  # noqa: F811
    talk(state)  # all of it at one moment of the clock, which must not confuse whose is what
    assert erase(state, named) == Erased(turns=4, replies=2, choices=1, feedback=2, questions=1, outbox=1, audit=0)
    assert [(turn.who, turn.text) for turn in state.turns(PLACE, BEN)] == [("asker", "word of Ben"), ("bot", "to Ben")]
    assert [state.reply(f"{number:012x}") is None for number in range(3)] == [True, False, True]
    assert state.chosen(PLACE, ANN) == () and len(state.chosen(PLACE, BEN)) == 1
    assert state.verdicts(f"{1:012x}") == {"U-ben": "up"}
    assert state.waiting() == 1
    entries = list(Audit(state).read())
    assert [one.action for one in entries] == ["ask"] * 3 + ["erased"]
    assert (entries[-1].asker, entries[-1].email, entries[-1].question, entries[-1].rows) == ("U-ann", "", "", 11)
    assert erase(state, named).total == 0
    assert len(list(Audit(state).read())) == 4, "nothing was done, and nothing is said to have been"


def test_the_audit_of_a_person_goes_where_that_is_wanted_and_says_so(state: State) -> None:  # noqa: F811
    talk(state)
    assert erase(state, "U-ann", with_audit=True).audit == 2
    assert erase(state, "U-ann", with_audit=True).total == 0, "that it was done stays"
    assert [(one.action, one.asker) for one in Audit(state).read()] == [("ask", "U-ben"), ("erased", "U-ann")]


def test_the_same_id_in_another_workspace_is_another_person_to_an_email(state: State) -> None:  # noqa: F811
    other = replace(PLACE, workspace="T2")
    state.keep(kept("a" * 12, asker=ANN), "mine", 60)
    state.keep(kept("b" * 12, other, replace(ANN, email="anna@example.org")), "not mine", 60)
    assert erase(state, "ann@example.org").replies == 1
    assert state.reply("b" * 12) is not None
    assert [turn.text for turn in state.turns(other, ANN)] == ["not mine", "2 pharmacies"]
    assert erase(state, "U-ann").replies == 1, "the id itself means all who have it"


def test_an_email_means_also_what_was_asked_when_nobody_told_it(state: State) -> None:  # noqa: F811
    nameless = replace(ANN, email="")
    state.keep(kept("a" * 12, asker=ANN), "mine", 60)
    state.keep(kept("b" * 12, asker=nameless), "mine too", 60)
    state.take(waiting(nameless, "late"), 60)  # type: ignore[arg-type]
    state.keep(kept("c" * 12, replace(PLACE, workspace="T2"), nameless), "not mine", 60)
    assert (erase(state, "ann@example.org").replies, state.abandoned("slack", 0)) == (2, [])
    assert state.reply("c" * 12) is not None


def test_nothing_but_the_name_itself_is_meant(state: State) -> None:  # noqa: F811
    talk(state)
    for named in ("U-an", "%", "U_ann", "U-Ann", "example.org", '"', "אן"):
        assert erase(state, named).total == 0, named
    state.keep(kept("c" * 12, asker=Asker("אן", email="אן@example.org")), "her", 60)
    assert erase(state, "אן").replies == 1


def test_no_word_is_left_in_the_files(tmp_path: Path, clock: Clock) -> None:  # noqa: F811
    state = State(f"sqlite:///{tmp_path / 'state.sqlite'}", clock)  # noqa: F811
    talk(state)
    assert any(b"secret of Ann" in path.read_bytes() for path in tmp_path.iterdir())
    erase(state, "U-ann", with_audit=True)
    assert not any(b"secret of Ann" in path.read_bytes() or b"nn@example" in path.read_bytes() for path in tmp_path.iterdir())
    assert any(b"word of Ben" in path.read_bytes() for path in tmp_path.iterdir())
    state.close()
