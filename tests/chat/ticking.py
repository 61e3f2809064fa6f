"""A process that asks what is scheduled: `python -m tests.chat.ticking URL FOLDER` reads moments, a line each, and says how many it answered."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from bot.chat.handler import Handler
from bot.chat.state import State
from tests.chat.world import asked


def main(url: str, folder: Path) -> None:
    """Ticks at each moment that is read."""
    with asked(folder) as asking:
        state = State(url)
        handler = Handler(state, asking)
        print("ready", flush=True)
        for line in sys.stdin:
            print(asyncio.run(handler.tick(float(line))), flush=True)
        handler.close()
        state.close()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
