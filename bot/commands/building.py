"""Commands before anybody asks: a catalog drafted, how sources are read, tables built."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.commands.common import CATALOG_HELP, FAILED, PATH, chosen_catalog, print_json, with_tables
from bot.say import say
from engine.errors import UsageError

if TYPE_CHECKING:
    pass


@click.command()
@click.argument("source", metavar="FILE")
@click.option("--out", "out", type=PATH, metavar="FILE", help="Where to write the draft; else ./almanac.toml, - for standard output.")
def init(source: str, out: Path | None) -> None:
    """Draft a catalog for FILE, and print five questions that work."""
    from bot.draft import draft

    made = draft(source, Path.cwd() if out is None or str(out) == "-" else out.absolute().parent)
    target = out or Path("almanac.toml")
    if str(target) == "-":
        click.echo(made.text, nl=False)
        return
    try:
        with open(target, "x", encoding="utf-8") as file:
            file.write(made.text)
    except FileExistsError:
        if out is not None:
            raise UsageError(f'There is already a file "{target}"; name another with --out, or - for standard output.') from None
        say(f'There is already a file "{target}", which was left as it is; this is the draft.')
        click.echo(made.text, nl=False)
        return
    except OSError:
        raise UsageError(f'The draft cannot be written as "{target}"; name a file in a folder that you may write in.') from None
    click.echo(f"Wrote {target}. Look through it, and say there what your people call things. Questions that work:\n")
    for command in made.commands(target):
        click.echo(f"    {command}")


@click.command()
@click.argument("source", metavar="[FILE]", required=False)
@click.option("--catalog", "catalog", type=PATH, metavar="FILE", help=CATALOG_HELP)
@click.option("--json", "as_json", is_flag=True, help="What was read as JSON, and nothing else, on standard output.")
def check(source: str | None, catalog: Path | None, as_json: bool) -> None:
    """Read FILE, or the tables of the catalog, and tell how they were read."""
    from bot.check import print_reports, read_catalog

    tables = read_catalog(chosen_catalog(source, catalog))
    if as_json:
        from engine.read.report import report_json

        print_json(report_json(tables))
    else:
        print_reports(tables, sys.stdout)


@click.command()
@with_tables
def index(table: str | None, catalog: Path | None) -> None:
    """Build what is not built, or whose source has changed, before anyone asks."""
    from bot.progress import ProgressBar
    from cache.versions import Store
    from engine.settings import data_folder
    from jobs.indexing import index_tables

    with ProgressBar() as bar:
        indexed = list(index_tables(chosen_catalog(table, catalog), Store(data_folder()), bar.report))
    for one in indexed:
        click.echo(f"{one.table}: {one.rows:,} rows, read {one.loaded_at}, version {one.version}")


@click.command()
@click.argument("name", metavar="[TABLE]", required=False)
@with_tables
@click.option("--accept", is_flag=True, help="Take whatever can be read, even where rows or columns are missing in it.")
@click.option("--json", "as_json", is_flag=True, help="What came of it as JSON, and nothing else, on standard output.")
def refresh(name: str | None, table: str | None, catalog: Path | None, accept: bool, as_json: bool) -> int:
    """Look at the sources now, at that of TABLE alone or at all, and take what is new, unless something is wrong with it."""
    from bot.progress import ProgressBar
    from bot.refreshing import print_refreshed, refresh_tables

    with ProgressBar() as bar:
        refreshed = refresh_tables(chosen_catalog(table, catalog), name, bar.report, accept=accept)
    if as_json:
        print_json({"tables": refreshed})
    else:
        print_refreshed(refreshed, sys.stdout)
    return FAILED if any(one["outcome"] in ("refused", "failed") for one in refreshed) else 0
