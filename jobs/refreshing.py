"""Refreshes a table in a process of its own, which gives way to others, and which ends with this one."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from cache.versions import Store
from engine.catalog import Catalog
from engine.errors import BuildError
from engine.progress import Progress
from engine.refreshed import Refreshed
from engine.types import Slice
from jobs.job import StoppedError

NICE: Final = 10
MOST_SECONDS: Final = 2 * 3600.0
_ROOT: Final = str(Path(__file__).resolve().parent.parent)
# by our own path and no other: whatever lies in the current folder is not ours
_BEGIN: Final = "import sys; sys.path.insert(0, sys.argv.pop(1)); from jobs.refresh_process import main; main()"


def refresh_apart(
    catalog: Catalog,
    store: Store,
    table: str,
    parts: Sequence[Slice],
    *,
    progress: Progress | None = None,
    stopping: threading.Event | None = None,
    nice: int = NICE,
    accept: bool = False,
    seconds: float = MOST_SECONDS,
) -> Refreshed:
    """What came of refreshing the slices of a table together, the first of which tells how many rows there are.

    accept: whatever can be read is taken.
    stopping: when it is set the process is ended, and StoppedError raised. Raises BuildError where the process fails, ends or takes too long;
    what was in service stays.
    """
    order = {
        "catalog": catalog.model_dump(mode="json"),
        "store": str(store.root),
        "table": table,
        "parts": [part.model_dump(mode="json") for part in parts],
        "nice": nice,
        "accept": accept,
    }
    stopping = stopping or threading.Event()
    late = threading.Event()
    command = [sys.executable, "-P", "-c", _BEGIN, _ROOT]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        threading.Thread(target=_watch, args=(process, stopping, late, seconds), daemon=True).start()
        try:
            done, failed = _heard(process, order, progress)
        finally:
            process.kill()
            with suppress(BrokenPipeError):  # it was ended before it read what to do
                process.stdin.close()  # type: ignore[union-attr]
    if stopping.is_set() and failed is None and len(done) < len(parts):
        raise StoppedError
    if late.is_set():
        raise BuildError(
            f'The refresh of the table "{table}" took longer than {seconds:,.0f} seconds and was ended; what was in service stays.'
        )
    if failed is not None:
        raise BuildError(failed)
    if not done or (len(done) < len(parts) and done[-1].outcome != "refused"):
        raise BuildError(f'The process that refreshed the table "{table}" was ended from outside; what was in service stays.')
    return _together(done)


def _heard(process: subprocess.Popen[str], order: dict[str, Any], progress: Progress | None) -> tuple[list[Refreshed], str | None]:
    """What the process tells until it ends: of each slice, and why it could not go on."""
    assert process.stdin is not None and process.stdout is not None
    done: list[Refreshed] = []
    try:
        process.stdin.write(json.dumps(order) + "\n")
        process.stdin.flush()
    except BrokenPipeError:
        return done, None
    for line in process.stdout:
        said = json.loads(line)
        if "progress" in said and progress is not None:
            progress(*said["progress"])
        if "refreshed" in said:
            done.append(Refreshed(**{**said["refreshed"], "told": tuple(said["refreshed"]["told"])}))
        if "failed" in said:
            return done, str(said["failed"])
    return done, None


def _watch(process: subprocess.Popen[str], stopping: threading.Event, late: threading.Event, seconds: float) -> None:
    """Ends the process when it is time to."""
    end = time.monotonic() + seconds
    while process.poll() is None:
        if stopping.wait(0.2):
            process.kill()
        elif time.monotonic() > end:
            late.set()
            process.kill()


def _together(done: Sequence[Refreshed]) -> Refreshed:
    """Of all slices as one: refused where one is, new where one is."""
    rank = ("same", "new", "refused")
    worst = max(done, key=lambda one: rank.index(one.outcome))
    first = replace(done[0], outcome=worst.outcome, reason=worst.reason)
    told = tuple(dict.fromkeys(sentence for one in done for sentence in one.told))
    return replace(first, told=told, embedded=sum(one.embedded for one in done), seconds=round(sum(one.seconds for one in done), 3))
