"""The tries of a model at a query: each is turned into a plan, checked and run; what is wrong is said so that the model can repair it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from engine.agents.asked_back import ambiguous, asked_back, plain
from engine.agents.asked_for import asked_apart
from engine.agents.decided import EMPTY, at_most, not_told, planned, second_best
from engine.agents.doubts import doubts_of, nothing_found, overlooked
from engine.agents.form import Action, AskBack, Beyond, Figures, NotInTable, Retype, Rows, Select
from engine.agents.ground import Ground
from engine.agents.plan_of import plan_of
from engine.agents.receipt import receipt
from engine.agents.unplaced import are_few, passed_over, unplaced
from engine.agreed import check_types
from engine.check import check, named_columns
from engine.errors import ExecutionError, PlanError
from engine.execute import SECONDS, execute
from engine.plan.decide import Decision
from engine.settings import printable
from engine.types import SqlPlan, TablePlan


@dataclass(slots=True)
class Attempts:
    """What came of the tries so far: `said` is what was wrong with each, `best` what runs and was refused, `good` what was taken.

    strict: whether what is doubtful comes back. seconds: what running one try may take. retypes: whether the table may be made again with
    other types.
    """

    ground: Ground
    strict: bool = True
    seconds: Callable[[], float] = lambda: SECONDS
    retypes: bool = True
    said: list[str] = field(default_factory=list)
    best: Decision | None = None
    good: Decision | None = None
    _told: set[str] = field(default_factory=set)  # of what is told once

    def take(self, action: Action | Select) -> None:
        """Keeps what the action decides as `good`; raises ValueError with all that is wrong, and keeps a plan that runs as `best`."""
        if isinstance(action, Beyond):
            return
        if isinstance(action, Retype):
            self._check_types(action)
            return
        try:
            decided, doubts = self._decided(action)
        except ExecutionError as error:
            raise self._wrong([error.detail or str(error)]) from None
        except PlanError as error:
            raise self._wrong(str(error).split("\n")) from None
        if doubts and self.strict:
            if isinstance(decided.plan, (TablePlan, SqlPlan)) and self._may_stand(decided):
                self.best = second_best(decided)
            raise self._wrong(doubts)
        self.good = decided

    def _check_types(self, action: Retype) -> None:
        if not self.retypes:
            raise self._wrong(["The types of the table are settled; ask it as it is."])
        try:
            check_types(self.ground.table, {column.name: column.type for column in action.columns})
        except PlanError as error:
            raise self._wrong([str(error)]) from None
        if not action.columns:
            raise self._wrong(["create_sql_table names the columns whose types are to change."])

    def _wrong(self, said: Sequence[str]) -> ValueError:
        self.said.append(" ".join(said))
        return ValueError(self.said[-1])

    def _may_stand(self, decided: Decision) -> bool:
        """Whether a plan that was refused is better than none: with few words without a place, and no condition that nobody asked for."""
        asked = all(self.ground.words.places(line.phrase) for line in decided.receipt or ())
        return asked and are_few(decided.unused, self.ground)

    def _decided(self, action: Rows | Figures | AskBack | NotInTable | Select) -> tuple[Decision, list[str]]:
        """What an action comes to, and what is doubtful about it."""
        if isinstance(action, NotInTable):
            return not_told(self.ground.spoken(action.words), self.ground.table), []
        if isinstance(action, AskBack):
            return self._asked_back(action), []
        if isinstance(action, Select):
            from engine.agents.written import selected  # which reads a grammar, and only written queries need it

            return selected(action, self.ground, min(SECONDS, self.seconds()), bool(self.said))
        return self._planned(action)

    def _planned(self, action: Rows | Figures) -> tuple[Decision, list[str]]:
        ground = self.ground
        if self.strict:
            action = asked_apart(action, ground)
        tests = ground.tests(action.conditions, lenient=bool(self.said))
        plan = plan_of(action, tests, ground.table.name)
        self._only_sent(plan)
        check(plan, ground.table.facts)
        result, _ = execute(plan, ground.table, min(SECONDS, self.seconds()))
        columns = {*plan.select, *plan.group_by, *(test.column for test in tests), *_measured(action)}
        lost, quiet, doubts = unplaced(action, tests, columns, ground)
        if told := ground.spoken(one.words for one in action.unused if one.why == "not_in_table"):
            return not_told(told, ground.table), []
        doubts += overlooked(action.conditions, tests, ground)
        once = [*doubts_of(action, tests, ground.words), *passed_over(quiet, ground), *nothing_found(plan, result, ground.table)]
        doubts += [doubt for doubt in once if doubt not in self._told]
        self._told |= {*once}
        decided = planned(plan, ground.table, receipt(action.conditions, tests, ground), lost, bool(self.said))
        decided = at_most(decided, EMPTY) if once else decided
        return replace(decided, unused=(*decided.unused, *quiet)), doubts

    def _only_sent(self, plan: TablePlan) -> None:
        """Raises PlanError for a column that a model is not shown: for it there is none."""
        sent = {column.name for column in self.ground.table.facts.sent}
        if unknown := [name for name in named_columns(plan) if name not in sent]:
            raise PlanError(f'There is no column "{printable(unknown[0])}".')

    def _asked_back(self, action: AskBack) -> Decision:
        if not 2 <= len(action.meanings) <= 5:
            raise PlanError("ask_back needs two to five meanings; where there is one, use rows or figures.")
        ground, lenient = self.ground, bool(self.said)
        rest, meanings = ground.tests(action.conditions, lenient), ground.tests(action.meanings, lenient)
        phrase, lost = ambiguous(action, rest, meanings, ground)
        meant = plain(phrase, meanings, ground)
        if meant is None:
            return asked_back(action, rest, meanings, phrase, lost, ground)
        if self.said and self.strict:
            return self._planned(Rows(conditions=(*action.conditions, action.meanings[meant]), match=action.match))[0]
        raise PlanError(
            f'"{phrase}" stands word for word in "{meanings[meant].column}", so that it means that; use rows or figures with it.'
        )


def _measured(action: Rows | Figures) -> Iterator[str]:
    yield from (order.column for order in action.sort if order.column)
    if isinstance(action, Figures):
        yield from (figure.column for figure in action.figures if figure.column)
        yield from (limit.column for limit in action.having if limit.column)
