"""Asks built tables with a model planner whose endpoint is a stand-in: what is played, what comes of it, what was sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cache.hints import Hints
from engine.agents.choose import ChooseForm, FindTable, NoTable, QueryTable
from engine.agents.form import Action, Condition, Rows, Select
from engine.agents.planner import ModelPlanner
from engine.ask import ask
from engine.embed import default_embedder
from engine.model import ModelEndpoint
from engine.remember import Memory
from engine.table import OpenTable
from engine.types import EVERYTHING, Answer, ChatThread, Reply, Scope, Turn
from tests.engine.conftest import NOW
from tests.model.replies import Reply as Played
from tests.model.replies import Said, Script
from tests.model.standin import KEY, Endpoint, serving


def said(action: Action | Select) -> Said:
    """What a model says that fills in the form of a query."""
    return Said({"action": action.model_dump(mode="json")})


def chosen(action: QueryTable | FindTable | NoTable) -> Said:
    """What a model says that chooses tables."""
    return Said(ChooseForm(action=action).model_dump(mode="json"))


def one_of(words: str, column: str, *values: Any, op: Any = "is") -> Condition:
    """A condition."""
    return Condition(words=words, column=column, op=op, values=values)


def rows(*conditions: Condition, **more: Any) -> Said:
    """The rows that meet conditions."""
    return said(Rows(conditions=conditions, **more))


@dataclass(frozen=True)
class Asked:
    """A reply and the requests that were made for it."""

    reply: Reply
    endpoint: Endpoint

    @property
    def part(self) -> Answer:
        """The one part of the reply."""
        (part,) = self.reply.parts
        return part

    @property
    def ids(self) -> list[int]:
        """The numbers of the rows that answer."""
        assert self.part.result is not None and self.part.result.row_ids is not None, self.part.message
        return list(self.part.result.row_ids)

    @property
    def calls(self) -> int:
        """How many requests were made."""
        return self.endpoint.calls

    def told(self, number: int) -> str:
        """What the last message of a request says: the question, or what was wrong with the reply before."""
        return str(self.endpoint.asked[number].messages[-1]["content"])


@dataclass(frozen=True)
class World:
    """Tables, and a folder for what is remembered."""

    tables: Sequence[OpenTable]
    root: Path

    def planner(self, endpoint: Endpoint, /, **how: Any) -> ModelPlanner:
        """A planner that asks the stand-in; seconds: how long one reply may take."""
        seconds = how.pop("seconds", 30.0)
        asked = ModelEndpoint("large", endpoint.address, KEY, seconds=seconds)
        return replace(ModelPlanner(asked, replace(asked, model="small"), Hints(self.root, "histories")), **how)

    def at(
        self, endpoint: Endpoint, text: str, /, *before: str, scope: Scope = EVERYTHING, memory: Memory | None = None, **how: Any
    ) -> Reply:
        """Asks, after the asker's messages before; how: of the planner."""
        thread = ChatThread(turns=tuple(Turn(who="asker", text=turn) for turn in before))
        planner = self.planner(endpoint, **how)
        return ask(text, thread, scope, tables=self.tables, embedder=default_embedder(), now=NOW, memory=memory, planner=planner)

    def __call__(self, text: str, script: Played | Sequence[Played] | Script, *before: str, **how: Any) -> Asked:
        """Asks a stand-in of its own, which plays this."""
        with serving(script) as endpoint:
            reply = self.at(endpoint, text, *before, **how)
        return Asked(reply, endpoint)
