"""A model in a chat: asked only where it is needed, in threads of its own, within what it may cost, and told for what it is."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("instructor", reason='the extra "model" is not installed')

from bot.answering import planner_of
from bot.chat.asking import Asking, asking_of
from bot.chat.audit import Audit, Entry
from bot.chat.handler import BESIDE_MODEL, DEADLINE, Handler
from bot.chat.limits import Limits
from bot.chat.rows import file_of
from bot.chat.sentences import say
from bot.chat.settings import LimitSettings
from bot.chat.state import State
from bot.chat.terminal import to_lines
from bot.chat.types import Asker, Incoming, Place, Press, Shown
from bot.slack.render import to_blocks
from bot.teams.card import to_card
from cache.versions import Store
from engine.catalog import load_catalog
from engine.embed import default_embedder
from engine.language import language as language_named
from engine.library import Library
from engine.types import EVERYTHING, ChatThread, Reply, Scope
from tests.chat.world import ACRE, HAIFA, write
from tests.model.replies import Said, internal, no_json
from tests.model.standin import Endpoint, serving
from tests.slack.blocks_check import texts_of
from tests.teams.card_check import texts

PLACE = Place("slack", "T1", "C1", "1.0")
ANN = Asker("U-ann", "Ann")
ODD = "who mends hearts in Haifa?"  # which no rule of ours reads
HEARTS = 12  # cardiologists in Haifa


def test_of(words: str, column: str, value: str) -> dict[str, Any]:
    return {"words": words, "column": column, "op": "is", "values": [value]}


test_of.__test__ = False  # type: ignore[attr-defined]


def rows(*conditions: dict[str, Any]) -> Said:
    asked = {"kind": "rows", "conditions": conditions, "match": "all", "columns": [], "distinct": False, "sort": [], "limit": None}
    return Said({"action": {**asked, "unused": []}})


PLANNED = rows(test_of("mends hearts", "specialty", "Cardiology"), test_of("Haifa", "city", "Haifa"))
BEYOND = Said({"action": {"kind": "beyond", "why": "two columns"}})
SELECT = "SELECT name, phone FROM doctors WHERE specialty = 'Cardiology' AND city = 'Haifa' AND name NOT LIKE '```<!channel>%'"
SELECTED = Said({"action": {"kind": "sql", "sql": SELECT, "unused": []}})


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("world")
    made = Library(load_catalog(write(folder)), Store(folder / "store"), default_embedder())
    yield made
    made.close()


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that a test before this one asked is remembered; a million tokens cost a million."""
    for name, value in {"ALMANAC_CACHE": "off", "ALMANAC_MODEL": "small", "ALMANAC_MODEL_PRICE": "1000000 1000000"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("ALMANAC_PLANNER", raising=False)


@contextmanager
def asking_at(library: Library, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, kind: str = "auto") -> Iterator[Asking]:
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.address)
    monkeypatch.setenv("OPENAI_API_KEY", endpoint.key or "")
    yield asking_of(library, EVERYTHING, planner_of(library.catalog, kind))  # type: ignore[arg-type]


def asked(
    asking: Asking, *said: str, spend: float = 0.0, before: tuple[Entry, ...] = (), press: str = "", together: bool = False
) -> tuple[list[Shown], list[Entry]]:
    """What is shown for messages, each in a thread of its own or all together, and for a press on the last of these; and what the audit has of them."""

    async def scenario() -> tuple[list[Shown], list[Entry]]:
        state = State("sqlite://")
        for entry in before:
            Audit(state).write(entry)
        handler = Handler(state, asking, limits=Limits(state, LimitSettings(spend=spend)))
        try:
            shown = []
            for number, text in enumerate(said):
                one = await handler.ask(Incoming(PLACE if together else replace(PLACE, thread=f"{number}"), ANN, text, (f"e{number}",)))
                assert one is not None
                shown.append(one)
            if press:
                value = next(button.value for button in shown[-1].buttons if button.action == press)
                one = await handler.press(Press(PLACE, ANN, value))
                assert one is not None
                shown.append(one)
            return shown, list(Audit(state).read())[len(before) :]
        finally:
            handler.close()
            state.close()

    return asyncio.run(asyncio.wait_for(scenario(), 60))


