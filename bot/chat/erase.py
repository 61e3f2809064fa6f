"""Takes one person's conversations out of the state database."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

from sqlalchemy import Connection, delete, func, or_, select

from bot.chat.audit import ERASED, Entry, add, remove
from bot.chat.state import State, conversation, person_key
from bot.chat.stored import asker_of, incoming_of, place_of
from bot.chat.tables import AUDIT, CHOICES, FEEDBACK, OUTBOX, QUESTIONS, REPLIES, SCHEDULES, TURNS, USED
from bot.chat.types import Asker, Place
from engine.types import Reply

_EVER: Final = 1e12  # a time after all others


@dataclass(frozen=True, slots=True)
class Erased:
    """How many rows went from where."""

    turns: int = 0
    replies: int = 0
    choices: int = 0
    feedback: int = 0
    questions: int = 0
    outbox: int = 0
    schedules: int = 0
    audit: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return sum(asdict(self).values())


def erase(state: State, person: str, *, with_audit: bool = False) -> Erased:
    """Removes what a person (a platform's id, or an e-mail) asked and chose and was answered, and gives how much that was.

    Where several people talked, only this person's messages and the replies to them go; a question of somebody else that went on from theirs
    stays, as that person's own, and may have taken a word of it along. With `with_audit` the entries of the audit go as well; an entry
    without a word or an e-mail of the person says that it was done. SQLite writes over what was removed; in PostgreSQL that is for VACUUM.
    """
    with state.database.transaction() as base:
        replies = [row for row in base.execute(_replies_naming(person)) if _is(asker_of(row.asker), person)]
        asked = [(row.id, incoming_of(row.incoming)) for row in base.execute(select(QUESTIONS.c.id, QUESTIONS.c.incoming))]
        people = {_known(place_of(row.place), asker_of(row.asker)) for row in replies}
        people |= {_known(incoming.place, incoming.asker) for _, incoming in asked if _is(incoming.asker, person)}
        people |= {tuple(row) for row in base.execute(_audited(person))}
        # whoever is known by an e-mail may have asked when the platform did not tell it
        for name in sorted({asker for _, _, asker in people} - {person}):
            there = {row.id for row in replies}
            named = [row for row in base.execute(_replies_naming(name)) if row.id not in there and not asker_of(row.asker).email]
            replies += [row for row in named if _known(place_of(row.place), asker_of(row.asker)) in people]
        waiting = [
            (question, incoming)
            for question, incoming in asked
            if _is(incoming.asker, person) or (not incoming.asker.email and _known(incoming.place, incoming.asker) in people)
        ]
        scheduled = [row for row in base.execute(select(SCHEDULES)) if _is(asker_of(row.asker), person)]
        people |= {(row.platform, row.workspace, row.maker) for row in scheduled}
        ids = {person, *(asker for _, _, asker in people)}
        turns = sum(_erase_turns(base, row) for row in replies)
        turns += _gone(base, TURNS, TURNS.c.who == person)  # whatever is left under the id itself
        keys = [person_key(*one) for one in people]
        erased = Erased(
            turns=turns,
            replies=sum(_gone(base, REPLIES, REPLIES.c.id == row.id) for row in replies),
            choices=sum(_gone(base, CHOICES, CHOICES.c.person == key) for key in keys),
            feedback=sum(_gone(base, FEEDBACK, FEEDBACK.c.asker == asker) for asker in ids)
            + sum(_gone(base, FEEDBACK, FEEDBACK.c.reply == row.id) for row in replies),
            questions=sum(_gone(base, QUESTIONS, QUESTIONS.c.id == question) for question, _ in waiting),
            outbox=sum(_gone(base, OUTBOX, OUTBOX.c.reply == row.id) for row in replies),
            schedules=sum(
                _gone(base, SCHEDULES, SCHEDULES.c.platform == one[0], SCHEDULES.c.workspace == one[1], SCHEDULES.c.maker == one[2])
                for one in people
            ),
            audit=sum(_erase_audit(base, *one) for one in people) if with_audit else 0,
        )
        for platform, workspace, asker in people:
            _gone(base, USED, USED.c.platform == platform, USED.c.workspace == workspace, USED.c.asker == asker)
        if erased.total:
            for platform, workspace, asker in sorted(people) or [("", "", person)]:
                done = Entry(action=ERASED, platform=platform, workspace=workspace, asker=asker, rows=erased.total)
                add(base, done, state.database.clock)
    state.database.clear_log()
    return erased


def _is(asker: Asker, person: str) -> bool:
    return asker.id == person or asker.email.casefold() == person.casefold()


def _known(place: Place, asker: Asker) -> tuple[str, str, str]:
    return (place.platform, place.workspace, asker.id)


def _replies_naming(person: str) -> Any:
    """The replies whose asker may be the person: their id or e-mail stands in the JSON, which is looked into afterwards."""
    # JSON writes what is not ASCII otherwise, and LIKE folds only what is: such a name is looked for among all
    chosen = select(REPLIES.c.id, REPLIES.c.place, REPLIES.c.asker, REPLIES.c.reply, REPLIES.c.at)
    plain = person.isascii() and person.isprintable() and not set(person) & set('"\\')
    return chosen.where(func.lower(REPLIES.c.asker).contains(person.lower(), autoescape=True)) if plain else chosen


def _audited(person: str) -> Any:
    named = or_(AUDIT.c.asker == person, func.lower(AUDIT.c.email) == person.lower())
    return select(AUDIT.c.platform, AUDIT.c.workspace, AUDIT.c.asker).where(named, AUDIT.c.asker != "").distinct()


def _erase_turns(base: Connection, reply: Any) -> int:
    """Removes the turns that a reply made: they are of the same moment in the same conversation."""
    asker = asker_of(reply.asker)
    here = (TURNS.c.conversation == conversation(place_of(reply.place), asker), TURNS.c.at == reply.at)
    headline = Reply.model_validate_json(reply.reply).parts[0].headline
    answered = base.execute(select(TURNS.c.id).where(*here, TURNS.c.who == "", TURNS.c.text == headline).limit(1)).scalar()
    return _gone(base, TURNS, *here, TURNS.c.who == asker.id) + _gone(base, TURNS, TURNS.c.id == answered)


def _erase_audit(base: Connection, platform: str, workspace: str, asker: str) -> int:
    theirs = (AUDIT.c.platform == platform, AUDIT.c.workspace == workspace, AUDIT.c.action != ERASED)
    return remove(base, _EVER, asker, *theirs)


def _gone(base: Connection, table: Any, *conditions: Any) -> int:
    return base.execute(delete(table).where(*conditions)).rowcount
