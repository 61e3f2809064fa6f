"""How fresh the tables are, what came of their last refresh, when the next is due; and the other jobs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final, TextIO

from bot.chat.state import State
from bot.escape import one_line
from cache.folders import safe_name
from cache.versions import Store
from engine.built import built_tables
from engine.catalog import Catalog, TableEntry
from engine.settings import data_folder
from engine.tables import source_key
from jobs.fresh import job_id
from jobs.ledger import Ledger, Standing
from jobs.scheduler import LEASE

Found = dict[str, Any]
_FAR: Final = 253_000_000_000.0  # seconds since 1970, in the year 9987: what is never due
_LAST: Final = ("outcome", "added", "changed", "removed", "embedded", "seconds", "told")


def status(catalog: Catalog, state: State) -> Found:
    """Each table of the catalog and each job that refreshes none, as the command's JSON has it; nothing is refreshed."""
    ledger = Ledger(state.database)
    standing = {one.id: one for one in ledger.standing()}
    troubles = ledger.troubles()
    store = Store(data_folder())
    built = {one.folder: one for one in built_tables(store)}
    tables = []
    for entry in catalog.tables:
        whole = built.get(safe_name(source_key(entry)))
        name = job_id(entry, store.root)
        job, trouble = standing.get(name), troubles.get(name)
        last = job.result if job is not None and isinstance(job.result, dict) else {}
        tables.append(
            {
                "table": entry.name,
                "version": whole.version if whole else str(last.get("version", "")),
                "rows": whole.rows if whole else last.get("rows"),
                "read_at": whole.built_at if whole else str(last.get("read_at", "")),
                "refresh": _rhythm(entry),
                "last": {key: last.get(key) for key in _LAST} if last else None,
                **_times(job),
                "stale_since": _moment(trouble[0]) if trouble else None,
                "reason": trouble[1] if trouble else "",
            }
        )
    others = [one for one in standing.values() if not one.id.startswith("refresh:")]
    return {"tables": tables, "jobs": [{"id": one.id, "title": one.title, "rhythm": one.rhythm, **_times(one)} for one in others]}


def print_status(found: Found, out: TextIO) -> None:
    """A line for each table and each job."""
    busy = any(one["running"] for one in [*found["tables"], *found["jobs"]])
    for one in found["tables"]:
        said = [f"version {one['version']}" if one["version"] else "not built"]
        said += [f"{one['rows']:,} rows"] if one["rows"] is not None and one["version"] else []
        said += [f"read {one['read_at']}"] if one["read_at"] else []
        if (last := one["last"]) and last["outcome"] == "new":
            numbers = ", ".join(f"{last[what]:,} {what}" for what in ("added", "changed", "removed"))
            said.append(f"last refresh: {numbers}, {last['embedded']:,} texts embedded, {last['seconds']:.1f} s")
        elif last:
            said.append(f"last refresh: {'refused' if last['outcome'] == 'refused' else 'nothing new'}, {last['seconds']:.1f} s")
        out.write(one_line(", ".join([f"{one['table']}: {said[0]}", *said[1:], *_times_text(one, busy, f"refreshed: {one['refresh']}")])))
        out.write(one_line(f"; stale since {one['stale_since']}: {one['reason']}") if one["stale_since"] else "")
        out.write("\n")
    for one in found["jobs"]:
        out.write(one_line(", ".join([f"job {one['title']}: {one['rhythm']}", *_times_text(one, busy)])) + "\n")


def _times(job: Standing | None) -> Found:
    if job is None:
        return {"running": False, "last_run": None, "next_run": None, "outcome": "", "failure": "", "failures": 0}
    return {
        "running": job.running,
        "last_run": _moment(job.finished),
        "next_run": _moment(job.due),
        "outcome": job.outcome,
        "failure": job.failure,
        "failures": job.failures,
    }


def _times_text(one: Found, busy: bool, never: str = "") -> list[str]:
    said = [f"last run {one['last_run']}"] if one["last_run"] else []
    said += [f"failed {one['failures']} times in a row: {one['failure']}"] if one["failures"] else []
    if one["running"]:
        return [*said, "running now"]
    if one["next_run"] is None:
        return [*said, never] if never else said
    late = (datetime.now(UTC) - datetime.fromisoformat(one["next_run"])).total_seconds()
    if late <= 0:
        return [*said, f"next run {one['next_run']}"]
    return [*said, f"due since {one['next_run']}" + ("" if busy or late < LEASE else ", as no process does the jobs")]


def _moment(seconds: float) -> str | None:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds") if 0 < seconds < _FAR else None


def _rhythm(entry: TableEntry) -> str:
    return entry.refresh or f"{entry.rhythm.seconds / 60:g} minutes"
