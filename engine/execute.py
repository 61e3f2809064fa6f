"""Runs a checked plan on SQLite: every row that matches, with its number in the source."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine.build.facts import ColumnFacts, TableFacts
from engine.errors import ExecutionError
from engine.fold import fold, key, stems
from engine.table import OpenTable
from engine.types import ColumnType, Comparison, Measure, ResultColumn, ResultTable, Role, Sort, TablePlan, Value

SECONDS: Final = 20.0
MOST_ROWS: Final = 1_100_000
_SIGNS = {"less": "<", "at_most": "<=", "more": ">", "at_least": ">=", "is": "=", "is_not": "<>"}
_LAST: Final = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class Query:
    """A plan as SQL; columns are what is shown, numbered says that the first cell of a row is its number."""

    sql: str
    values: tuple[Value, ...]
    columns: tuple[ResultColumn, ...]
    numbered: bool


def execute(plan: TablePlan, table: OpenTable, seconds: float = SECONDS) -> tuple[ResultTable, str]:
    """All rows of the plan, and the SQL; raises ExecutionError where it fails or takes longer."""
    query = compile_plan(plan, table.facts)
    found = run(table, query.sql, query.values, seconds)
    rows = tuple(tuple(_shown(cell, column) for cell, column in zip(row[query.numbered :], query.columns, strict=True)) for row in found)
    result = ResultTable(
        columns=query.columns,
        rows=rows,
        row_ids=tuple(int(row[0] or 0) for row in found) if query.numbered else None,
        total=len(rows),
        version=table.version,
        loaded_at=table.freshness.loaded_at,
    )
    return result, query.sql


def run(table: OpenTable, sql: str, values: Sequence[Value], seconds: float = SECONDS) -> list[tuple[Value, ...]]:
    """The rows of one SELECT within a time limit."""
    base = table.connection()
    deadline = time.monotonic() + seconds
    base.set_progress_handler(lambda: time.monotonic() > deadline, 20_000)
    try:
        return base.execute(sql, tuple(values)).fetchmany(MOST_ROWS)
    except sqlite3.OperationalError as error:
        if "interrupted" in str(error):
            raise ExecutionError(f"The question took longer than {seconds:.0f} seconds; narrow it down.") from error
        raise ExecutionError("The question could not be run on the table.") from error
    finally:
        base.set_progress_handler(None, 0)


def count_rows(plan: TablePlan, table: OpenTable) -> int:
    """How many source rows meet the plan's conditions."""
    where, values = _where(plan, table.facts)
    return int(run(table, f"SELECT count(*) FROM rows{where}", values)[0][0])  # type: ignore[arg-type]


def _shown(cell: Value, column: ResultColumn) -> Value:
    if isinstance(cell, float) and column.type == "integer" and cell.is_integer():
        return int(cell)
    if column.type == "boolean" and isinstance(cell, int):
        return bool(cell)
    return cell


# ---- the plan as SQL


def compile_plan(plan: TablePlan, facts: TableFacts) -> Query:
    """The one SELECT that a plan means."""
    if plan.group_by or plan.measures:
        return _compile_groups(plan, facts)
    columns = shown_columns(plan, facts)
    cells = [_cell(facts.column(column.name)) for column in columns]
    where, values = _where(plan, facts)
    order = [_order(sort, facts) for sort in plan.sort]
    if plan.distinct and plan.select:
        picked = [_cell(facts.column(name)) for name in plan.select]
        shown = tuple(column for column in columns if column.name in plan.select)
        first = min_by = ", ".join(order) or "min(row_id)"
        sql = f"SELECT {', '.join(picked)} FROM rows{where} GROUP BY {', '.join(_compared(facts.column(name)) for name in plan.select)} ORDER BY {first or min_by}"
        return Query(sql + _limit(plan), values, shown, numbered=False)
    if plan.limit == 1 and order:  # every row that shares the first place
        best = _first_place(plan, facts)
        glue = " AND " if where else " WHERE "
        first = f"SELECT {best} FROM rows{where}{glue}{best} IS NOT NULL ORDER BY {', '.join(order)} LIMIT 1"
        sql = f"SELECT row_id, {', '.join(cells)} FROM rows{where}{glue}{best} = ({first})"
        return Query(f"{sql} ORDER BY {', '.join([*order, 'row_id'])}", (*values, *values), columns, numbered=True)
    if order and plan.limit:
        measured = " AND ".join(f"{_compared(facts.column(sort.by))} IS NOT NULL" for sort in plan.sort if isinstance(sort.by, str))
        where = f"{where} AND {measured}" if where and measured else f" WHERE {measured}" if measured else where
    sql = f"SELECT row_id, {', '.join(cells)} FROM rows{where} ORDER BY {', '.join([*order, 'row_id'])}"
    return Query(sql + _limit(plan), values, columns, numbered=True)


def _first_place(plan: TablePlan, facts: TableFacts) -> str:
    by = plan.sort[0].by
    assert isinstance(by, str)
    return _compared(facts.column(by))


def _limit(plan: TablePlan) -> str:
    return f" LIMIT {int(plan.limit)}" if plan.limit else ""


