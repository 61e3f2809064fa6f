"""The conditions of a plan as SQL: values are bound, columns are c0, c1, ... by position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.build.facts import ColumnFacts, TableFacts
from engine.fold import fold, key, stems
from engine.types import Comparison, TablePlan, Value

SIGNS: Final = {"less": "<", "at_most": "<=", "more": ">", "at_least": ">=", "is": "=", "is_not": "<>"}
_LAST: Final = "\U0010ffff"


def compared(column: ColumnFacts) -> str:
    """The physical column that a column is compared by: its folded text, or its value."""
    return f"c{column.position}_f" if column.textual else f"c{column.position}"


def where_of(plan: TablePlan, facts: TableFacts) -> tuple[str, tuple[Value, ...]]:
    """The WHERE of a plan, empty where it has no conditions, and the values that it binds."""
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
    op, spot = comparison.op, f"rows.{compared(column)}"
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
    return f"{spot} {SIGNS[comparison.op]} ?", values


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
