"""What the handler asks the engine for, as plain functions that run in a thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from bot.answering import Answering, answers_from, memory_of_plans
from engine.again import corrected, corrected_binding, run_again
from engine.errors import ModelError, PlanError
from engine.library import Library
from engine.remember import Memory
from engine.rights import Rights
from engine.table import OpenTable
from engine.types import Answer, ChatThread, Chosen, ClarifyPlan, Reply, Scope, SqlPlan, TablePlan

if TYPE_CHECKING:
    from engine.agents.planner import ModelPlanner


@dataclass(frozen=True, slots=True)
class Asked:
    """A reply, and the question that would have given it by itself: what the thread goes on from."""

    reply: Reply
    said: str
    chosen: Chosen | None = None  # what the asker has now said to mean by a phrase


@dataclass(frozen=True, slots=True)
class AroundModel:
    """What can be had without waiting for a model.

    at_once: the reply where no model is needed for it, else None. unaided: the reply without one, whatever it is. seconds: what a model may take.
    """

    at_once: Callable[[str, ChatThread, Scope], Reply | None]
    unaided: Answering
    seconds: float


@dataclass(frozen=True, slots=True)
class Asking:
    """The engine as the handler sees it; every call takes the scope of whoever will see what comes of it.

    answer: a question in its thread. again: the plan of an answer once more.
    correct: with another candidate (its number) for a binding (its number). pick: with one reading of a clarification.
    tables: name and description of each table that can be asked. rights: what tells scopes, or the one scope that there is.
    audit_rows: whether the audit keeps the numbers of a table's rows.
    model: the ways to answer around a model, where there is one; `answer` then may wait for it.
    again, correct and pick take an answer that was made under the same scope, and raise PlanError where its plan does not fit any more.
    """

    answer: Answering
    again: Callable[[Answer, Scope], Reply]
    correct: Callable[[Answer, int, int, Scope], Asked]
    pick: Callable[[Answer, int, Scope], Asked]
    tables: Callable[[Scope], list[tuple[str, str]]]
    rights: Rights | Scope
    audit_rows: Callable[[str], bool] = lambda table: False
    model: AroundModel | None = None


def asking_of(library: Library, rights: Rights | Scope, planner: ModelPlanner | None = None) -> Asking:
    """The engine over the tables of a catalog; planner: what plans by a model, where something does."""
    memory = memory_of_plans()

    def again(answer: Answer, scope: Scope) -> Reply:
        return library.used(scope, lambda tables: _Runs(tables, scope).again(answer))

    def correct(answer: Answer, binding: int, candidate: int, scope: Scope) -> Asked:
        return library.used(scope, lambda tables: _Runs(tables, scope).correct(answer, binding, candidate))

    def pick(answer: Answer, reading: int, scope: Scope) -> Asked:
        return library.used(scope, lambda tables: _Runs(tables, scope).pick(answer, reading))

    def tables_of(scope: Scope) -> list[tuple[str, str]]:
        return [(table.name, table.facts.description) for table in library.under(scope)]

    kept = frozenset(entry.name for entry in library.catalog.tables if entry.audit_rows)

    def audit_rows(table: str) -> bool:
        return bool(kept & library.entries_named(table))

    answer = answers_from(library, planner, memory=memory)
    model = _around(library, planner, memory) if planner else None
    return Asking(answer, again, correct, pick, tables_of, rights, audit_rows, model)


def _around(library: Library, planner: ModelPlanner, memory: Memory | None) -> AroundModel:
    tried = answers_from(library, planner.at_once(), memory=memory)

    def at_once(text: str, thread: ChatThread, scope: Scope) -> Reply | None:
        try:
            return tried(text, thread, scope)
        except (ModelError, PlanError):
            return None

    return AroundModel(at_once, answers_from(library, memory=memory), planner.budget.seconds)


class _Runs:
    """Stored plans, run under one scope over its tables."""

    def __init__(self, tables: Sequence[OpenTable], scope: Scope) -> None:
        self._tables = tables
        self._scope = scope

    def _run(self, plan: TablePlan | SqlPlan, answer: Answer) -> Reply:
        return run_again(
            plan,
            answer.question,
            answer.bindings,
            self._tables,
            self._scope,
            datetime.now().astimezone(),
            language=answer.language,
            unused=answer.unused,
            confidence=answer.confidence,
        )

    def again(self, answer: Answer) -> Reply:
        if not isinstance(answer.plan, (TablePlan, SqlPlan)):
            raise PlanError("Only a plan can be run again.")
        reply = self._run(answer.plan, answer)
        return reply.model_copy(update={"parts": tuple(part.model_copy(update={"notes": answer.notes}) for part in reply.parts)})

    def correct(self, answer: Answer, binding: int, candidate: int) -> Asked:
        plan = answer.plan
        if not isinstance(plan, TablePlan) or binding >= len(answer.bindings) or candidate >= len(answer.bindings[binding].candidates):
            raise PlanError("There is no such candidate.")
        table = self._table(plan)
        old = answer.bindings[binding]
        chosen = old.candidates[candidate]
        meant = Chosen(phrase=old.phrase, column=chosen.column, term=chosen.term)
        other = corrected(plan, old, chosen, table.facts)
        lines = list(answer.bindings)
        lines[binding] = corrected_binding(old, chosen, table)
        fixed = answer.model_copy(update={"bindings": tuple(lines)})
        return Asked(self._run(other, fixed), answer.question.replace(old.phrase, chosen.term, 1), meant)

    def pick(self, answer: Answer, reading: int) -> Asked:
        plan = answer.plan
        if not isinstance(plan, ClarifyPlan) or reading >= len(plan.readings):
            raise PlanError("There is no such reading.")
        chosen = plan.readings[reading]
        table = self._table(chosen.plan)
        lines = list(answer.bindings)
        for at, line in enumerate(lines):
            meant = next((other for other in line.candidates if f"{other.column} = {other.term}" == chosen.label), None)
            if line.phrase == plan.phrase and meant is not None:
                lines[at] = corrected_binding(line, meant, table)
        fixed = answer.model_copy(update={"bindings": tuple(lines)})
        said = answer.question.replace(plan.phrase, chosen.label.partition(" = ")[2] or plan.phrase, 1)
        column, _, term = chosen.label.partition(" = ")
        said_to_mean = Chosen(phrase=plan.phrase, column=column, term=term) if plan.phrase and term else None
        return Asked(self._run(chosen.plan, fixed), said, said_to_mean)

    def _table(self, plan: TablePlan) -> OpenTable:
        for table in self._tables:
            if table.name == plan.table:
                return table
        raise PlanError(f'There is no table "{plan.table}".')
