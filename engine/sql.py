"""A checked plan as one SELECT over the table of rows; no name and no value of a source is part of the SQL."""

from __future__ import annotations

from dataclasses import dataclass

from engine.build.facts import ColumnFacts, TableFacts
from engine.types import ColumnType, Measure, ResultColumn, Role, Sort, TablePlan, Value
from engine.where import SIGNS, compared, where_of


@dataclass(frozen=True, slots=True)
class Query:
    """A plan as SQL; columns are what is shown, numbered says that the first cell of a row is its number."""

    sql: str
    values: tuple[Value, ...]
    columns: tuple[ResultColumn, ...]
    numbered: bool


def compile_plan(plan: TablePlan, facts: TableFacts) -> Query:
    """The one SELECT that a plan means."""
    if plan.group_by or plan.measures:
        return _compile_groups(plan, facts)
    columns = shown_columns(plan, facts)
    cells = [_cell(facts.column(column.name)) for column in columns]
    where, values = where_of(plan, facts)
    order = [_order(sort, facts) for sort in plan.sort]
    if plan.distinct and plan.select:
        picked = [_cell(facts.column(name)) for name in plan.select]
        shown = tuple(column for column in columns if column.name in plan.select)
        first = min_by = ", ".join(order) or "min(row_id)"
        sql = f"SELECT {', '.join(picked)} FROM rows{where} GROUP BY {', '.join(compared(facts.column(name)) for name in plan.select)} ORDER BY {first or min_by}"
        return Query(sql + _limit(plan), values, shown, numbered=False)
    if plan.limit == 1 and order:  # every row that shares the first place
        best = _first_place(plan, facts)
        glue = " AND " if where else " WHERE "
        first = f"SELECT {best} FROM rows{where}{glue}{best} IS NOT NULL ORDER BY {', '.join(order)} LIMIT 1"
        sql = f"SELECT row_id, {', '.join(cells)} FROM rows{where}{glue}{best} = ({first})"
        return Query(f"{sql} ORDER BY {', '.join([*order, 'row_id'])}", (*values, *values), columns, numbered=True)
    if order and plan.limit:
        measured = " AND ".join(f"{compared(facts.column(sort.by))} IS NOT NULL" for sort in plan.sort if isinstance(sort.by, str))
        where = f"{where} AND {measured}" if where and measured else f" WHERE {measured}" if measured else where
    sql = f"SELECT row_id, {', '.join(cells)} FROM rows{where} ORDER BY {', '.join([*order, 'row_id'])}"
    return Query(sql + _limit(plan), values, columns, numbered=True)


def _first_place(plan: TablePlan, facts: TableFacts) -> str:
    by = plan.sort[0].by
    assert isinstance(by, str)
    return compared(facts.column(by))


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
    where, values = where_of(plan, facts)
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
    tested = [f"{_measure(h.measure, facts, bool(listed))} {SIGNS[h.op]} ?" for h in plan.having]
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
    return f"items{column.position}.item_f" if column.list_separator is not None else f"rows.{compared(column)}"


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


def _order(sort: Sort, facts: TableFacts, joined: bool = False) -> str:
    expression = _measure(sort.by, facts, joined) if isinstance(sort.by, Measure) else f"rows.{compared(facts.column(sort.by))}"
    return f"{expression} {'DESC' if sort.descending else 'ASC'} NULLS LAST"
