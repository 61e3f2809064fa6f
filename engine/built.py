"""The built tables in the store, whatever catalog they are of: what they are, and whether they can be read."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import Final

from cache.held import Held
from cache.kept import Kept, all_kept, hold_kept, is_being_built
from cache.manifest import DamageError as ManifestError
from cache.sweep import retire, sweep
from cache.versions import Store
from engine.errors import DamageError
from engine.table import OpenTable

_ANOTHER: Final = "it was not built by this version of Almanac"


@dataclass(frozen=True, slots=True)
class Built:
    """What is kept of one source, or of a slice of one.

    names: of its tables. rows: of all of them; None where that cannot be read. size: in bytes, with what is left over.
    readers: how often it is held now; None where the system does not tell. leftovers: folders that are not in service.
    wrong: why it cannot be asked, empty where nothing tells so.
    """

    folder: str
    names: tuple[str, ...]
    version: str
    built_at: str  # ISO 8601, UTC
    rows: int | None
    size: int
    readers: int | None
    leftovers: int
    wrong: str = ""


def built_tables(store: Store, *, thorough: bool = False) -> list[Built]:
    """Everything that is built, by name; thorough: every page and value is read, which takes seconds for a large table."""
    return [_described(kept, thorough=thorough) for kept in all_kept(store.root)]


def drop_wrong(store: Store, found: list[Built]) -> None:
    """Removes what is wrong, which is built anew when it is asked, and what is left over; what is held or being built stays."""
    for one in found:
        home = store.root / one.folder
        if one.wrong:
            retire(home)
        else:
            sweep(home)


def clear_built(store: Store) -> tuple[int, int]:
    """Removes all built tables; how many went, and how many stay, because somebody holds or builds them."""
    gone = [retire(kept.home) for kept in all_kept(store.root)]
    return sum(gone), len(gone) - sum(gone)


def _described(kept: Kept, *, thorough: bool) -> Built:
    manifest = kept.manifest
    if manifest is None:
        wrong = "" if kept.foreign or is_being_built(kept.home) else kept.damage
        return Built(kept.home.name, (), "", "", None, kept.size, kept.readers, kept.leftovers, wrong)
    names = manifest.facts.get("tables")
    named = tuple(map(str, names)) if isinstance(names, list) else ()
    rows, wrong = None, ""
    try:
        held = hold_kept(kept)
        if held is not None:
            with closing(held):
                rows, wrong = _read(held, len(named), thorough=thorough)
        elif not is_being_built(kept.home):
            wrong = "the folder that its manifest names is missing"
    except ManifestError as damage:
        wrong = str(damage)
    except OSError:
        wrong = "its files cannot be read"
    return Built(kept.home.name, named, manifest.version, manifest.built_at, rows, kept.size, kept.readers, kept.leftovers, wrong)


def _read(held: Held, tables: int, *, thorough: bool) -> tuple[int | None, str]:
    """The rows of all tables of a version, and what is wrong with them."""
    if not tables:
        return None, _ANOTHER
    rows = 0
    for number in range(tables):
        try:
            table = OpenTable(held, held.folder / str(number))
        except DamageError:
            return None, "its rows cannot be read by this version of Almanac"
        try:
            rows += table.facts.rows
            if thorough and not table.intact():
                return rows, "its rows, or its index of terms, are damaged"
        finally:
            table.close_connections()
    return rows, ""
