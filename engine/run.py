"""Runs a checked plan of either kind: of one table, or written as SQL over those that may be seen."""

from __future__ import annotations

from collections.abc import Sequence

from engine.check import check
from engine.errors import PlanError
from engine.execute import execute
from engine.table import OpenTable
from engine.types import ResultTable, SqlPlan, TablePlan


def run_plan(plan: TablePlan | SqlPlan, tables: Sequence[OpenTable]) -> tuple[ResultTable, str, OpenTable]:
    """The rows, the SQL, and the table that they are of (of several the first); tables are those that may be seen.

    Raises PlanError where the plan does not fit them, ExecutionError where it fails.
    """
    if isinstance(plan, TablePlan):
        table = next((table for table in tables if table.name == plan.table), None)
        if table is None:
            raise PlanError(f'There is no table "{plan.table}".')
        check(plan, table.facts)
        return (*execute(plan, table), table)
    from engine.select.check import check_select  # which reads a grammar, and only written queries need it
    from engine.select.execute import execute_select

    checked = check_select(plan.sql, tables)
    result, sql = execute_select(checked, tables)
    return result, sql, next(iter(checked.tables.values()), tables[0])
