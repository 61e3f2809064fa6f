"""What is known of a built table before any question: its columns, how they are stored, and which column determines which."""

from __future__ import annotations

from typing import Literal

from engine.types import NUMERIC_TYPES, TEMPORAL_TYPES, ColumnType, Frozen

# category: few values, worth meaning; name: many values, found by letters; code: found exactly or by its beginning; prose: found by words; value: numbers, dates.
Kind = Literal["category", "name", "code", "prose", "value"]


class ColumnFacts(Frozen):
    """A column of a built table; it is stored as c<position>, folded as c<position>_f, in the source's spelling as c<position>_s."""

    name: str
    position: int
    type: ColumnType
    kind: Kind
    key: str  # the name's words
    other_names: tuple[str, ...] = ()  # keys of what people call it, from the catalog
    list_separator: str | None = None
    distinct: int = 0  # classes of spellings
    empty: int = 0
    spelled: bool = False  # has c<position>_s
    shown_as_spelled: bool = False  # money, percentages, dates in words
    first_term: int = 0  # ids of its terms: first_term <= id < end_term
    end_term: int = 0
    hours: bool = False  # opening hours, which are asked for days and times
    sent: bool = True  # whether its values may go to a model's endpoint
    determines: tuple[str, ...] = ()  # columns that have one value for each value of this one
    low: float | None = None
    high: float | None = None

    @property
    def numeric(self) -> bool:
        """Whether it can be summed and compared as numbers."""
        return self.type in NUMERIC_TYPES

    @property
    def temporal(self) -> bool:
        """Whether its values are dates or times."""
        return self.type in TEMPORAL_TYPES

    @property
    def textual(self) -> bool:
        """Whether it is compared by its folded text."""
        return self.type in ("text", "code")


class TableFacts(Frozen):
    """A built table."""

    name: str
    description: str = ""
    nouns: tuple[str, ...] = ()  # keys of what a row is called
    declared: bool = False  # whether nouns, or a telling name, say what a row is
    columns: tuple[ColumnFacts, ...]
    naming: str  # the column that names a row
    keys: tuple[str, ...]  # columns that identify or reach a row, the naming column first
    rows: int
    source: str
    changed_at: str = ""
    left_out: int = 0  # columns of the source that are not asked over
    sample: tuple[int, ...] = ()  # numbers of rows that show the table's variety, seen by the columns that may be sent to a model

    @property
    def sent(self) -> tuple[ColumnFacts, ...]:
        """The columns whose values may go to a model's endpoint."""
        return tuple(column for column in self.columns if column.sent)

    def column(self, name: str) -> ColumnFacts:
        """The column of that name; KeyError where there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)
