"""How much may be asked in a minute and taken away in a day, counted over all processes of a state database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final

from sqlalchemy import Connection, delete, func, insert, select

from bot.chat.sentences import say
from bot.chat.settings import LimitSettings
from bot.chat.state import State
from bot.chat.tables import AUDIT, USED
from bot.chat.types import Asker, Place

MINUTE: Final = 60.0
DAY: Final = 86_400.0
_QUESTIONS: Final = "questions"
_ROWS: Final = "rows"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something is not done: the key of a sentence, and what it is filled with."""

    key: str
    fields: Mapping[str, str] = field(default_factory=dict)

    def sentence(self, language: str) -> str:
        """The sentence for the person."""
        return say(language, self.key, **self.fields)


class Limits:
    """The limits of a state database; every method is one transaction and may be called from any thread.

    A minute and a day are the last 60 seconds and 24 hours. What is not refused is counted by the same call: of many at once, on whichever
    process, no more get through than may. What is refused is not counted.
    """

    def __init__(self, state: State, settings: LimitSettings) -> None:
        self._database = state.database
        self._settings = settings

    def refuses_question(self, place: Place, asker: Asker) -> Refusal | None:
        """Why this person may not ask now; None where they may, and then have."""
        most, most_together = self._settings.questions, self._settings.workspace_questions
        if not (most or most_together):
            return None
        with self._database.transaction() as base:
            self._begin(base, place, _QUESTIONS, MINUTE)
            if most and self._used(base, place, _QUESTIONS, MINUTE, asker) >= most:
                return Refusal("limit_person", {"most": f"{most:,}"})
            if most_together and self._used(base, place, _QUESTIONS, MINUTE) >= most_together:
                return Refusal("limit_workspace", {"most": f"{most_together:,}"})
            self._use(base, place, asker, _QUESTIONS, 1)
        return None

    def models_spent(self, place: Place) -> bool:
        """Whether the workspace has spent what it may on models: its questions are then planned without one, and not refused."""
        if not (most := self._settings.spend):
            return False
        with self._database.transaction() as base:
            return self._spent(base, place) >= most

    def refuses_export(self, place: Place, asker: Asker, rows: int) -> Refusal | None:
        """Why this person may not take so many rows away; None where they may, and then have."""
        most = self._settings.rows
        if not most:
            return None
        with self._database.transaction() as base:
            self._begin(base, place, _ROWS, DAY)
            taken = self._used(base, place, _ROWS, DAY, asker)
            if taken + rows > most:
                return Refusal("limit_rows", {"most": f"{most:,}", "taken": f"{taken:,}", "rows": f"{rows:,}"})
            self._use(base, place, asker, _ROWS, rows)
        return None

    def _begin(self, base: Connection, place: Place, what: str, seconds: float) -> None:
        """Has the counts of a workspace to itself until the transaction ends, and drops what counts no more."""
        digest = blake2b(repr((place.platform, place.workspace, what)).encode(), digest_size=8).digest()
        self._database.alone(base, int.from_bytes(digest, "big", signed=True))
        base.execute(delete(USED).where(*_here(place, what), USED.c.at <= self._database.clock() - seconds))

    def _used(self, base: Connection, place: Place, what: str, seconds: float, asker: Asker | None = None) -> int:
        chosen = select(func.coalesce(func.sum(USED.c.amount), 0)).where(*_here(place, what), USED.c.at > self._database.clock() - seconds)
        return int(base.execute(chosen if asker is None else chosen.where(USED.c.asker == asker.id)).scalar_one())

    def _use(self, base: Connection, place: Place, asker: Asker, what: str, amount: int) -> None:
        used = {"platform": place.platform, "workspace": place.workspace, "asker": asker.id, "what": what, "amount": amount}
        base.execute(insert(USED).values(**used, at=self._database.clock()))

    def _spent(self, base: Connection, place: Place) -> float:
        """What models have cost the workspace in a day, as the audit has it: it is known only when a question is answered."""
        chosen = select(func.coalesce(func.sum(AUDIT.c.spend), 0.0)).where(
            AUDIT.c.platform == place.platform,
            AUDIT.c.workspace == place.workspace,
            AUDIT.c.at > self._database.clock() - DAY,
            AUDIT.c.spend > 0,
        )
        return float(base.execute(chosen).scalar_one())


def _here(place: Place, what: str) -> tuple[Any, ...]:
    return (USED.c.platform == place.platform, USED.c.workspace == place.workspace, USED.c.what == what)
