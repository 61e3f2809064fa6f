"""Checks a plan before it runs: tables and columns exist and may be seen, operators fit the columns, values fit the types."""

from __future__ import annotations

from collections.abc import Iterator

from engine.build.facts import ColumnFacts, TableFacts
from engine.errors import PlanError
from engine.hours import times_of
from engine.types import Comparison, Measure, TablePlan

_ORDERED = frozenset({"less", "at_most", "more", "at_least"})
_WRITTEN = frozenset({"starts_with", "ends_with", "contains", "not_contains", "words"})
_LISTED = frozenset({"has", "has_all", "has_none"})


def check(plan: TablePlan, facts: TableFacts) -> None:
    """Raises PlanError where the plan names what is not in the asker's slice of the table, or compares what cannot be compared."""
    if plan.table != facts.name:
        raise PlanError(f'There is no table "{plan.table}".')
    known = {column.name: column for column in facts.columns}
    for name in named_columns(plan):
        if name not in known:
            raise PlanError(f'The table "{facts.name}" has no column "{name}".')
    for clause in plan.where:
        if not clause.any_of:
            raise PlanError("A clause needs at least one comparison.")
        for comparison in clause.any_of:
            _check_comparison(comparison, known[comparison.column])
    for measure in _measures(plan):
        _check_measure(measure, known)
    for having in plan.having:
        if having.measure.function in ("min", "max") and having.measure.column and known[having.measure.column].temporal:
            raise PlanError(
                f'"{having.measure.column}" holds {known[having.measure.column].type} values, which a test of groups cannot compare.'
            )
    if plan.having and not plan.group_by:
        raise PlanError("A test of groups needs columns to group by.")


def named_columns(plan: TablePlan) -> Iterator[str]:
    """The columns that a plan names, wherever in it."""
    yield from plan.select
    yield from plan.group_by
    for clause in plan.where:
        yield from (comparison.column for comparison in clause.any_of)
    yield from (measure.column for measure in _measures(plan) if measure.column)
    yield from (sort.by for sort in plan.sort if isinstance(sort.by, str))


def _measures(plan: TablePlan) -> Iterator[Measure]:
    yield from plan.measures
    yield from (having.measure for having in plan.having)
    yield from (sort.by for sort in plan.sort if isinstance(sort.by, Measure))


def _check_comparison(comparison: Comparison, column: ColumnFacts) -> None:
    op = comparison.op
    if (op in ("blank", "not_blank")) == bool(comparison.values):
        raise PlanError(f'"{op}" on "{column.name}" takes {"no values" if comparison.values else "at least one value"}.')
    if op in ("open", "closed"):
        _check_times(comparison, column)
    if op in _LISTED and column.list_separator is None:
        raise PlanError(f'"{column.name}" is no column of lists; use is, is_not or words instead of {op}.')
    if op in _ORDERED:
        if column.list_separator is not None or not (column.numeric or column.temporal):
            raise PlanError(f'"{column.name}" holds text, which is not more or less; use is, starts_with or contains.')
        if len(comparison.values) != 1:
            raise PlanError(f'"{op}" on "{column.name}" takes one value.')
    if op in _WRITTEN and (column.numeric or column.temporal):
        raise PlanError(f'"{column.name}" holds {column.type} values; compare them with is, less, more.')
    if column.numeric and any(isinstance(value, (str, bool)) for value in comparison.values):
        raise PlanError(f'"{column.name}" holds numbers; compare it with a number.')


def _check_times(comparison: Comparison, column: ColumnFacts) -> None:
    if not column.hours:
        raise PlanError(f'"{column.name}" holds no opening hours.')
    for value in comparison.values:
        try:
            times_of(str(value))
        except ValueError:
            raise PlanError(f'"{value}" is no time of opening hours; write it as in "Fri", "Sat 18:00-24:00" or "Tue 18:30".') from None


def _check_measure(measure: Measure, known: dict[str, ColumnFacts]) -> None:
    if measure.function == "count":
        return
    if measure.column is None:
        raise PlanError(f'"{measure.function}" needs a column.')
    column = known[measure.column]
    if measure.function in ("sum", "average") and not column.numeric:
        raise PlanError(f'"{column.name}" holds no numbers, so it has no {measure.function}.')
    if measure.function in ("min", "max") and not (column.numeric or column.temporal):
        raise PlanError(f'"{column.name}" holds text, which has no {measure.function}.')
