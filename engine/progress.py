"""How long work says how far it is."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Told what is being done: a stage, and how much of it."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Called at the start of each stage with done = 0, and as it goes on."""
        ...
