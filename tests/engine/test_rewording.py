"""Questions that only say the same otherwise: never one that would be planned otherwise."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path

import pytest

from engine.answer import bindings
from engine.ask import ask
from engine.embed import default_embedder
from engine.language import language_of
from engine.plan.decide import decide
from engine.remember import Memory
from engine.rewording import reworded, spans_in, wording_of
from engine.types import EVERYTHING, ChatThread, Reply, TablePlan
from tests.engine.conftest import NOW, Asked, Opened

SHOPS = """\
name,type,city,district,status,rooms,remarks
Corner,Pharmacy,Haifa,North,open,3,the clock is slow
The Mill,Clinic,Acre,North,closed,1,
Old Mill,Clinic,Haifa,North,open,7,disable the alarm
Ash,Pharmacy,Acre,South,open,4,enable the alarm
Oak,Laboratory,Haifa,South,closed,2,ask for me
The Orchard,Clinic,Netanya,South,open,9,
Elm,Pharmacy,Netanya,South,closed,5,
"""
CATALOG = '[tables.shops]\nsource = "shops.csv"\nrow = "shop"\n'
EXAMPLE = """
[[examples]]
question = "which clinics are in Haifa?"
plan = {kind = "table", table = "shops", where = [{any_of = [{column = "type", op = "is", values = ["Clinic"]}]}], limit = 1}
"""
BASE = [
    *("pharmacies in Haifa", "clinics in Acre", "open clinics in Haifa", "closed pharmacies", "shops in Netanya", "clinics in the north"),
    *("how many clinics are in Haifa", "clinics not in Haifa", "first 3 shops", "shops with at least 3 rooms", "the Mill", "Old Mill"),
    *("clinics or pharmacies in Acre", "rooms of the Orchard", "which city has the most clinics", "clinics per city", "enable the alarm"),
]
BEFORE = [
    "",
    "which ",
    "what ",
    "show me ",
    "show me the ",
    "please list the ",
    "list ",
    "all ",
    "the ",
    "how many ",
    "what are the ",
    "hi ",
    "find ",
]
BEHIND = ["", "", "?", "!", " please", " please?", " now", " too", " only", " thanks.", " there"]
BETWEEN = ["the", "are", "a", "please", "not", "all", "in", "no", "is", "of", "both", "only", "me"]
OTHERS = {"Haifa": "Acre", "clinics": "pharmacies", "open": "not open", "least": "most", "first": "last", "3": "4", "enable": "disable"}


@pytest.fixture(scope="module")
def shops(opened: Opened) -> Asked:
    return opened(SHOPS, "shops.csv", CATALOG)


def key(text: str, asked: Asked) -> str | None:
    wording = wording_of(text, asked.tables, default_embedder(), NOW)
    return wording.key if wording else None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("which clinics are in Haifa?", "show me the clinics in haifa please"),
        ("pharmacies in Acre", "Pharmacies in acre?"),
        ("how many clinics are in Haifa?", "how many clinics are in haifa please"),
        ("clinics not in Haifa", "clinics not in haifa!"),
        ("what are the pharmacies in Netanya", "please give me the pharmacies in Netanya?"),
    ],
)
def test_the_same_said_otherwise(one: str, other: str, shops: Asked) -> None:
    assert key(one, shops) == key(other, shops) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("enable the alarm", "disable the alarm"),
        ("clinics in Haifa", "clinics in Acre"),
        ("open clinics", "not open clinics"),
        ("clinics that are open", "clinics that are not open"),
        ("shops with at least 3 rooms", "shops with at most 3 rooms"),
        ("shops with at least 3 rooms", "shops with at least 4 rooms"),
        ("first 3 shops", "last 3 shops"),
        ("clinics in Haifa", "how many clinics in Haifa"),
        ("clinics or pharmacies", "clinics and pharmacies"),
        ("clinics in Haifa", "clinics except in Haifa"),
        ("mill", "the mill"),  # there is one named so
        ("rooms 1.5", "rooms 15"),
        ("rooms -3", "rooms 3"),
        ("clinics, Haifa", "clinics Haifa"),
        ("email clinics in Haifa", "show email clinics in Haifa"),  # an order, and a question
    ],
)
def test_what_is_not_the_same(one: str, other: str, shops: Asked) -> None:
    assert key(one, shops) is None or key(one, shops) != key(other, shops)


def test_what_is_quoted_or_asks_for_a_time_is_like_nothing_else(shops: Asked) -> None:
    for question in ('clinics in "Haifa"', "open now", "open on Friday evening", "", "?"):
        assert key(question, shops) is None


def test_the_words_of_a_worked_example_all_count(opened: Opened, tmp_path: Path) -> None:
    taught = opened(SHOPS, "shops.csv", CATALOG + EXAMPLE)
    assert key("which pharmacies are in Acre?", taught) is None
    assert key("show me pharmacies in Acre", taught) is not None
    memory = Memory(tmp_path)
    replies = [said(question, taught, memory) for question in ("show me the clinics in Haifa", "which clinics are in Haifa?")]
    plans = [reply.parts[0].plan for reply in replies]
    assert isinstance(plans[1], TablePlan) and plans[1].limit == 1 and plans[0] != plans[1]


def test_the_receipt_is_in_the_words_of_who_asks(shops: Asked, tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    said("which clinics are in Haifa?", shops, memory)
    other = "show me the CLINICS in haifa please"
    (near,) = said(other, shops, memory).parts
    assert [binding.phrase for binding in near.bindings] == ["CLINICS", "haifa"]
    assert near == said(other, shops, None).parts[0]
    assert said(other, shops, Memory(tmp_path)).parts[0] == near


def said(text: str, asked: Asked, memory: Memory | None) -> Reply:
    return ask(text, ChatThread(), EVERYTHING, tables=asked.tables, embedder=default_embedder(), now=NOW, memory=memory)


def varied(draw: random.Random) -> str:
    words = draw.choice(BASE).split()
    if draw.random() < 0.3:
        words = [OTHERS.get(word, word) for word in words]
    if draw.random() < 0.4:
        words.insert(draw.randrange(len(words)), draw.choice(BETWEEN))
    if draw.random() < 0.2 and len(words) > 2:
        del words[draw.randrange(len(words))]
    text = draw.choice(BEFORE) + " ".join(words) + draw.choice(BEHIND)
    return draw.choice([text, text, text.lower(), text.title(), text.capitalize()])


@pytest.mark.parametrize("seed", range(4))
def test_questions_of_one_wording_have_one_plan(seed: int, shops: Asked) -> None:
    draw, embedder = random.Random(seed), default_embedder()
    alike: dict[tuple[str, str], set[str]] = defaultdict(set)
    for _ in range(600):
        question = varied(draw)
        if (wording := key(question, shops)) is not None:
            alike[language_of(question).code, wording].add(question)
    pairs = 0
    for group in alike.values():
        decided = {text: decide(text, language_of(text), shops.tables, embedder, NOW) for text in sorted(group)[:6] if len(group) > 1}
        for one, first in decided.items():
            wording_of_one = wording_of(one, shops.tables, embedder, NOW)
            assert wording_of_one is not None
            spans = spans_in(wording_of_one, first, bindings(one, first), one) if isinstance(first.plan, TablePlan) else None
            for other, second in decided.items() if spans is not None else ():
                there = wording_of(other, shops.tables, embedder, NOW)
                assert there is not None and spans is not None
                assert second.plan == first.plan, (one, other)
                assert bindings(other, second) == reworded(bindings(one, first), spans, other, there), (one, other)
                assert (second.unused, second.reasons, second.confidence) == (first.unused, first.reasons, first.confidence), (one, other)
                pairs += one != other
    assert pairs > 40
