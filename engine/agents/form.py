"""The forms in which a model says its plan: `query_sql_table`, of one of seven kinds; descriptions are prompt."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from engine.agents.strict import Column, Form
from engine.types import ColumnType, Function, Operator

MOST: Final = 60  # conditions, columns, orders ... of a query: more than anybody asks for, and a bound on what is looked up
_LARGEST: Final = 2**63 - 1  # number that SQLite holds


def _holdable(value: Any) -> Any:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and not abs(value) <= _LARGEST:
        raise ValueError("No table holds such a number.")
    return value


Value = Annotated[str | int | float | bool, AfterValidator(_holdable)]
Number = Annotated[int | float, AfterValidator(_holdable)]
Count = Annotated[int, AfterValidator(_holdable)]


def listed(value: Any) -> Any:
    """Endpoints that do not hold a model to the schema get a text where a list is asked for; "null" is what small models write for nothing."""
    if isinstance(value, list):
        return tuple(one for one in value if one is not None and one != "null")
    return (value,) if isinstance(value, (str, int, float)) else () if value is None else value


class Condition(Form):
    """One condition, and the words of the question that say it."""

    words: str = Field(description="The words of the question that say it, exactly as they stand there.")
    column: Column
    op: Operator
    values: Annotated[tuple[Value, ...], BeforeValidator(listed)] = Field(
        default=(),
        max_length=10 * MOST,
        description="Terms of the column, spelled as the table spells them; several mean any of them. None for blank, not_blank.",
    )


class Unused(Form):
    """Words of the question that no part of the query stands for."""

    words: str
    why: Literal["says_nothing", "not_in_table"] = Field(
        description="says_nothing: politeness and filling words. not_in_table: the table cannot tell that."
    )


class Order(Form):
    """An order by a column's value, or by a figure of each group."""

    by: Literal["value"] | Function
    column: Column | None = None
    descending: bool = False


class Figure(Form):
    """A figure over the rows or over each group; column is null for a count of rows."""

    function: Function
    column: Column | None = None


class Limit(Form):
    """A test of a figure, over groups."""

    function: Function
    column: Column | None = None
    op: Literal["is", "is_not", "less", "at_most", "more", "at_least"]
    value: Number


class _Asked(Form):
    kind: str
    conditions: tuple[Condition, ...] = Field(default=(), max_length=MOST)
    match: Literal["all", "any"] = Field(default="all", description="Whether all conditions must hold, or any of them.")


class Rows(_Asked):
    """The rows that match, or some of their columns."""

    kind: Literal["rows"] = "rows"
    columns: Annotated[tuple[Column, ...], BeforeValidator(listed)] = Field(
        default=(), max_length=MOST, description="The columns that are asked for; empty when the rows themselves are."
    )
    distinct: bool = False
    sort: tuple[Order, ...] = Field(default=(), max_length=MOST)
    limit: Count | None = Field(default=None, description="How many of the sorted rows; null for all.")
    unused: tuple[Unused, ...] = Field(default=(), max_length=MOST)


class Figures(_Asked):
    """Counts, sums, averages, extremes: one, or one for each group."""

    kind: Literal["figures"] = "figures"
    figures: tuple[Figure, ...] = Field(default=(), max_length=MOST)
    group_by: Annotated[tuple[Column, ...], BeforeValidator(listed)] = Field(default=(), max_length=MOST)
    having: tuple[Limit, ...] = Field(default=(), max_length=MOST)
    sort: tuple[Order, ...] = Field(default=(), max_length=MOST)
    limit: Count | None = None
    unused: tuple[Unused, ...] = Field(default=(), max_length=MOST)


class Beyond(Form):
    """What rows and figures cannot say, such as a comparison of two columns; a SELECT is asked for next."""

    kind: Literal["beyond"] = "beyond"
    why: str


class AskBack(_Asked):
    """A question back: words that may mean two to five things in this table, each another answer; conditions are the others."""

    kind: Literal["ask_back"] = "ask_back"
    meanings: tuple[Condition, ...] = Field(default=(), max_length=MOST)


class NotInTable(Form):
    """The table does not tell what is asked."""

    kind: Literal["not_in_table"] = "not_in_table"
    words: Annotated[tuple[str, ...], BeforeValidator(listed)] = Field(
        default=(), max_length=MOST, description="The words of the question that have no place."
    )


class ColumnAs(Form):
    """A column and the type that its values have."""

    name: Column
    type: ColumnType


class Retype(Form):
    """The table is made again with other types, where numbers or dates were read as text or codes as numbers; the question comes again."""

    kind: Literal["create_sql_table"] = "create_sql_table"
    columns: tuple[ColumnAs, ...] = Field(default=(), max_length=MOST)


class Select(Form):
    """One SELECT of SQLite."""

    kind: Literal["sql"] = "sql"
    sql: str
    unused: tuple[Unused, ...] = Field(default=(), max_length=MOST)


Action = Rows | Figures | AskBack | Beyond | Retype | NotInTable


class QueryForm(Form):
    """The base of `query_sql_table` over one table."""

    action: Annotated[Action, Field(discriminator="kind")]


class SelectForm(Form):
    """The base of `query_sql_table` where only a SELECT can say it: over several tables, or beyond what a plan of one can say."""

    action: Annotated[Select | NotInTable, Field(discriminator="kind")]
