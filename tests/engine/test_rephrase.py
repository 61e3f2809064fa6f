"""A message of a thread is made whole with what it takes from the asker's own messages before, and with nothing else."""

from __future__ import annotations

import pytest

from engine.embed import default_embedder
from engine.rephrase import rephrase
from engine.types import ChatThread, Question, Turn
from tests.engine.conftest import NOW, Asked


def said(*texts: str) -> tuple[Turn, ...]:
    """The asker's messages; those that begin with "@" are another person's, those with ">" the bot's."""
    kinds = {"@": "other", ">": "bot"}
    return tuple(Turn(who=kinds.get(text[0], "asker"), text=text.lstrip("@>")) for text in texts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("before", "message", "whole"),
    [
        (["providers in Norwick"], "and in Easton?", "providers in Easton"),
        (["providers in Norwick"], "what about Tarnby", "providers in Tarnby"),
        (["cardiology providers in Norwick"], "and in Oxmoor?", "cardiology providers in Oxmoor"),
        (["cardiology providers in Norwick"], "what about dermatology?", "dermatology providers in Norwick"),
        (["providers in Norwick"], "only those who speak Hebrew", "providers in Norwick who speak Hebrew"),
        (["providers in Norwick"], "only those with wheelchair access", "providers in Norwick with wheelchair access"),
        (["providers in Norwick"], "which of them speak Hebrew?", "providers in Norwick who speak Hebrew"),
        (["phone of Dana Levin"], "and of Tomas Berg?", "phone of Tomas Berg"),
        (["providers in Norwick", "and in Easton?"], "only those who speak German", "providers in Easton who speak German"),
        (["providers in Norwick", "and in Easton?"], "and in Oxmoor", "providers in Oxmoor"),
        (["providers in Norwick", "> 3 rows"], "and in Easton?", "providers in Easton"),
        (["providers in Norwick", "@providers in Tarnby"], "only those who speak English", "providers in Norwick who speak English"),
    ],
)
def test_a_message_that_goes_on(providers: Asked, before: list[str], message: str, whole: str) -> None:
    assert providers.ids(message, *said(*before)) == providers.ids(whole) != []


@pytest.mark.parametrize(
    ("before", "count"),
    [
        ("providers in Norwick", 3),
        ("which providers are in Tarnby?", 4),
    ],
)
def test_how_many_are_there(providers: Asked, before: str, count: int) -> None:
    assert providers.figure("how many are there?", *said(before)) == count


@pytest.mark.parametrize("message", ["dermatology providers in Tarnby", "the phone of Tomas Berg", "how many providers per city"])
def test_a_message_that_stands_alone_takes_nothing(providers: Asked, message: str) -> None:
    alone, after = providers(message), providers(message, *said("cardiology providers in Norwick", "only those who speak Hebrew"))
    assert (after.plan, after.question) == (alone.plan, message)


def test_what_others_and_the_bot_said_is_no_part_of_the_question(providers: Asked) -> None:
    turns = said("@providers in Tarnby", "> There are 4 providers in Tarnby who speak Swedish.")
    assert providers.ids("and in Oxmoor?", *turns) == providers.ids("providers in Oxmoor")
    assert providers("only those who speak German", *turns).plan == providers("only those who speak German").plan


def test_what_was_carried_over_is_told(providers: Asked) -> None:
    def whole(text: str, *turns: Turn) -> Question:
        return rephrase(text, ChatThread(turns=turns), providers.tables, default_embedder(), NOW)

    followed = whole("and in Oxmoor?", *said("cardiology providers in Norwick"))
    assert "Oxmoor" in followed.text and "Norwick" not in followed.text
    assert any("cardiology" in phrase for phrase in followed.carried)
    assert whole("providers in Oxmoor") == Question(text="providers in Oxmoor", language="en")


def test_a_long_thread_counts_from_its_end(providers: Asked) -> None:
    cities = ["Easton", "Tarnby", "Felham", "Oxmoor"] * 10
    turns = said("providers in Norwick", *(f"and in {city}?" for city in cities))
    assert providers.ids("only those who speak Swedish", *turns) == providers.ids("providers in Oxmoor who speak Swedish")
