"""What is not taken of a source, and what is told of what is taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from engine.build.facts import ColumnFacts, TableFacts
from engine.refreshed import Limits
from engine.settings import printable

if TYPE_CHECKING:
    from engine.build.build import Built
    from engine.read.table import SourceColumn, SourceTable

_UNIQUE: Final = 0.9  # of the rows, at least, have a value of their own in a column that told all of them apart
_SURE_FROM: Final = 20  # rows: in fewer, values differ by chance
_SHOWN: Final = 3


def refusal(before: Mapping[str, TableFacts], sources: Mapping[str, SourceTable], keys: Sequence[str], limits: Limits) -> str:
    """One sentence on what is wrong with what was read, given what is in service; empty where it may be taken.

    before, sources: by the names of the tables. keys: the catalog's key columns.
    """
    for name, facts in before.items():
        table = sources.get(name)
        if table is None:
            return f'The source has no table "{printable(name)}" any more; it has {_listed(sources)}.'
        columns = {column.name: column for column in table.columns}
        lost = [column.name for column in facts.columns if column.name not in columns]
        if lost:
            which = "column" if len(lost) == 1 else "columns"
            return f'The source of "{printable(name)}" lost the {which} {_listed(lost)}; it has {_listed(columns)}.'
        if table.rows < facts.rows * (1 - limits.most_shrink):
            return (
                f'The source of "{printable(name)}" shrank from {facts.rows:,} rows to {table.rows:,}, more than the '
                f"{limits.most_shrink:.0%} that it may lose at once (ALMANAC_MOST_SHRINK)."
            )
        for column in facts.columns:
            if (column.name in keys or column.kind == "code") and _told_apart(column, facts.rows):
                different = _different(columns[column.name])
                if different < _UNIQUE * table.rows:
                    return (
                        f'The column "{printable(column.name)}" told the rows of "{printable(name)}" apart and does so no more: '
                        f"{table.rows:,} rows have {different:,} different values."
                    )
    return ""


def _told_apart(column: ColumnFacts, rows: int) -> bool:
    return rows >= _SURE_FROM and column.list_separator is None and column.empty == 0 and column.distinct >= 0.999 * rows


def _different(column: SourceColumn) -> int:
    return len({str(value) for value in column.values if value is not None})


def news(built: Sequence[Built]) -> list[str]:
    """Sentences on new columns, types and values of the tables that were built from earlier ones, and on new tables beside them."""
    told = []
    several = any(table.before for table in built)
    for table in built:
        name = printable(table.name)
        if table.before is None:
            told += [f'There is a new table "{name}".'] if several else []
            continue
        known = {column.name: column for column in table.before.columns}
        for column in table.facts.columns:
            was = known.get(column.name)
            if was is None:
                told.append(f'"{name}" has a new column "{printable(column.name)}" ({column.type}).')
            elif was.type != column.type:
                told.append(f'The column "{printable(column.name)}" of "{name}" was {was.type} and is {column.type} now.')
        for where, values in table.new_terms.items():
            many = "a new value" if len(values) == 1 else f"{len(values):,} new values"
            told.append(f'The column "{printable(where)}" of "{name}" has {many}: {_listed(values)}.')
    return told


def _listed(names: Sequence[str] | Mapping[str, object]) -> str:
    shown = [f'"{printable(name)}"' for name in list(names)[:_SHOWN]]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more > 0 else "")
