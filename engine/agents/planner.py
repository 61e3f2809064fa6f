"""The model planner as it is set up, and the work of one question: who is asked, what may be spent, what is remembered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, TypeVar

from pydantic import BaseModel

from cache.hints import Hints
from engine.agents.choose import choose_tables
from engine.agents.parts import ALL, Parts
from engine.agents.query import plan_query
from engine.budget import Budget
from engine.embedder import Embedder
from engine.message import Message
from engine.model import ModelEndpoint, ask_model
from engine.plan.decide import Decision
from engine.spend import Spend
from engine.table import OpenTable
from engine.types import Binding, Chosen, ColumnType

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ModelPlanner:
    """How questions are planned by a model.

    kind: "auto" asks it only what the offline planner does not cover, "model" everything. small: what chooses tables and makes questions whole.
    histories, replies: namespaces of what is kept; replies None where every reply is asked for. alone: whether nothing takes over where it fails.
    """

    endpoint: ModelEndpoint
    small: ModelEndpoint
    histories: Hints
    replies: Hints | None = None
    kind: Literal["auto", "model"] = "auto"
    budget: Budget = field(default_factory=Budget)
    parts: Parts = ALL
    alone: bool = False
    retype: Callable[[OpenTable, Mapping[str, ColumnType]], OpenTable] | None = None  # the same table with other types, for everybody

    @property
    def name(self) -> str:
        """Equal for planners that make the same of the same question."""
        from engine.prompts import fingerprint

        return f"{self.kind} {self.endpoint.model} {self.small.model} {self.endpoint.mode} {self.parts} {fingerprint()}"

    def at_once(self) -> ModelPlanner:
        """The same, but for asking a model: a question that needs one raises ModelError, at once."""
        return replace(self, budget=replace(self.budget, calls=0), replies=None, alone=True)


@dataclass(frozen=True, slots=True)
class Work:
    """One question's: tables are those that its scope shows."""

    planner: ModelPlanner
    tables: Sequence[OpenTable]
    embedder: Embedder
    now: datetime
    spend: Spend
    chosen: tuple[Chosen, ...] = ()

    def ask(self, messages: Sequence[Message], form: type[T], *, tries: int = 1, small: bool = False) -> T:
        """A typed reply; raises ModelError."""
        planner = self.planner
        endpoint = planner.small if small else planner.endpoint
        return ask_model(messages, form, endpoint, self.spend, tries=tries, replies=planner.replies)


def plan_with_model(work: Work, text: str) -> Decision:
    """What the two agents make of a question that stands alone; raises ModelError, and PlanError where nothing may be sent."""
    choice = choose_tables(work, text)
    if choice.decision is not None:
        return choice.decision
    decision = plan_query(work, choice.tables, choice.text)
    return _in_the_askers_words(decision, choice.corrections)


def _in_the_askers_words(decision: Decision, corrections: Sequence[tuple[str, str]]) -> Decision:
    """The receipt speaks of what was written, where the question was corrected before it was planned."""
    if not corrections or not decision.receipt:
        return decision

    def line(binding: Binding) -> Binding:
        for said, meant in corrections:
            if meant.casefold() in binding.phrase.casefold():
                return binding.model_copy(update={"phrase": said, "how": "near"})
        return binding

    return replace(decision, receipt=tuple(map(line, decision.receipt)))
