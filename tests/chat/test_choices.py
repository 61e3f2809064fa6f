"""What someone means by a phrase is remembered for them, and for nobody else."""

from __future__ import annotations

from bot.chat.state import State
from bot.chat.types import Asker, Place
from engine.types import Chosen

PLACE = Place("slack", "T1", "C1", "1.0", False)


def test_the_latest_choice_counts_and_is_its_persons_alone() -> None:
    state = State("sqlite://")
    anna, ben = Asker("U1", "Anna", ""), Asker("U2", "Ben", "")
    state.choose(PLACE, anna, Chosen(phrase="Ash", column="maker", term="Ash"))
    state.choose(PLACE, anna, Chosen(phrase="ash", column="town", term="Ash"))
    assert state.chosen(PLACE, anna) == (Chosen(phrase="ash", column="town", term="Ash"),)
    assert state.chosen(PLACE, ben) == ()
    assert state.forget(-1) >= 1
    assert state.chosen(PLACE, anna) == ()
    state.close()
