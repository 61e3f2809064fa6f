"""What the handler asks the engine for, as plain functions that run in a thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ParamSpec, TypeVar

from bot.answering import Answering, Tables, answers_from
from engine.again import corrected, corrected_binding, run_again
from engine.errors import DamageError, PlanError
from engine.table import OpenTable, damage_told
from engine.types import EVERYTHING, Answer, ChatThread, Chosen, ClarifyPlan, Reply, Scope, TablePlan

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Asked:
    """A reply, and the question that would have given it by itself: what the thread goes on from."""

    reply: Reply
    said: str
    chosen: Chosen | None = None  # what the asker has now said to mean by a phrase


@dataclass(frozen=True, slots=True)
class Asking:
    """The engine as the handler sees it.

    answer: a question in its thread. again: the plan of an answer once more, for who is in the thread.
    correct: with another candidate (its number) for a binding (its number). pick: with one reading of a clarification.
    tables: name and description of each table that can be asked. The last three raise PlanError where the plan does not fit any more.
    """

    answer: Answering
    again: Callable[[Answer, ChatThread], Reply]
    correct: Callable[[Answer, int, int, ChatThread], Asked]
    pick: Callable[[Answer, int, ChatThread], Asked]
    tables: Callable[[], list[tuple[str, str]]]


def asking_of(tables: Sequence[OpenTable]) -> Asking:
    """The engine over open tables; those of a catalog are opened anew where their files turn out to be damaged, and asked once more."""
    runs = _Runs(tables)
    return Asking(
        answer=_renewing(tables, answers_from(tables)),
        again=_renewing(tables, runs.again),
        correct=_renewing(tables, runs.correct),
        pick=_renewing(tables, runs.pick),
        tables=lambda: [(table.name, table.facts.description) for table in tables],
    )


def _renewing(tables: Sequence[OpenTable], call: Callable[P, T]) -> Callable[P, T]:
    """The same, called once more after tables whose files turn out to be damaged are opened anew; DamageError where nothing tells how."""

    def renewing(*given: P.args, **named: P.kwargs) -> T:
        opened = tuple(tables)
        try:
            with damage_told(opened):
                return call(*given, **named)
        except DamageError:
            if not isinstance(tables, Tables):
                raise
            tables.renew(opened)
            return call(*given, **named)

    return renewing


class _Runs:
    def __init__(self, tables: Sequence[OpenTable]) -> None:
        self._tables = tables

    def _run(self, plan: TablePlan, answer: Answer, scope: Scope) -> Reply:
        return run_again(
            plan,
            answer.question,
            answer.bindings,
            self._tables,
            scope,
            datetime.now().astimezone(),
            language=answer.language,
            unused=answer.unused,
            confidence=answer.confidence,
        )

    def again(self, answer: Answer, thread: ChatThread) -> Reply:
        if not isinstance(answer.plan, TablePlan):
            raise PlanError("Only a plan of one table can be run again.")
        return self._run(answer.plan, answer, _scope(thread))

    def correct(self, answer: Answer, binding: int, candidate: int, thread: ChatThread) -> Asked:
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
        return Asked(self._run(other, fixed, _scope(thread)), answer.question.replace(old.phrase, chosen.term, 1), meant)

    def pick(self, answer: Answer, reading: int, thread: ChatThread) -> Asked:
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
        return Asked(self._run(chosen.plan, fixed, _scope(thread)), said, said_to_mean)

    def _table(self, plan: TablePlan) -> OpenTable:
        for table in self._tables:
            if table.name == plan.table:
                return table
        raise PlanError(f'There is no table "{plan.table}".')


def _scope(thread: ChatThread) -> Scope:
    """What this asker may see."""
    return EVERYTHING
