"""An entry of the audit, from what was asked for and what was given."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bot.chat.audit import Entry
from bot.chat.types import PAGE_ROWS, Asker, Place
from engine.types import ClarifyPlan, Measure, Reply, SqlPlan, TablePlan


def entry_of(
    action: str,
    place: Place,
    asker: Asker,
    *,
    reply_id: str = "",
    reply: Reply | None = None,
    question: str = "",
    scope: str = "",
    page: int = 0,
    page_rows: int = PAGE_ROWS,
    row_ids_of: Callable[[str], bool] | None = None,
    exported: int = 0,
    spend: float = 0.0,
) -> Entry:
    """What the audit keeps of an action.

    question: as it was asked; else that of the reply. page: whose rows were shown, 0 where all were. row_ids_of: whether the row numbers of a
    table are kept. exported: rows that left as a file. spend: what models cost beside what the reply took.
    """
    parts = reply.parts if reply else ()
    named = [(plan.table, column) for part in parts for plan in _table_plans(part.plan) for column in _columns(plan)]
    ids: dict[str, tuple[int, ...]] = {}
    for part in parts:
        if part.result is None or not isinstance(part.plan, (TablePlan, SqlPlan)):
            continue
        if isinstance(part.plan, TablePlan):
            named += [(part.plan.table, column.name) for column in part.result.columns]
        named += part.result.reads
        table = part.plan.table if isinstance(part.plan, TablePlan) else part.result.reads[0][0] if part.result.reads else ""
        if part.result.row_ids is not None and row_ids_of is not None and row_ids_of(table):
            first, last = ((page - 1) * page_rows, page * page_rows) if page else (0, None)
            ids[table] = ids.get(table, ()) + part.result.row_ids[first:last]
    tables = [*(plan.table for part in parts for plan in _table_plans(part.plan)), *(table for table, _ in named)]
    return Entry(
        action=action,
        platform=place.platform,
        workspace=place.workspace,
        channel=place.channel,
        thread=place.thread,
        asker=asker.id,
        email=asker.email,
        reply=reply_id,
        question=question or (parts[0].question if parts else ""),
        kind=reply.kind if reply else "",
        tables=tuple(dict.fromkeys(tables)),
        columns=tuple(dict.fromkeys(f"{table}.{column}" for table, column in named if column)),
        rows=sum(part.result.total for part in parts if part.result),
        row_ids=ids or None,
        plan=tuple(part.plan.model_dump(mode="json", exclude_defaults=True) | {"kind": part.plan.kind} for part in parts if part.plan),
        planner=reply.planner if reply else "",
        scope=scope,
        exported=exported,
        spend=spend + (reply.spent.cost if reply else 0.0),
    )


def _table_plans(plan: object) -> Iterator[TablePlan]:
    """The plans over tables that a plan is or offers."""
    if isinstance(plan, TablePlan):
        yield plan
    elif isinstance(plan, ClarifyPlan):
        yield from (reading.plan for reading in plan.readings)


def _columns(plan: TablePlan) -> Iterator[str]:
    yield from (test.column for clause in plan.where for test in clause.any_of)
    yield from plan.group_by
    measures = [*plan.measures, *(having.measure for having in plan.having)]
    for sort in plan.sort:
        if isinstance(sort.by, Measure):
            measures.append(sort.by)
        else:
            yield sort.by
    yield from (measure.column for measure in measures if measure.column)
    yield from plan.select
