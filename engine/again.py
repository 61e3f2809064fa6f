"""Runs a stored plan again, as it was or with another meaning of one phrase, under the scope of whoever wants it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import cast

from engine.answer import answer
from engine.build.facts import ColumnFacts, TableFacts
from engine.errors import PlanError
from engine.execute import count_rows
from engine.language import language as language_named
from engine.plan.decide import Decision
from engine.run import run_plan
from engine.table import OpenTable
from engine.types import Binding, Candidate, Clause, Comparison, Confidence, Operator, Question, Reply, Scope, SqlPlan, TablePlan, Value

_DENIED = frozenset({"is_not", "has_none", "not_contains"})


def run_again(
    plan: TablePlan | SqlPlan,
    question: str,
    bindings: Sequence[Binding],
    tables: Sequence[OpenTable],
    scope: Scope,
    now: datetime,
    *,
    language: str = "en",
    unused: tuple[str, ...] = (),
    confidence: Confidence = Confidence(value=1.0),
) -> Reply:
    """The answer that the plan gives now, with the bindings of a reply under the same scope.

    Raises PlanError where its table or columns are gone, ExecutionError where it fails.
    """
    result, sql, table = run_plan(plan, [table for table in tables if scope.slice_of(table.entry) == table.part])
    decision = Decision(plan, table, unused=unused, confidence=confidence.value, reasons=confidence.reasons, receipt=tuple(bindings))
    return Reply(parts=(answer(Question(text=question, language=language), decision, result, sql, language_named(language)),))


def corrected(plan: TablePlan, binding: Binding, candidate: Candidate, facts: TableFacts) -> TablePlan:
    """The plan with the binding's condition replaced by the candidate; raises PlanError where the plan has no such condition."""
    try:
        column = facts.column(candidate.column)
    except KeyError:
        raise PlanError(f'The table "{facts.name}" has no column "{candidate.column}".') from None
    other = Comparison(column=column.name, op=_op(binding, column), values=_values(binding, candidate, column))
    found = False
    where = []
    for clause in plan.where:
        tests: list[Comparison] = []
        for test in clause.any_of:
            if found or test.column != binding.column or test.op != binding.op or not set(binding.terms) <= set(test.values):
                tests.append(test)
                continue
            found = True
            rest = tuple(value for value in test.values if value not in binding.terms)  # "Haifa or Acre" may be one test
            if rest:
                tests.append(test.model_copy(update={"values": rest}))
            if other not in tests:
                tests.append(other)
        where.append(Clause(any_of=tuple(tests)))
    if not found:
        raise PlanError(f'The plan has no condition on "{binding.column}" that could be corrected.')
    return plan.model_copy(update={"where": tuple(where)})


def corrected_binding(binding: Binding, candidate: Candidate, table: OpenTable) -> Binding:
    """The receipt's line after the correction: the old meaning is now the first of the candidates."""
    column = table.facts.column(candidate.column)
    old: list[Candidate] = []
    if len(binding.terms) == 1:
        alone = Comparison(column=binding.column, op=cast(Operator, binding.op), values=binding.terms)  # a test, as it could be corrected
        rows = count_rows(TablePlan(table=table.name, where=(Clause(any_of=(alone,)),)), table)
        old = [Candidate(column=binding.column, term=str(binding.terms[0]), rows=rows)]
    others = [other for other in binding.candidates if other != candidate]
    return binding.model_copy(
        update={
            "column": column.name,
            "op": _op(binding, column),
            "terms": _values(binding, candidate, column),
            "how": "exact",
            "candidates": (*old, *others),
        }
    )


def _op(binding: Binding, column: ColumnFacts) -> Operator:
    """The same test, or what it is called on a column of another kind."""
    if (column.numeric or column.temporal) and binding.op in ("less", "at_most", "more", "at_least", "is", "is_not"):
        return binding.op
    if column.list_separator is not None:
        return "has_none" if binding.op in _DENIED else "has"
    return "is_not" if binding.op in _DENIED else "is"


def _values(binding: Binding, candidate: Candidate, column: ColumnFacts) -> tuple[Value, ...]:
    """A figure or a date stays what the asker wrote; a text becomes the term."""
    written = all(isinstance(term, (int, float)) for term in binding.terms) if column.numeric else column.temporal
    if written and binding.terms:
        return binding.terms
    if column.numeric:
        try:
            return (int(candidate.term),)
        except ValueError:
            return (_number(candidate.term),)
    return (candidate.term,)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise PlanError(f'"{text}" is no number; the column holds numbers.') from None
