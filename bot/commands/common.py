"""What commands have in common: options, the catalog and the scope that are asked, and what is printed for programs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from engine.errors import UsageError
from engine.settings import catalog_path

if TYPE_CHECKING:
    from engine.catalog import Catalog
    from engine.types import Scope

NOT_ANSWERED: Final = 1
FAILED: Final = 3
PATH: Final = click.Path(path_type=Path)
AS: Final = click.option(
    "--as", "asker", metavar="USER", help="Show what this person may see: an e-mail or id that the catalog's rules know; else everything."
)
PLANNER: Final = click.option(
    "--planner", "kind", type=click.Choice(["auto", "offline", "model"]), help="Who plans, instead of ALMANAC_PLANNER."
)
CATALOG_HELP: Final = "The catalog; else ALMANAC_CATALOG, else ./almanac.toml."
_NOTHING_TO_ASK: Final = (
    "There is no almanac.toml here; name a table with --table FILE, a catalog with --catalog FILE, or draft one with `almanac init FILE`."
)


def with_tables(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say what is asked."""
    command = click.option("--catalog", "catalog", type=PATH, metavar="FILE", help=CATALOG_HELP)(command)
    return click.option("--table", "table", metavar="FILE", help="A file, address or database without a catalog.")(command)


def chosen_catalog(table: str | None, catalog: Path | None) -> Catalog:
    """What is asked: a source alone, the catalog that is named, or the one that is found."""
    if table is not None and catalog is not None:
        raise UsageError("A file or a catalog can be asked, and both were named; leave one out.")
    from engine.catalog import catalog_of, load_catalog

    if table is not None:
        return catalog_of(table)
    if found := catalog or catalog_path():
        return load_catalog(found)
    raise UsageError(_NOTHING_TO_ASK)


def scope_for(catalog: Catalog, asker: str | None) -> Scope:
    """What is shown: everything to whoever holds the files and names nobody, else what the named person may see."""
    from engine.rights import Person, Rights
    from engine.types import EVERYTHING

    return EVERYTHING if asker is None else Rights(catalog).scope_of(Person(ids=(asker,)))


def print_json(value: Any) -> None:
    from bot.escape import json_text

    speak_utf8()
    click.echo(json_text(value))


def speak_utf8() -> None:
    with suppress(AttributeError):
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
