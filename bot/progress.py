"""How far a long piece of work is, on standard error, for a person who watches; nothing is imported until there is something to say."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any


class ProgressBar:
    """A context in which `report(stage, done, total)` moves a bar; on anything but a terminal it says nothing."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._task: Any = None
        self._watched = sys.stderr is not None and sys.stderr.isatty()

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()

    def report(self, stage: str, done: int, total: int) -> None:
        """Shows how many of how many are done; a total of 0 or 1 tells nothing of how far it is."""
        if not self._watched:
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

            columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task(stage, total=None)
        self._bar.update(self._task, description=stage, completed=done, total=total if total > 1 else None)
