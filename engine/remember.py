"""Remembers what questions became: the plan and its receipt, run anew every time; never rows, figures or SQL."""

from __future__ import annotations

import json
import logging
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import ValidationError

from cache.counts import count
from cache.hints import Hints
from engine.check import check
from engine.embedder import Embedder
from engine.errors import PlanError
from engine.hours import asked
from engine.language import language_of
from engine.plan.decide import Decision
from engine.rewording import Wording, reworded, spans_in, wording_of
from engine.table import OpenTable
from engine.tables import BUILD
from engine.types import Binding, Chosen, Confidence, Frozen, Question, Scope, TablePlan

NAMESPACE: Final = "plans"
MOST_IN_MEMORY: Final = 1000
_PLANNER: Final = ("plan", "agents", "language", "hours", "fold.py", "letters.py", "lance.py", "rewording.py", "remember.py", "types.py")
log = logging.getLogger(__name__)


class Kept(Frozen):
    """What is kept of an answer: what running its plan again needs to give the same reply."""

    language: str
    plan: TablePlan
    bindings: tuple[Binding, ...]
    unused: tuple[str, ...]
    confidence: Confidence
    planner: Literal["offline", "model"] = "offline"
    spans: tuple[tuple[int, int], ...] = ()  # for each binding the words of the wording, where it is good for other questions of the same


@dataclass(frozen=True)
class Asked:
    """A question and all that its plan depends on; tables are those that the scope shows, now is the asker's."""

    question: Question
    tables: Sequence[OpenTable]
    scope: Scope
    embedder: Embedder
    now: datetime
    chosen: tuple[Chosen, ...] = ()
    planner: str = ""  # the model's, empty where there is none

    @cached_property
    def key(self) -> str:
        """Equal for the same question where nothing could make another plan of it."""
        return _digest("exact", self.question.text, self._rest)

    @cached_property
    def wording(self) -> Wording | None:
        """What the question has in common with those that only say it otherwise; None where it may not be taken for another."""
        return wording_of(self.question.text, self.tables, self.embedder, self.now)

    @property
    def near_key(self) -> str:
        """Equal for questions that only say it otherwise; that of no question where there is no wording."""
        return _digest("near", self.wording.key if self.wording else None, self._rest)

    @property
    def lasting(self) -> bool:
        """Whether the question means the same at another time of this day: not so with "open now"."""
        text, code = self.question.text, language_of(self.question.text).code
        other = self.now.replace(hour=(self.now.hour + 11) % 24, minute=(self.now.minute + 23) % 60)
        return asked(text, code, self.now) == asked(text, code, other)

    @cached_property
    def _rest(self) -> list[Any]:
        return [
            self.question.language,
            [[table.name, table.version, _words(table)] for table in self.tables],
            self.scope.key,
            self.embedder.name,
            [BUILD, _planner(), self.planner],
            [[one.phrase, one.column, one.term] for one in self.chosen],
            [self.now.date().isoformat(), str(getattr(self.now.tzinfo, "key", ""))],  # the zone tells the weekend
        ]


class Memory:
    """Plans by question, in this process and on the disk; for any number of threads and processes.

    Whatever is wrong with what is kept is a miss and one line in the log.
    """

    def __init__(self, root: Path) -> None:
        """The folder is made when something is kept."""
        self._hints = Hints(root, NAMESPACE)
        self._recent: OrderedDict[str, Kept] = OrderedDict()
        self._lock = threading.Lock()

    def recall(self, asked: Asked) -> Decision | None:
        """What was decided when this was asked before, exactly or in words that mean the same; None where it was not."""
        if kept := self._get(asked.key):
            return self._decision(asked.key, kept, asked)
        if asked.wording is None or (near := self._get(asked.near_key)) is None:
            return None
        try:
            lines = reworded(near.bindings, near.spans, asked.question.text, asked.wording)
        except (IndexError, ValueError):
            self._refuse(asked.near_key, "it is of another wording")
            return None
        kept = near.model_copy(update={"bindings": lines})
        self._put(asked.key, kept)
        return self._decision(asked.near_key, kept, asked)

    def keep(self, asked: Asked, decision: Decision, bindings: tuple[Binding, ...]) -> None:
        """Keeps what was decided and answered; nothing where it is no plan of a table, will not be true later in the day, or might be better."""
        if not isinstance(decision.plan, TablePlan) or not asked.lasting or decision.notes:
            return
        kept = Kept(
            language=asked.question.language,
            plan=decision.plan,
            bindings=bindings,
            unused=decision.unused,
            confidence=Confidence(value=decision.confidence, reasons=decision.reasons),
            planner=decision.planner,
        )
        self._set(asked.key, kept)
        if (
            decision.planner == "offline"
            and asked.wording is not None
            and (spans := spans_in(asked.wording, decision, bindings, asked.question.text)) is not None
        ):
            self._set(asked.near_key, kept.model_copy(update={"spans": spans}))

    def close(self) -> None:
        """Closes the files; the next use opens them again."""
        self._hints.close()

    def _decision(self, key: str, kept: Kept, asked: Asked) -> Decision | None:
        table = next((table for table in asked.tables if table.name == kept.plan.table), None)
        try:
            if table is None or kept.language != asked.question.language:
                raise PlanError(f'There is no table "{kept.plan.table}".')
            check(kept.plan, table.facts)
        except PlanError:
            self._refuse(key, "it does not fit the table")
            return None
        return Decision(
            kept.plan,
            table,
            unused=kept.unused,
            reasons=kept.confidence.reasons,
            confidence=kept.confidence.value,
            receipt=kept.bindings,
            planner=kept.planner,
        )

    def _get(self, key: str) -> Kept | None:
        with self._lock:
            if key in self._recent:
                count(NAMESPACE, "hits")
                self._recent.move_to_end(key)
                return self._recent[key]
        if (found := self._hints.get(key)) is None:
            return None
        try:
            kept = Kept.model_validate(found)
        except ValidationError:
            self._refuse(key, "it is not as this version writes it")
            return None
        self._put(key, kept)
        return kept

    def _set(self, key: str, kept: Kept) -> None:
        self._put(key, kept)
        self._hints.set(key, kept.model_dump(mode="json"))

    def _put(self, key: str, kept: Kept) -> None:
        with self._lock:
            self._recent[key] = kept
            self._recent.move_to_end(key)
            while len(self._recent) > MOST_IN_MEMORY:
                self._recent.popitem(last=False)

    def _refuse(self, key: str, why: str) -> None:
        log.warning("a plan that was kept is not used: %s", why)
        with self._lock:
            self._recent.pop(key, None)
        self._hints.forget(key)


def _words(table: OpenTable) -> str:
    """Of what the catalog says of the table's words."""

    def read() -> str:
        examples = [[question, plan.model_dump(mode="json"), why] for question, plan, why in table.words.examples]
        return _digest(table.words.terms, examples)

    return table.remembered(("words digest",), read)


@cache
def _planner() -> str:
    """Of the planner's own files: plans of another planner are not found."""
    found = blake2b(digest_size=12)
    for name in _PLANNER:
        part = files("engine") / name
        for file in sorted(part.iterdir(), key=lambda file: file.name) if part.is_dir() else [part]:
            if file.name.endswith((".py", ".toml")):
                found.update(file.name.encode() + b"\0" + file.read_bytes())
    return found.hexdigest()


def _digest(*parts: Any) -> str:
    return blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=20).hexdigest()