def shown_columns(plan: TablePlan, facts: TableFacts) -> tuple[ResultColumn, ...]:
    """What is shown of rows: what was asked, the key columns, what was filtered or ranked on, and no other column."""
    answer = plan.select or (facts.naming,)
    conditions = [comparison.column for clause in plan.where for comparison in clause.any_of]
    conditions += [sort.by for sort in plan.sort if isinstance(sort.by, str)]
    roles: dict[str, Role] = {}
    for names, role in ((answer, "answer"), (facts.keys, "key"), (conditions, "condition")):
        for name in names:
            roles.setdefault(name, role)  # type: ignore[arg-type]
    order = [
        *(name for name in facts.keys if name in roles and roles[name] != "answer"),
        *(n for n, role in roles.items() if role == "condition"),
    ]
    named = facts.naming if plan.select and facts.naming in roles and facts.naming not in plan.select else None
    final = [*([named] if named else []), *(n for n, role in roles.items() if role == "answer"), *(n for n in order if n != named)]
    return tuple(ResultColumn(name=name, type=facts.column(name).type, role=roles[name]) for name in dict.fromkeys(final))


def _compile_groups(plan: TablePlan, facts: TableFacts) -> Query:
    groups = [facts.column(name) for name in plan.group_by]
    counted = [facts.column(m.column) for m in plan.measures if m.column and m.function == "count_distinct"]
    listed = [column for column in dict.fromkeys([*groups, *counted]) if column.list_separator is not None]
    source = "rows" + "".join(f" JOIN items{c.position} USING (row_id)" for c in listed)
    where, values = _where(plan, facts)
    ranked = [sort.by for sort in plan.sort if isinstance(sort.by, Measure) and sort.by not in plan.measures]
    measures = [*plan.measures, *ranked]
    cells = [_group_cell(column) for column in groups] + [_measure(measure, facts, bool(listed)) for measure in measures]
    columns = [ResultColumn(name=column.name, type=column.type, role="answer") for column in groups]
    columns += [
        ResultColumn(name=measure_name(m), type=_measure_type(m, facts), role="answer" if m in plan.measures else "condition")
        for m in measures
    ]
    if not groups:
        return Query(f"SELECT {', '.join(cells)} FROM {source}{where}", values, tuple(columns), numbered=False)
    tested = [f"{_measure(h.measure, facts, bool(listed))} {_SIGNS[h.op]} ?" for h in plan.having]
    tested += [f"{_group_key(column)} IS NOT NULL" for column in groups if plan.limit]
    having = f" HAVING {' AND '.join(tested)}" if tested else ""
    keys = ", ".join(_group_key(column) for column in groups)
    order = [_order(sort, facts, bool(listed)) for sort in plan.sort] + [_group_key(column) for column in groups]
    body = f"FROM {source}{where} GROUP BY {keys}{having}"
    every = (*values, *(h.value for h in plan.having))
    if plan.limit == 1 and plan.sort:  # every group that shares the first place
        named = ", ".join(f"{cell} AS g{n}" for n, cell in enumerate(cells))
        ranking = f"SELECT {named}, rank() OVER (ORDER BY {_order(plan.sort[0], facts, bool(listed))}) AS place {body}"
        return Query(
            f"SELECT {', '.join(f'g{n}' for n in range(len(cells)))} FROM ({ranking}) WHERE place = 1",
            every,
            tuple(columns),
            numbered=False,
        )
    return Query(f"SELECT {', '.join(cells)} {body} ORDER BY {', '.join(order)}{_limit(plan)}", every, tuple(columns), numbered=False)


def measure_name(measure: Measure) -> str:
    """How a figure's column is called."""
    return "count" if measure.function == "count" else f"{measure.function.replace('_', ' ')} of {measure.column}"


def _measure_type(measure: Measure, facts: TableFacts) -> ColumnType:
    if measure.function in ("count", "count_distinct"):
        return "integer"
    assert measure.column is not None
    kind = facts.column(measure.column).type
    return "decimal" if measure.function == "average" or kind in ("money", "percent") else kind


def _measure(measure: Measure, facts: TableFacts, joined: bool) -> str:
    if measure.function == "count" or measure.column is None:
        return "count(DISTINCT rows.row_id)" if joined else "count(*)"
    column = facts.column(measure.column)
    if measure.function == "count_distinct":
        return f"count(DISTINCT {_group_key(column)})"
    return f"{ {'average': 'avg'}.get(measure.function, measure.function) }(rows.c{column.position})".replace(" ", "")


def _group_key(column: ColumnFacts) -> str:
    return f"items{column.position}.item_f" if column.list_separator is not None else f"rows.{_compared(column)}"


def _group_cell(column: ColumnFacts) -> str:
    """A group is shown in the commonest spelling of its term."""
    if column.list_separator is not None or column.textual:
        return f"(SELECT text FROM term WHERE position = {column.position} AND folded = {_group_key(column)})"
    return f"max({_cell(column)})"


