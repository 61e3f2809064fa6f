"""Scheduled questions: each time once over processes and restarts, under the rights of then, and paused with a notice where it goes wrong."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from bot.chat.asking import AroundModel
from bot.chat.audit import Audit, Entry
from bot.chat.erase import erase
from bot.chat.handler import LEASE as POSTING
from bot.chat.handler import Handler
from bot.chat.limits import Limits
from bot.chat.outbox import empty_outbox
from bot.chat.schedules import LEASE, MOST, MOST_FAILURES, Schedule, Schedules
from bot.chat.sentences import asks_for_schedules, say, sentences_of
from bot.chat.settings import LimitSettings
from bot.chat.state import State
from bot.chat.tables import OUTBOX, REPLIES
from bot.chat.types import Asker, NobodyError, OutboxEntry, Place, Press, Shown, Undeliverable, UnknownPeopleError
from engine.errors import UsageError
from engine.types import ChatThread, Reply, Scope
from jobs.when import read_when
from tests.chat.test_rights_kept import ALL, ANN, BEN, HEADS, Channels, ruled_chat, told
from tests.chat.test_state import ROOT, Clock, clock, postgres, state, url  # noqa: F401 - fixtures

WEEK = 7 * 86_400.0
IN_HEADS, IN_ALL = replace(HEADS, thread="", address=""), replace(ALL, thread="", address="")


def made(
    question: str = "all doctors", place: Place = IN_ALL, maker: Asker = ANN, when: str = "every Sunday 08:00", zone: str = "Asia/Jerusalem"
) -> Schedule:
    return Schedule(place, maker, question, "en", read_when(when, zone))


# ---- in the database


def test_what_is_kept_outlasts_a_restart(url: str) -> None:  # noqa: F811
    first = State(url)
    kept = Schedules(first).add(made("רופאים בעכו"))
    first.close()
    second = State(url)
    assert Schedules(second).all() == [kept] == Schedules(second).of(IN_ALL, "ann")
    assert Schedules(second).get(kept.id) == kept and not Schedules(second).of(IN_ALL, "ben")
    second.close()


def test_one_is_claimed_once_and_again_when_its_lease_has_run_out(state: State, url: str, clock: Clock) -> None:  # noqa: F811
    mine, theirs = Schedules(state), Schedules(State(url, clock))
    kept = mine.add(made())
    assert mine.claim(kept.next_at - 1) == []
    (claimed,) = mine.claim(kept.next_at)
    assert theirs.claim(kept.next_at + LEASE - 1) == [] == mine.claim(kept.next_at)
    (again,) = theirs.claim(kept.next_at + LEASE + 1)
    assert again.next_at == kept.next_at and again.failures == 1
    mine.done(claimed, kept.next_at + LEASE + 2)
    assert theirs.all()[0].next_at == kept.next_at, "whoever lost the lease has nothing to say any more"
    theirs.done(again, kept.next_at + LEASE + 2)
    assert mine.all()[0].next_at == kept.next_at + WEEK


def test_times_that_were_missed_come_once(state: State) -> None:  # noqa: F811
    schedules = Schedules(state)
    kept = schedules.add(made())
    late = kept.next_at + 5 * WEEK + 3
    (claimed,) = schedules.claim(late)
    schedules.done(claimed, late)
    assert schedules.claim(late) == []
    assert schedules.all()[0].next_at == kept.next_at + 6 * WEEK


def test_failures_in_a_row_pause_one_and_resuming_forgets_them(state: State) -> None:  # noqa: F811
    schedules = Schedules(state)
    kept = schedules.add(made())
    assert [schedules.failed(kept.id) for _ in range(2)] == [False, False]
    schedules.said(kept.id)
    assert [schedules.failed(kept.id) for _ in range(MOST_FAILURES + 1)] == [False, False, True, False]
    (paused,) = schedules.all()
    assert (paused.paused, paused.outcome) == ("failures", "failed") and schedules.claim(kept.next_at + WEEK) == []
    running = schedules.resume(paused)
    assert not running.paused and schedules.all() == [running] and running.failures == 0


def test_a_person_has_so_many_and_no_more(state: State) -> None:  # noqa: F811
    schedules = Schedules(state)
    for _ in range(MOST):
        schedules.add(made())
    with pytest.raises(UsageError, match=f"may have {MOST} schedules"):
        schedules.add(made())
    schedules.add(made(maker=BEN))
    assert len(schedules.all()) == MOST + 1


def test_whoever_is_erased_has_none_left(state: State) -> None:  # noqa: F811
    schedules = Schedules(state)
    schedules.add(made())
    other = schedules.add(made(maker=BEN))
    assert erase(state, "ann").schedules == 1
    assert schedules.all() == [other]


def heard(process: subprocess.Popen[str]) -> str:
    """The next line that a process says."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_two_processes_ask_each_time_once(url: str, tmp_path: Path) -> None:  # noqa: F811
    state = State(url)  # noqa: F811
    for number in range(6):
        Schedules(state).add(made("doctors in Acre" if number % 2 else "doctors in Haifa"))
    start, count = max(one.next_at for one in Schedules(state).all()), 4
    running = []
    for number in range(2):
        folder = tmp_path / str(number)
        folder.mkdir()
        command = [sys.executable, "-m", "tests.chat.ticking", url, str(folder)]
        running.append(subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
    answered: list[int] = []
    try:
        assert [heard(process) for process in running] == ["ready", "ready"]
        for at in range(count):
            for process in running:
                assert process.stdin is not None
                process.stdin.write(f"{start + at * WEEK}\n")
                process.stdin.flush()
            answered += [int(heard(process)) for process in running]
    finally:
        for process in running:
            process.communicate(timeout=60)
    with state.database.transaction() as base:
        replies = [row.schedule for row in base.execute(select(REPLIES.c.schedule))]
    assert sum(answered) == len(replies) == 6 * count
    assert {replies.count(one.id) for one in Schedules(state).all()} == {count}
    state.close()


# ---- asked when they are due


class People(Channels):
    """Those channels, of a platform that may be away, or know somebody no more."""

    away = False
    unknown: frozenset[str] = frozenset()
    closed: frozenset[str] = frozenset()

    async def identify(self, place: Place, asker: Asker) -> Asker:
        """The same, where it is told."""
        if self.away:
            raise UnknownPeopleError
        if asker.id in self.unknown:
            raise NobodyError
        return replace(asker, gone=asker.id in self.closed)


def with_people(handler: Handler) -> People:
    people = People()
    handler.introduce("slack", people)
    return people


async def posted(handler: Handler) -> list[Shown]:
    """What the outbox says now."""
    said: list[Shown] = []

    async def deliver(entry: OutboxEntry) -> None:
        said.append(entry.shown)

    await empty_outbox(handler, "slack", deliver)
    return said


def test_it_is_said_for_all_who_read_there_with_whose_it_is_and_written_down(tmp_path: Path) -> None:
    async def scenario(handler: Handler, channels: Channels, clock: Clock, state: State) -> None:  # noqa: F811
        kept = Schedules(state).add(made())
        assert await handler.tick(kept.next_at + 60) == 1
        (shown,) = await posted(handler)
        assert shown.lines[0] == say("en", "schedule_by", name="ann", when="every Sunday 08:00", question="all doctors")
        assert "Dr Acre 01" in told(shown) and "04-" not in told(shown) and not shown.private
        assert [button.action for button in shown.buttons].count("stop") == 1
        (entry,) = Audit(state).read()
        assert (entry.action, entry.asker, entry.channel, entry.question) == ("scheduled", "ann", "C-all", "all doctors")
        (after,) = Schedules(state).all()
        assert (after.outcome, after.failures, after.next_at) == ("said", 0, kept.next_at + WEEK)

    ruled_chat(tmp_path, scenario)


def test_who_reads_there_is_looked_at_again_when_it_is_said(tmp_path: Path) -> None:
    async def scenario(handler: Handler, channels: Channels, clock: Clock, state: State) -> None:  # noqa: F811
        kept = Schedules(state).add(made(place=IN_HEADS))
        assert await handler.tick(kept.next_at) == 1
        channels.people["C-heads"] = (ANN, BEN)
        (shown,) = await posted(handler)
        assert "Dr Acre 01" in told(shown) and "04-" not in told(shown)

    ruled_chat(tmp_path, scenario)


def test_what_waits_for_others_of_the_same_time_is_not_taken_up_by_another_process(tmp_path: Path) -> None:
    leases: list[float] = []

    async def scenario(handler: Handler, channels: Channels, clock: Clock, state: State) -> None:  # noqa: F811
        kept = [Schedules(state).add(made()) for _ in range(9)]
        answer = handler._desk.asking.answer

        def noted(text: str, thread: ChatThread, scope: Scope) -> Reply:
            leases.append(max(one.lease for one in Schedules(state).all()))
            time.sleep(0.05)
            return answer(text, thread, scope)

        handler._desk.asking = replace(handler._desk.asking, answer=noted)
        assert await handler.tick(kept[0].next_at) == len(kept)

    ruled_chat(tmp_path, scenario)
    assert leases[0] < leases[4] < leases[8], "the lease of those that waited begins when they are taken up"


def test_models_cost_nothing_more_where_their_money_is_spent(tmp_path: Path) -> None:
    async def scenario(handler: Handler, channels: Channels, clock: Clock, state: State) -> None:  # noqa: F811
        desk = handler._desk
        kept = Schedules(state).add(made())

        def costs(text: str, thread: ChatThread, scope: Scope) -> Reply:
            raise AssertionError("a model is asked")

        around = AroundModel(lambda *_: None, desk.asking.answer, 1.0)
        desk.asking = replace(desk.asking, answer=costs, model=around)
        desk.limits = Limits(state, LimitSettings(spend=0.5))
        Audit(state).write(Entry("ask", "slack", IN_ALL.workspace, spend=1.0))
        assert await handler.tick(kept.next_at) == 1
        (shown,) = await posted(handler)
        assert "Dr Acre 01" in told(shown)

    ruled_chat(tmp_path, scenario)


@pytest.mark.parametrize("why", ["unknown", "closed", "left", "nothing"])
def test_a_maker_who_may_not_see_it_any_more_is_told_and_nothing_is_shown(tmp_path: Path, why: str) -> None:
    async def scenario(handler: Handler, channels: Channels, clock: Clock, state: State) -> None:  # noqa: F811
        people = with_people(handler)
        kept = Schedules(state).add(made(maker=BEN))
        if why == "unknown":
            people.unknown = frozenset({"ben"})
        elif why == "closed":
            people.closed = frozenset({"ben"})
        elif why == "left":
            people.people["C-all"] = (ANN,)
        else:
            (tmp_path / "people.csv").write_text("id,groups,ward\nann,heads,First\n", encoding="utf-8")
        assert await handler.tick(kept.next_at) == 0
        (paused,) = Schedules(state).all()
        assert paused.paused == "rights"
        (notice,) = await posted(handler)
        assert notice.private and notice.place.private and notice.place.channel == "" and notice.asker.id == "ben"
        assert notice.lines == (say("en", "schedule_rights", question="all doctors", when="every Sunday 08:00", word="schedules"),)
        assert await handler.tick(kept.next_at + WEEK) == 0 and not await posted(handler)

    ruled_chat(tmp_path, scenario)


@pytest.mark.parametrize("why", ["platform", "engine", "no answer"])
def test_three_failures_in_a_row_pause_it_with_a_notice(tmp_path: Path, why: str) -> None:
    async def scenario(handler: Handler, channels: Channels, clock: Clock, state: State) -> None:  # noqa: F811
        people = with_people(handler)
        kept = Schedules(state).add(made("doctors in Rosh" if why == "no answer" else "all doctors", place=IN_HEADS))
        if why == "platform":
            people.away = True
        elif why == "engine":

            def fails(text: str, thread: ChatThread, scope: Scope) -> Reply:
                raise RuntimeError("the password is hunter2")

            handler._desk.asking = replace(handler._desk.asking, answer=fails)
        for at in range(MOST_FAILURES):
            assert not Schedules(state).all()[0].paused
            assert await handler.tick(kept.next_at + at * WEEK) == 0
        assert Schedules(state).all()[0].paused == "failures"
        (notice,) = await posted(handler)
        assert notice.private and "three times in a row" in notice.lines[0] and "hunter2" not in told(notice)

    ruled_chat(tmp_path, scenario)


def test_what_cannot_be_said_there_three_times_is_paused(tmp_path: Path) -> None:
    async def scenario(handler: Handler, channels: Channels, clock: Clock, state: State) -> None:  # noqa: F811
        async def refuses(entry: OutboxEntry) -> None:
            raise Undeliverable

        kept = Schedules(state).add(made())
        for at in range(MOST_FAILURES):
            assert await handler.tick(kept.next_at + at * WEEK) == 1
            await empty_outbox(handler, "slack", refuses)
        assert Schedules(state).all()[0].paused == "failures"
        (notice,) = await posted(handler)
        assert notice.place.private and "three times in a row" in notice.lines[0]

    ruled_chat(tmp_path, scenario)


def test_where_it_cannot_be_told_who_reads_it_waits_and_nothing_is_shown(tmp_path: Path) -> None:
    async def scenario(handler: Handler, channels: Channels, clock: Clock, state: State) -> None:  # noqa: F811
        people = with_people(handler)
        kept = Schedules(state).add(made())
        assert await handler.tick(kept.next_at) == 1
        people.away = True
        assert not await posted(handler) and state.waiting() == 1
        people.away = False
        clock.now += POSTING + 10
        (shown,) = await posted(handler)
        assert "Dr Acre 01" in told(shown)

    ruled_chat(tmp_path, scenario)


def test_a_process_that_ends_after_answering_leaves_one_answer(tmp_path: Path) -> None:
    async def scenario(handler: Handler, channels: Channels, clock: Clock, state: State) -> None:  # noqa: F811
        schedules = Schedules(state)
        kept = schedules.add(made())
        (claimed,) = schedules.claim(kept.next_at)
        answered = await handler._scheduling._answered(claimed)
        assert answered is not None and state.keep(answered, kept.question, 0.0)  # and there it ends
        assert await handler.tick(kept.next_at + LEASE + 1) == 0
        assert len(await posted(handler)) == 1
        assert schedules.all()[0].next_at == kept.next_at + WEEK

    ruled_chat(tmp_path, scenario)


def test_a_question_that_ends_every_process_is_paused(tmp_path: Path) -> None:
    async def scenario(handler: Handler, channels: Channels, clock: Clock, state: State) -> None:  # noqa: F811
        schedules = Schedules(state)
        kept, now = schedules.add(made()), 0.0
        for at in range(MOST_FAILURES):
            now = kept.next_at + at * (LEASE + 1)
            assert len(schedules.claim(now)) == 1
        assert await handler.tick(now + LEASE + 1) == 0
        assert schedules.all()[0].paused == "failures" and len(await posted(handler)) == 1

    ruled_chat(tmp_path, scenario)


def test_a_server_that_answers_with_a_notice_asks_nothing(tmp_path: Path) -> None:
    async def scenario(handler: Handler, channels: Channels, clock: Clock, state: State) -> None:  # noqa: F811
        kept = Schedules(state).add(made())
        closed = Handler(state, handler._desk.asking, notice="Closed today.")
        assert await closed.tick(kept.next_at) == 0
        closed.close()
        assert await handler.tick(kept.next_at) == 1

    ruled_chat(tmp_path, scenario)


def test_nobody_schedules_for_a_channel_that_they_are_not_in(tmp_path: Path) -> None:
    async def scenario(handler: Handler, channels: Channels, clock: Clock, state: State) -> None:  # noqa: F811
        kept = Schedules(state).add(made(maker=BEN))
        value = handler._desk.show.value("change", kept.id)
        own = Place("slack", "T1", "D-ben", private=True)
        for target in (IN_HEADS, replace(IN_ALL, workspace="T2"), Place("slack", "T1", "D-ann", private=True)):
            shown = await handler.press(Press(own, BEN, value, when="daily 9:00", time_zone="UTC", target=target))
            assert shown is not None and shown.lines == (say("en", "schedule_not_there"),)
        assert Schedules(state).all() == [kept]
        await handler.press(Press(own, BEN, value, when="daily 9:00", time_zone="UTC", target=IN_ALL))
        (changed,) = Schedules(state).all()
        assert (changed.when.cron, changed.when.zone) == ("0 9 * * *", "UTC")

    ruled_chat(tmp_path, scenario)


def test_a_value_of_another_workspace_or_unsigned_does_nothing(tmp_path: Path) -> None:
    async def scenario(handler: Handler, channels: Channels, clock: Clock, state: State) -> None:  # noqa: F811
        kept = Schedules(state).add(made())
        value = handler._desk.show.value("remove", kept.id)
        for press in (Press(replace(IN_ALL, workspace="T2"), ANN, value), Press(IN_ALL, ANN, value[:-1] + "~"), Press(IN_ALL, BEN, value)):
            shown = await handler.press(press)
            assert shown is not None and shown.private
        assert Schedules(state).all() == [kept]
        with state.database.transaction() as base:
            assert not base.execute(select(OUTBOX)).all()

    ruled_chat(tmp_path, scenario)


def test_the_word_that_lists_them_is_known_in_every_language() -> None:
    assert all(asks_for_schedules(f" {sentences_of(code)['schedules'].upper()} ") for code in ("en", "he", "ru", "es"))
    assert not asks_for_schedules("schedules of doctors")