def test_a_model_is_asked_only_where_it_is_needed_and_the_audit_tells_what_it_cost(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(PLANNED) as endpoint, asking_at(library, endpoint, monkeypatch) as asking:
        (plain, odd), entries = asked(asking, "which doctors are in Acre?", ODD)
    assert endpoint.calls == 1
    assert (plain.reply.planner, plain.reply.parts[0].result.total) == ("offline", ACRE)  # type: ignore[union-attr]
    assert (odd.reply.planner, odd.reply.parts[0].result.total) == ("model", HEARTS)  # type: ignore[union-attr]
    assert [(entry.planner, entry.spend > 0) for entry in entries] == [("offline", False), ("model", True)]
    assert entries[1].spend == odd.reply.spent.cost == pytest.approx(odd.reply.spent.tokens)


def test_what_is_pressed_is_not_paid_for_again_and_keeps_its_planner(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(PLANNED) as endpoint, asking_at(library, endpoint, monkeypatch) as asking:
        (_, page), entries = asked(asking, ODD, press="page")
        (_, how), more = asked(asking, ODD, press="how")
    assert page.page == 2 and page.reply.planner == "model"
    assert [(entry.action, entry.planner, entry.spend > 0) for entry in entries] == [("ask", "model", True), ("page", "model", False)]
    assert [entry.spend > 0 for entry in more] == [True, False]
    assert endpoint.calls == 2
    assert "Planned by a language model; the rows come from the data alone" in how.lines


def test_what_may_be_spent_is_spent_and_questions_go_on_without_a_model(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (Entry("ask", PLACE.platform, PLACE.workspace, spend=2.0),)
    with serving(PLANNED) as endpoint, asking_at(library, endpoint, monkeypatch) as asking:
        (plain, odd), entries = asked(asking, "which doctors are in Acre?", ODD, spend=2.0, before=before)
        assert endpoint.calls == 0
        (hebrew,), _ = asked(asking, "מי מתקן לבבות בחיפה?", spend=2.0, before=before)
        (other,), _ = asked(asking, ODD, spend=2.5, before=before)
    assert [entry.action for entry in entries] == ["ask", "ask"], "nothing is refused"
    assert (plain.reply.parts[0].result.total, plain.reply.parts[0].notes) == (ACRE, ())  # type: ignore[union-attr]
    assert odd.reply.planner == "offline" and odd.reply.parts[0].notes == (say("en", "limit_spend"),)
    assert say("en", "limit_spend") in to_lines(odd)
    assert hebrew.reply.parts[0].notes == (say("he", "limit_spend"),)
    assert other.reply.planner == "model", "there was something left"


def test_what_one_question_costs_is_missing_to_the_next(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(PLANNED) as endpoint, asking_at(library, endpoint, monkeypatch) as asking:
        shown, _ = asked(asking, ODD, "who mends hearts in Haifa please?", spend=1.0)
    assert [one.reply.planner for one in shown] == ["model", "offline"]
    assert endpoint.calls == 1


@pytest.mark.parametrize(("text", "code"), [(ODD, "en"), ("מי מתקן לבבות בחיפה?", "he"), ("кто чинит сердца в Хайфе?", "ru")])
def test_that_no_model_could_be_reached_is_said_wherever_an_answer_is(
    library: Library, monkeypatch: pytest.MonkeyPatch, text: str, code: str
) -> None:
    monkeypatch.setattr("engine.model._WAITS", ())
    with serving(internal()) as endpoint, asking_at(library, endpoint, monkeypatch) as asking:
        (shown,), _ = asked(asking, text)
    note = language_named(code).sentences["without_model"]
    assert shown.reply.parts[0].notes == (note,)
    assert note in to_lines(shown)
    assert any(note in text for text in texts_of(to_blocks(shown)))
    assert note in texts(to_card(shown))
    assert endpoint.root.removeprefix("http://") not in str([to_lines(shown), to_blocks(shown), to_card(shown)])


def test_a_question_that_a_model_made_whole_is_shown(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = "who mends hearts in Haifa?"
    rephrased = Said({"follows_on": True, "question": whole, "carried": ["mends hearts"]})
    planned_in_acre = rows(test_of("mends hearts", "specialty", "Cardiology"), test_of("Acre", "city", "Acre"))
    script = [planned_in_acre, rephrased, PLANNED]
    with serving(script) as endpoint, asking_at(library, endpoint, monkeypatch) as asking:
        (_, shown), _ = asked(asking, "who mends hearts in Acre?", "hm, the Haifa crowd then?", together=True)
    assert endpoint.calls == 3
    assert shown.carried == (whole,)
    assert say("en", "understood", question=whole) in to_lines(shown)


def test_a_select_is_shown_audited_paged_and_saved(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def play(call: Any) -> Said:
        return SELECTED if "one SELECT" in call.prompt else BEYOND

    with serving(play) as endpoint, asking_at(library, endpoint, monkeypatch, "model") as asking:
        asking = replace(asking, audit_rows="doctors".__eq__)
        (first, page), entries = asked(asking, ODD, press="page")
        (_, how), _ = asked(asking, ODD, press="how")
        (_, receipt), _ = asked(asking, ODD, press="receipt")
        (_, file), _ = asked(asking, ODD, press="file")
    assert first.reply.parts[0].result is not None and first.reply.parts[0].result.total == HEARTS
    assert len(page.rows()) == HEARTS - 10
    assert [entry.tables for entry in entries] == [("doctors",), ("doctors",)]
    assert set(entries[0].columns) == {f"doctors.{name}" for name in ("name", "phone", "specialty", "city")}
    assert [len((entry.row_ids or {})["doctors"]) for entry in entries] == [10, HEARTS - 10]
    assert entries[0].plan[0] == {"kind": "sql", "sql": SELECT}
    assert how.code == SELECT and any("%" in line for line in how.lines)
    assert all("<!channel>" not in text and text.count("```") <= 2 for text in texts_of(to_blocks(how)))
    assert receipt.menus == ()
    name, content = file_of(first.reply, "csv")
    assert name.endswith(".csv") and content.count(b"\n") == HEARTS + 1
    assert file.view == "file" and f"{HEARTS}" in file.lines[0]


def test_a_question_that_could_not_be_planned_is_a_failure_with_nothing_to_press(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    nonsense = rows(test_of("mends hearts", "specialty", "Astrology"))
    with serving(nonsense) as endpoint, asking_at(library, endpoint, monkeypatch, "model") as asking:
        (shown,), entries = asked(asking, ODD)
    assert endpoint.calls == 3
    assert shown.reply.kind == "failure" and shown.view == "notice"
    assert shown.buttons == shown.menus == ()
    assert shown.lines == (language_named("en").sentences["plan_failed"],)
    assert [(entry.kind, entry.planner, entry.spend > 0) for entry in entries] == [("failure", "model", True)]
    assert "Astrology" not in str([to_lines(shown), to_blocks(shown), to_card(shown)]), "what was tried is for the model"


def test_doubt_is_said_in_the_answer(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    partly = rows(test_of("Haifa", "city", "Haifa"))  # "mends hearts" is used by nothing, three times
    with serving(partly) as endpoint, asking_at(library, endpoint, monkeypatch, "model") as asking:
        (shown,), _ = asked(asking, "merry doctors in Haifa")
    assert endpoint.calls == 3
    assert shown.reply.parts[0].result is not None and shown.reply.parts[0].result.total == HAIFA
    assert any(line.startswith("This may not be what you meant") for line in to_lines(shown))


def test_questions_that_wait_for_a_model_let_the_others_pass(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    release, waiting = threading.Event(), threading.Semaphore(0)

    def slow(call: Any) -> Said:
        return PLANNED

    with serving(slow) as endpoint, asking_at(library, endpoint, monkeypatch) as asking:

        def answer(text: str, thread: ChatThread, scope: Scope) -> Reply:
            waiting.release()
            assert release.wait(30)
            return asking.answer(text, thread, scope)

        async def scenario() -> None:
            state = State("sqlite://")
            handler = Handler(state, replace(asking, answer=answer), threads=2)
            try:
                held = [
                    asyncio.create_task(handler.ask(Incoming(replace(PLACE, thread=f"m{number}"), ANN, ODD, (f"m{number}",))))
                    for number in range(6)
                ]
                for _ in range(2):
                    assert await asyncio.to_thread(waiting.acquire, timeout=20)
                plain = [
                    await handler.ask(Incoming(replace(PLACE, thread=f"p{number}"), ANN, "which doctors are in Acre?", (f"p{number}",)))
                    for number in range(3)
                ]
                assert not any(task.done() for task in held)
                assert not waiting.acquire(blocking=False), "no more than two ask a model at once"
                release.set()
                assert [one.reply.planner for one in plain if one] == ["offline"] * 3
                assert [one.reply.planner for one in await asyncio.gather(*held) if one] == ["model"] * 6
            finally:
                release.set()
                handler.close()
                state.close()

        asyncio.run(asyncio.wait_for(scenario(), 60))


def test_a_reply_is_waited_for_as_long_as_a_model_may_take(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = {"5": DEADLINE, "20": DEADLINE, "90": 90 + BESIDE_MODEL}
    found = {}
    with serving(no_json()) as endpoint:
        for given in seconds:
            monkeypatch.setenv("ALMANAC_MODEL_SECONDS", given)
            with asking_at(library, endpoint, monkeypatch) as asking:
                state = State("sqlite://")
                handler = Handler(state, asking)
                found[given] = handler._desk.deadline
                handler.close()
                state.close()
    assert found == seconds