def _cell(column: ColumnFacts) -> str:
    spot = f"rows.c{column.position}"
    if column.shown_as_spelled and column.spelled:
        return f"{spot}_s"
    return f"coalesce({spot}, {spot}_s)" if column.spelled else spot


def _compared(column: ColumnFacts) -> str:
    return f"c{column.position}_f" if column.textual else f"c{column.position}"


def _order(sort: Sort, facts: TableFacts, joined: bool = False) -> str:
    expression = _measure(sort.by, facts, joined) if isinstance(sort.by, Measure) else f"rows.{_compared(facts.column(sort.by))}"
    return f"{expression} {'DESC' if sort.descending else 'ASC'} NULLS LAST"


# ---- conditions


def _where(plan: TablePlan, facts: TableFacts) -> tuple[str, tuple[Value, ...]]:
    parts, values = [], []
    for clause in plan.where:
        tests = []
        for comparison in clause.any_of:
            sql, bound = _test(comparison, facts.column(comparison.column))
            tests.append(sql)
            values += bound
        parts.append(tests[0] if len(tests) == 1 else f"({' OR '.join(tests)})")
    return (f" WHERE {' AND '.join(parts)}" if parts else ""), tuple(values)


def _test(comparison: Comparison, column: ColumnFacts) -> tuple[str, list[Value]]:
    op, spot = comparison.op, f"rows.{_compared(column)}"
    if op == "blank":
        return f"{spot} IS NULL", []
    if op == "not_blank":
        return f"{spot} IS NOT NULL", []
    if op in ("open", "closed"):
        tests = " OR ".join(["open_at(text, ?)"] * len(comparison.values))
        terms = f"SELECT folded FROM term WHERE position = {column.position} AND "
        return f"{spot} IN ({terms}{'NOT ' if op == 'closed' else ''}({tests}))", list(comparison.values)
    if column.list_separator is not None:
        return _list_test(comparison, column)
    if not column.textual:
        return _typed_test(comparison, column, spot)
    sql, values = _text_test(op, spot, comparison.values, column)
    return (f"({spot} IS NULL OR {sql})", values) if op in ("is_not", "not_contains") else (sql, values)


def _typed_test(comparison: Comparison, column: ColumnFacts, spot: str) -> tuple[str, list[Value]]:
    values = [_typed(value, column) for value in comparison.values]
    if comparison.op in ("is", "is_not"):
        if column.type == "datetime" and all(isinstance(value, str) and len(value) == 10 for value in values):
            spot = f"substr({spot}, 1, 10)"
        places = ", ".join("?" * len(values))
        return (f"{spot} IN ({places})", values) if comparison.op == "is" else (f"({spot} IS NULL OR {spot} NOT IN ({places}))", values)
    return f"{spot} {_SIGNS[comparison.op]} ?", values


def _typed(value: Value, column: ColumnFacts) -> Value:
    if column.type == "boolean" and isinstance(value, str):
        return int(fold(value) in ("yes", "true", "y", "t", "1"))
    return value


def _text_test(op: str, spot: str, values: Sequence[Value], column: ColumnFacts) -> tuple[str, list[Value]]:
    folded = [fold(str(value)) for value in values]
    if op in ("is", "is_not", "has", "has_none"):
        return f"{spot} {'NOT ' if op == 'is_not' else ''}IN ({', '.join('?' * len(folded))})", list(folded)
    tests: list[str] = []
    bound: list[Value] = []
    for value in folded:
        if op == "starts_with":
            tests.append(f"({spot} >= ? AND {spot} < ?)")
            bound += [value, value + _LAST]
        elif op == "ends_with":
            tests.append(f"substr({spot}, -length(?)) = ?")
            bound += [value, value]
        elif op == "words":
            tests.append(
                f"{spot} IN (SELECT folded FROM term WHERE position = {column.position} AND id IN (SELECT rowid FROM term_words WHERE term_words MATCH ?))"
            )
            bound.append(" ".join('"' + word.replace('"', '""') + '"' for word in stems(key(value)).split()) or '""')
        else:
            tests.append(f"instr({spot}, ?) > 0")
            bound.append(value)
    joined = tests[0] if len(tests) == 1 else f"({' OR '.join(tests)})"
    return (f"NOT {joined}" if op == "not_contains" else joined), bound


def _list_test(comparison: Comparison, column: ColumnFacts) -> tuple[str, list[Value]]:
    """Lists are asked of their items; has_all wants each of the values in the row."""
    items = f"items{column.position}"
    op = comparison.op
    if op == "has_all":
        tests = [_list_test(comparison.model_copy(update={"op": "has", "values": (value,)}), column) for value in comparison.values]
        return f"({' AND '.join(sql for sql, _ in tests)})", [value for _, values in tests for value in values]
    positive = {"is": "has", "is_not": "has_none", "not_contains": "contains"}.get(op, op)
    sql, values = _text_test("has" if positive == "has_none" else positive, f"{items}.item_f", comparison.values, column)
    denied = "NOT " if op in ("is_not", "has_none", "not_contains") else ""
    return f"rows.row_id {denied}IN (SELECT row_id FROM {items} WHERE {sql})", values
