"""Limits: how much may be asked and taken away, by whom, over processes, and what is said to whoever has had enough."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from sqlalchemy import func, select

from bot.chat.audit import Audit, Entry
from bot.chat.limits import DAY, MINUTE, Limits
from bot.chat.settings import LimitSettings, limit_settings
from bot.chat.state import State
from bot.chat.tables import USED
from bot.chat.types import Asker
from engine.errors import UsageError
from tests.chat.process import PLACE
from tests.chat.test_state import Clock, clock, state, url  # noqa: F401 - fixtures
from tests.engine.read.test_database import postgres  # noqa: F401 - a fixture

ANN, BEN = Asker("U-ann"), Asker("U-ben")
ELSEWHERE = replace(PLACE, workspace="T2")
NAMES = ("ALMANAC_QUESTIONS_A_MINUTE", "ALMANAC_WORKSPACE_QUESTIONS_A_MINUTE", "ALMANAC_ROWS_EXPORTED_A_DAY", "ALMANAC_MODEL_SPEND_A_DAY")


def key(limits: Limits, asker: Asker = ANN, place: object = PLACE) -> str:
    """What a question is refused for; empty where it is not."""
    refused = limits.refuses_question(place, asker)  # type: ignore[arg-type]
    return refused.key if refused else ""


def test_a_person_asks_so_often_in_a_minute_and_others_as_often(state: State, clock: Clock) -> None:  # noqa: F811
    limits = Limits(state, LimitSettings(questions=3))
    assert [key(limits) for _ in range(5)] == ["", "", "", "limit_person", "limit_person"]
    assert key(limits, BEN) == ""
    assert key(limits, ANN, ELSEWHERE) == ""
    clock.now += MINUTE - 1
    assert key(limits) == "limit_person"
    clock.now += 1
    assert [key(limits) for _ in range(4)] == ["", "", "", "limit_person"], "what was refused was not counted"


def test_a_workspace_asks_so_often_together(state: State) -> None:  # noqa: F811
    limits = Limits(state, LimitSettings(questions=10, workspace_questions=4))
    askers = [Asker(f"U{number}") for number in range(6)]
    assert [key(limits, asker) for asker in askers] == [""] * 4 + ["limit_workspace"] * 2
    assert key(limits, ANN, ELSEWHERE) == ""


def test_many_at_once_over_two_processes_do_not_slip_through(state: State, url: str) -> None:  # noqa: F811
    other = State(url, state.database.clock)
    both = [Limits(one, LimitSettings(questions=7)) for one in (state, other)]
    with ThreadPoolExecutor(8) as threads:
        refused = list(threads.map(lambda number: key(both[number % 2]), range(40)))
    other.close()
    assert refused.count("") == 7


def test_rows_are_taken_away_so_many_in_a_day(state: State, clock: Clock) -> None:  # noqa: F811
    limits = Limits(state, LimitSettings(rows=1000))
    assert limits.refuses_export(PLACE, ANN, 600) is None
    refused = limits.refuses_export(PLACE, ANN, 401)
    assert refused is not None
    for language in ("en", "he", "ru", "es"):
        assert all(figure in refused.sentence(language) for figure in ("1,000", "600", "401"))
    assert limits.refuses_export(PLACE, BEN, 1000) is None
    assert limits.refuses_export(PLACE, ANN, 400) is None
    clock.now += DAY - 1
    assert limits.refuses_export(PLACE, ANN, 1) is not None
    clock.now += 1
    assert limits.refuses_export(PLACE, ANN, 1000) is None
    assert key(Limits(state, LimitSettings(questions=1))) == "", "rows are no questions"


def test_what_models_cost_is_taken_from_the_audit(state: State, clock: Clock) -> None:  # noqa: F811
    limits = Limits(state, LimitSettings(spend=1.0))
    audit = Audit(state)
    for spend in (0.5, 0.49):
        audit.write(Entry("ask", "slack", PLACE.workspace, asker="U-ben", spend=spend))
    audit.write(Entry("ask", "slack", "T2", spend=5.0))
    assert not limits.models_spent(PLACE)
    audit.write(Entry("ask", "slack", PLACE.workspace, spend=0.01))
    assert limits.models_spent(PLACE)
    assert key(limits) == "", "questions are not refused for it"
    assert not Limits(state, LimitSettings()).models_spent(PLACE), "without a limit"
    clock.now += DAY
    assert not limits.models_spent(PLACE)


def test_no_limit_counts_nothing(state: State) -> None:  # noqa: F811
    limits = Limits(state, LimitSettings())
    assert [key(limits) for _ in range(100)] == [""] * 100
    assert limits.refuses_export(PLACE, ANN, 10**9) is None
    assert counted(state) == 0


def test_what_counts_no_more_is_not_kept(state: State, clock: Clock) -> None:  # noqa: F811
    limits = Limits(state, LimitSettings(questions=3, rows=10))
    for _ in range(20):
        assert key(limits) == ""
        clock.now += MINUTE
    assert counted(state) == 1
    assert limits.refuses_export(PLACE, ANN, 10) is None
    clock.now += 40 * DAY
    state.forget(30)
    assert counted(state) == 0


def counted(state: State) -> int:  # noqa: F811
    with state.database.transaction() as base:
        return int(base.execute(select(func.count()).select_from(USED)).scalar_one())


def test_the_settings_have_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    assert limit_settings() == LimitSettings(30, 1000, 200_000, 0.0)
    for name in NAMES:
        monkeypatch.setenv(name, "0")
    assert limit_settings() == LimitSettings()
    monkeypatch.setenv("ALMANAC_MODEL_SPEND_A_DAY", "7.50")
    assert limit_settings().spend == 7.5


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", ["many", "-1", "nan", "inf", "1e99"])
def test_a_setting_that_is_no_limit_is_told(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match=name):
        limit_settings()


def test_half_a_question_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALMANAC_QUESTIONS_A_MINUTE", "2.5")
    with pytest.raises(UsageError, match="a whole number"):
        limit_settings()
