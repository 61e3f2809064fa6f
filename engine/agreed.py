"""The types of columns that were agreed on after a table was read: once for a version's source, then for everybody who asks it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast, get_args

from cache.errors import StoreError
from cache.versions import Store
from engine.catalog import TableEntry
from engine.errors import BuildError, PlanError
from engine.settings import printable
from engine.table import OpenTable
from engine.types import TEMPORAL_TYPES, TEXT_TYPES, ColumnType

MOST_SHOWN: Final = 5  # values that a type would empty
_COMPARED: Final = frozenset({"decimal", "money", "percent"}) | TEMPORAL_TYPES  # where an integer may be a code
_TYPES: Final = frozenset(get_args(ColumnType))


def agreed(entry: TableEntry, key: str, store: Store) -> TableEntry:
    """The entry with the types that were agreed on, by the key that the store keeps it under; what the catalog itself says of a column stays."""
    said = {**entry.read.columns, **{name: about.type for name, about in entry.columns.items() if about.type}}
    types = {name: type_ for name, type_ in settled(key, store).items() if name not in said}
    return entry.model_copy(update={"agreed": types}) if types else entry


def settled(key: str, store: Store) -> dict[str, ColumnType]:
    """The types that were agreed on."""
    return {name: cast(ColumnType, type_) for name, type_ in store.agreed(key).items() if type_ in _TYPES}


def agree(key: str, store: Store, types: Mapping[str, ColumnType]) -> None:
    """Keeps that these columns have these types, and no others are agreed on; raises BuildError where that cannot be written."""
    try:
        store.agree(key, dict(types))
    except StoreError as error:
        raise BuildError(str(error)) from error


def check_types(table: OpenTable, types: Mapping[str, ColumnType]) -> None:
    """Raises PlanError where a column is not there or may not be sent to a model, has the type, or has filled cells that the type would leave empty, with these."""
    import numpy as np  # which the other two do not need

    from engine.read.kind import Texts
    from engine.read.kinds import kind_of

    for name, type_ in types.items():
        try:
            column = table.facts.column(name)
            if not column.sent:
                raise KeyError  # what would be emptied is told to a model
        except KeyError:
            raise PlanError(f'There is no column "{printable(name)}".') from None
        if column.type == type_:
            raise PlanError(f'"{printable(name)}" has the type {type_} already.')
        if column.type in _COMPARED and type_ in TEXT_TYPES:
            raise PlanError(f'"{printable(name)}" holds {column.type} values, and could be neither compared nor summed as {type_}.')
        if column.list_separator is not None:
            raise PlanError(f'The cells of "{printable(name)}" are lists, whose items are text.')
        spelled = f"c{column.position}_s" if column.spelled else f"c{column.position}"
        found = table.connection().execute(
            f"SELECT CAST({spelled} AS TEXT), count(*) FROM rows WHERE {spelled} IS NOT NULL GROUP BY 1 ORDER BY 2 DESC"
        )
        texts, counts = zip(*found.fetchall() or [("", 0)], strict=True)
        kind = kind_of(Texts(name, list(texts), np.asarray(counts), frozenset()), given=type_)
        emptied = [text for text, value in zip(texts, kind.values, strict=True) if value is None and text]
        if kind.type != type_ or emptied:
            shown = ", ".join(f'"{printable(text, 40)}"' for text in emptied[:MOST_SHOWN]) or "its values"
            raise PlanError(f'"{printable(name)}" cannot be of the type {type_}: that would empty {shown}.')
