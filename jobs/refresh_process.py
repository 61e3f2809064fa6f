"""The process that refreshes a table: told on standard input what to do, it tells on standard output, line by line as JSON, what came of it.

In:  {"catalog": the catalog, "store": a folder, "table": a name, "parts": [slices], "nice": how much it gives way to others,
      "accept": whether all is taken that can be read}
Out: {"progress": [stage, done, total]} any number of times, {"refreshed": {...}} for each slice, {"failed": a sentence} where it cannot go on.
It ends when its standard input does: so it does not outlive whoever began it.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import threading
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO, Any

from cache.versions import Store
from engine.catalog import Catalog
from engine.embed import chosen_embedder
from engine.errors import AlmanacError
from engine.refresh import refresh
from engine.refreshed import limits_from_settings
from engine.settings import log_incident, start_logging
from engine.types import Slice


def main() -> None:
    """Reads what to do, and does it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # on a terminal it is meant for whoever began this
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever else is printed is no part of what is told
    lines = os.fdopen(os.dup(0), encoding="utf-8")
    order = json.loads(lines.readline())
    threading.Thread(target=_end_with, args=(lines,), daemon=True).start()
    with suppress(OSError):
        os.nice(order["nice"])
    try:
        start_logging()
        do(order, told)
    except AlmanacError as error:
        _tell(told, failed=str(error))
    except Exception as error:  # noqa: BLE001 - the one place of this process that catches everything
        incident = secrets.token_hex(4)
        log_incident(incident, error)
        _tell(told, failed=f"It failed unexpectedly; the log has the rest under {incident}.")


def do(order: dict[str, Any], told: IO[str]) -> None:
    """Refreshes the slices of a table, one after the other; where one is refused the others are left as they are, too."""
    catalog = Catalog.model_validate(order["catalog"])
    (entry,) = (entry for entry in catalog.tables if entry.name == order["table"])
    store, embedder = Store(Path(order["store"])), chosen_embedder(catalog.access.endpoints)
    limits = replace(limits_from_settings(), accept=order["accept"])
    for part in order["parts"]:
        done = refresh(
            entry.sliced(Slice.model_validate(part)),
            catalog,
            store,
            embedder,
            lambda stage, done, total: _tell(told, progress=[stage, done, total]),
            limits,
        )
        _tell(told, refreshed=asdict(done))
        if done.outcome == "refused":
            return
        limits = replace(limits, most_shrink=1.0)  # what a source may lose was looked at; a slice may lose all its rows


def _tell(told: IO[str], **said: Any) -> None:
    told.write(json.dumps(said) + "\n")
    told.flush()


def _end_with(lines: IO[str]) -> None:
    lines.read()
    os._exit(1)  # at once, wherever the work is: what is half done is never in service


if __name__ == "__main__":
    main()
