"""Tables refreshed from the command line, at once and in the foreground, and what came of it."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, TextIO

from bot.chat.alerts import post_alert
from bot.chat.settings import state_url
from bot.chat.state import State
from bot.escape import one_line
from cache.versions import Store
from engine.catalog import Catalog
from engine.embed import chosen_embedder
from engine.errors import AlmanacError, UsageError
from engine.library import Library
from engine.progress import Progress
from engine.refreshed import Refreshed
from engine.rights import Rights
from engine.settings import data_folder, printable
from jobs.alert import Alert
from jobs.fresh import Fresh
from jobs.scheduler import Scheduler

Found = dict[str, Any]


def refresh_tables(catalog: Catalog, name: str | None, progress: Progress, *, accept: bool = False) -> list[Found]:
    """What came of refreshing each table, or the named one; one that another process is refreshing is waited for. Raises UsageError.

    accept: whatever can be read is taken, whatever is missing in it.
    """
    names = [entry.name for entry in catalog.tables]
    if name is not None and name not in names:
        near = difflib.get_close_matches(name, names, 1)
        right = f'did you mean "{printable(near[0])}"?' if near else "it has " + ", ".join(f'"{printable(known)}"' for known in names) + "."
        raise UsageError(f'The catalog has no table "{printable(name)}"; {right}')
    state = State(state_url())
    library = Library(catalog, Store(data_folder()), chosen_embedder(catalog.access.endpoints), only_built=True)
    try:
        scheduler = Scheduler(state.database)
        scopes = list(Rights(catalog).likely())

        def tell(alert: Alert) -> None:
            post_alert(state, alert)

        fresh = Fresh(library, scheduler.ledger, scopes, tell, progress=progress, nice=0, accept=accept)
        found = []
        for job in fresh.jobs():
            if name not in (None, job.title):
                continue
            try:
                done = scheduler.run_now(job, lambda: progress("waiting for another refresh", 0, 1))
            except AlmanacError as error:
                done = asdict(Refreshed("refused", job.title, reason=str(error))) | {"outcome": "failed"}
            found.append(dict(done or {}))
        return found
    finally:
        library.close()
        state.close()


def print_refreshed(refreshed: Sequence[Found], out: TextIO) -> None:
    """A line for each table, and one for each sentence that its refresh tells."""
    for one in refreshed:
        out.write(one_line(f"{one['table']}: {outcome_text(one)}") + "\n")
        out.writelines(one_line(f"  {sentence}") + "\n" for sentence in one["told"])


def outcome_text(one: Found) -> str:
    """What came of a refresh, in a line."""
    if one["outcome"] == "failed":
        return f"failed. {one['reason']}"
    if one["outcome"] == "refused":
        return f"refused, version {one['version'] or 'none'} stays. {one['reason']}"
    if one["outcome"] == "same":
        return f"the same as before, version {one['version']}, read {one['read_at']}, {one['seconds']:.1f} s"
    changes = ", ".join(f"{one[what]:,} {what}" for what in ("added", "changed", "removed"))
    return f"new version {one['version']}, {one['rows']:,} rows ({changes}), {one['embedded']:,} texts embedded, {one['seconds']:.1f} s"
