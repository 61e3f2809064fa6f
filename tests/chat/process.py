"""What a process of its own does to the state database: run as `python process.py URL COUNT`, it says what it could take."""

from __future__ import annotations

import sys

from bot.chat.state import State
from bot.chat.types import Asker, Incoming, Place

PLACE = Place("slack", "T1", "C1", "1.0")


def message(number: int) -> Incoming:
    """The message of a number, as any process hears it."""
    return Incoming(PLACE, Asker("U1"), f"question {number}", (f"event {number}", f"ts {number}"))


def main(url: str, count: int) -> None:
    """Prints the numbers of the messages that were taken here, and of the replies that were due here."""
    state = State(url)
    taken = [number for number in range(count) if state.take(message(number), 60.0)]
    print("taken", *taken)
    due: list[str] = []
    while found := state.due("slack", 60.0):
        due += [reply for reply, _ in found]
    print("due", *due)
    state.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
