"""A model's action as a plan: the same said in the words of the engine, with conditions that are already on the table's terms."""

from __future__ import annotations

from collections.abc import Sequence

from engine.agents.form import Figures, Limit, Order, Rows
from engine.errors import PlanError
from engine.types import Clause, Comparison, Having, Measure, Sort, TablePlan


def plan_of(action: Rows | Figures, tests: Sequence[Comparison], table: str) -> TablePlan:
    """The plan of rows or figures; raises PlanError for an order or a limit that says nothing, or cannot be followed."""
    if action.limit is not None and action.limit < 1:
        raise PlanError("limit is a number of rows from 1 on, or null for all.")
    where = clauses(tests, action.match == "any")
    if isinstance(action, Rows):
        if any(one.by != "value" or one.column is None for one in action.sort):
            raise PlanError('rows are sorted by "value" of a column; a figure of groups is for the kind "figures".')
        return TablePlan(
            table=table,
            where=where,
            sort=tuple(map(_sort, action.sort)),
            limit=action.limit,
            select=action.columns,
            distinct=action.distinct and bool(action.columns),
        )
    if not action.group_by and action.limit is not None and (action.limit > 1 or action.sort):
        raise PlanError('A figure without group_by is of all rows that meet the conditions; that of the first few is "beyond" it.')
    if any(one.by == "value" and one.column not in action.group_by for one in action.sort) and action.group_by:
        raise PlanError("Groups are sorted by a column of group_by, or by a figure.")
    figures = tuple(_measure(figure.function, figure.column) for figure in action.figures)
    if not figures and not action.group_by:
        raise PlanError('"figures" needs a figure, such as count.')
    return TablePlan(
        table=table,
        where=where,
        group_by=action.group_by,
        measures=figures or (Measure(function="count"),),
        having=tuple(map(_having, action.having)),
        sort=tuple(map(_sort, action.sort)) if action.group_by else (),
        limit=action.limit if action.group_by else None,
    )


def clauses(tests: Sequence[Comparison], either: bool) -> tuple[Clause, ...]:
    """All must hold, or any of them."""
    if either and tests:
        return (Clause(any_of=tuple(dict.fromkeys(tests))),)
    return tuple(Clause(any_of=(test,)) for test in dict.fromkeys(tests))


def _measure(function: str, column: str | None) -> Measure:
    return Measure(function=function, column=column)  # type: ignore[arg-type]  # the form has the same names


def _having(limit: Limit) -> Having:
    return Having(measure=_measure(limit.function, limit.column), op=limit.op, value=limit.value)


def _sort(order: Order) -> Sort:
    if order.by == "value":
        if order.column is None:
            raise PlanError("An order by value needs a column.")
        return Sort(by=order.column, descending=order.descending)
    return Sort(by=_measure(order.by, order.column), descending=order.descending)
