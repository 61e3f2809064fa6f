"""Commands about what is kept: the audit, the erasure of a person, and the cache."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.commands.common import FAILED, PATH, chosen_catalog, print_json, speak_utf8, with_tables
from bot.say import say
from engine.errors import UsageError

if TYPE_CHECKING:
    from bot.chat.state import State


@click.command()
@click.option("--since", metavar="DATE", help="No entry before this day, or moment: 2026-11-30, 2026-11-30T12:00 (UTC).")
@click.option("--until", metavar="DATE", help="No entry after this day, or from this moment on.")
@click.option("--asker", default="", metavar="ID", help="One person's entries: the platform's id, or the e-mail.")
@click.option("--json", "as_json", is_flag=True, help="Each entry as a JSON object on a line of its own, on standard output.")
@click.option("--save", "save", type=PATH, metavar="FILE.csv", help="Save the entries as FILE.csv, and print none.")
@click.option("--overwrite", is_flag=True, help="Let --save replace a file that is there.")
def audit(since: str | None, until: str | None, asker: str, as_json: bool, save: Path | None, overwrite: bool) -> None:
    """Tell who asked for what in the chats, oldest first."""
    from bot.audit import checked_csv, moment, print_entries, save_entries

    if as_json and save is not None:
        raise UsageError("--json prints the entries and --save writes them to a file; leave one out.")
    first, last = moment("--since", since), moment("--until", until, end=True)
    if save is not None:
        checked_csv(save, overwrite=overwrite)
    from bot.chat.audit import Audit

    with _state() as state:
        entries = Audit(state).read(first, last, asker.strip())
        if save is not None:
            say(f'Saved {save_entries(entries, save):,} entries as "{save}".')
        else:
            if as_json:
                speak_utf8()
            print_entries(entries, sys.stdout, as_json=as_json)


@click.command()
@click.argument("person")
@click.option("--yes", "sure", is_flag=True, help="Do not ask whether it is meant.")
@click.option("--with-audit", is_flag=True, help="Erase the entries of the audit as well, which else stay until their time.")
def erase(person: str, sure: bool, with_audit: bool) -> None:
    """Erase the conversations of PERSON: the platform's id, or the e-mail."""
    whom = person.strip()
    if not whom:
        raise UsageError("Nobody is named; give the platform's id of a person, or the e-mail.")
    if not sure:
        if not sys.stdin.isatty():
            raise UsageError("What is erased cannot be had back; say --yes where nobody can be asked.")
        from bot.escape import one_line

        what = "conversations and audit entries" if with_audit else "conversations"
        click.confirm(f'Erase the {what} of "{one_line(whom)}"? They cannot be had back.', abort=True, err=True)
    from bot.chat.erase import erase as erase_person

    with _state() as state:
        erased = erase_person(state, whom, with_audit=with_audit)
    for what, number in asdict(erased).items():
        click.echo(f"{what}: {number:,}")


@contextmanager
def _state() -> Iterator[State]:
    """The state database, for as long as it is needed."""
    from bot.chat.settings import state_url
    from bot.chat.state import State

    state = State(state_url())
    try:
        yield state
    finally:
        state.close()


@click.command()
@with_tables
@click.option("--json", "as_json", is_flag=True, help="The same as JSON, and nothing else, on standard output.")
def status(table: str | None, catalog: Path | None, as_json: bool) -> None:
    """Tell how fresh each table is, what came of its last refresh, and when the next is due."""
    from bot.status import print_status
    from bot.status import status as status_of

    chosen = chosen_catalog(table, catalog)
    with _state() as state:
        found = status_of(chosen, state)
    if as_json:
        print_json(found)
    else:
        print_status(found, sys.stdout)


@click.group("cache")
def cache_group() -> None:
    """Look after what is kept: built tables, and what is remembered beside them."""


@cache_group.command("stats")
@click.option("--json", "as_json", is_flag=True, help="The same as JSON, and nothing else, on standard output.")
def cache_stats(as_json: bool) -> None:
    """Tell what is kept: how much, how long, and who holds it."""
    from bot.cache import print_stats, stats
    from engine.settings import data_folder

    found = stats(data_folder())
    if as_json:
        print_json(found)
    else:
        print_stats(found, sys.stdout)


@cache_group.command("clear")
@click.argument("namespace", required=False)
@click.option("--tables", "with_tables", is_flag=True, help="Remove built tables as well, but for those that somebody holds.")
@click.option("--yes", "sure", is_flag=True, help="Do not ask whether it is meant.")
@click.option("--json", "as_json", is_flag=True, help="How much went as JSON, and nothing else, on standard output.")
def cache_clear(namespace: str | None, with_tables: bool, sure: bool, as_json: bool) -> None:
    """Forget what is remembered, or only what NAMESPACE holds; it costs time and nothing else."""
    from bot.cache import checked_namespaces, clear, print_cleared
    from engine.settings import data_folder

    names = checked_namespaces(namespace)
    folder = data_folder()
    if not sure:
        if not sys.stdin.isatty():
            raise UsageError("Nobody can be asked whether it is meant; say --yes.")
        click.confirm(f"Forget {', '.join(names)}{' and remove the built tables' if with_tables else ''}?", abort=True, err=True)
    cleared = clear(folder, names, with_tables=with_tables)
    if as_json:
        print_json(cleared)
    else:
        print_cleared(cleared, sys.stdout)


@cache_group.command("verify")
@click.option("--repair", is_flag=True, help="Drop what is wrong: it is made anew when it is asked for.")
@click.option("--json", "as_json", is_flag=True, help="What was found as JSON, and nothing else, on standard output.")
def cache_verify(repair: bool, as_json: bool) -> int:
    """Read all that is kept, and tell what is wrong."""
    from bot.cache import print_verified, verify
    from engine.settings import data_folder

    found = verify(data_folder(), repair=repair)
    if as_json:
        print_json(found)
    else:
        print_verified(found, sys.stdout)
    return FAILED if found["wrong"] else 0


@cache_group.command("warm")
@with_tables
@click.option("--seconds", type=click.FloatRange(0, 86_400), default=None, help="Begin no table after that; else ALMANAC_WARM_SECONDS.")
@click.option("--json", "as_json", is_flag=True, help="What was loaded as JSON, and nothing else, on standard output.")
def cache_warm(table: str | None, catalog: Path | None, seconds: float | None, as_json: bool) -> int:
    """Build what is not built, and read it once, the tables that are asked most first."""
    from bot.cache import print_warmed, warm_tables
    from engine.settings import warm_seconds

    warmed = warm_tables(chosen_catalog(table, catalog), warm_seconds() if seconds is None else seconds)
    if as_json:
        print_json({"tables": warmed})
    else:
        print_warmed(warmed, sys.stdout)
    return FAILED if any(one["failure"] for one in warmed) else 0


@cache_group.group("show")
def cache_show() -> None:
    """Show what is kept, as a model is told it."""


@cache_show.command("history")
@click.argument("name", metavar="TABLE")
@with_tables
def cache_show_history(name: str, table: str | None, catalog: Path | None) -> None:
    """Print the messages that show TABLE being created, one JSON object a line."""
    from bot.cache import history

    speak_utf8()
    for line in history(chosen_catalog(table, catalog), name):
        click.echo(line)
