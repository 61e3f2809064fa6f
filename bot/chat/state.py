"""What must not be forgotten: what was heard, what was said, and what has still to be said; in one database that several processes share."""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from sqlalchemy import delete, insert, select, update

from bot.chat.database import Database
from bot.chat.stored import asker_of, incoming_json, incoming_of, place_of, without_rows
from bot.chat.tables import CHOICES, FEEDBACK, KEPT, OUTBOX, PLACES, QUESTIONS, REPLIES, SEEN, TURNS, USED
from bot.chat.types import Asker, Incoming, Place
from engine.fold import fold
from engine.types import Chosen, Reply, Turn

MOST_TURNS: Final = 16  # of a conversation, the latest
FRESH_SECONDS: Final = 2 * 3600  # in a channel without threads, what is older is another conversation
MOST_TRIES: Final = 12
_LONGEST_WAIT: Final = 3600.0  # seconds between two tries
_DAY: Final = 86_400.0
_LONGEST_CHANNEL: Final = 300  # characters of its id


@dataclass(frozen=True, slots=True)
class Kept:
    """A reply as it is remembered: its results without their rows."""

    id: str
    place: Place
    asker: Asker
    reply: Reply
    language: str
    carried: tuple[str, ...]
    message: str = ""
    scope: str = ""  # the key of the one that it was made under
    schedule: str = ""  # the id of the one that asked for it
    above: str = ""  # a line that stands above it


class State:
    """The state database; every method is one transaction and may be called from any thread."""

    def __init__(self, url: str, clock: Callable[[], float] = time.time) -> None:
        self.database = Database(url, clock)
        self._clock = clock
        self._transaction, self._fresh = self.database.transaction, self.database.fresh

    def close(self) -> None:
        """Lets the database go."""
        self.database.close()

    # ---- once only

    def take(self, incoming: Incoming, lease: float) -> str | None:
        """The id of a question that nobody has taken before, to be answered within so many seconds; None for a redelivery."""
        now = self._clock()
        with self._transaction() as base:
            # sorted, so that two processes never wait for each other
            heard = [self._fresh(base, SEEN, key=_seen_key(incoming.place, key), at=now) for key in sorted(set(incoming.keys))]
            if not all(heard):
                return None
            question = new_id()
            base.execute(
                insert(QUESTIONS).values(
                    id=question, platform=incoming.place.platform, incoming=incoming_json(incoming), at=now, lease=now + lease, tries=0
                )
            )
        return question

    def first_time(self, place: Place, keys: Sequence[str], again_after: float = 0.0) -> bool:
        """Whether none of these keys was seen before; with again_after, whether none was within so many seconds."""
        now = self._clock()
        fresh = True
        with self._transaction() as base:
            for key in sorted({_seen_key(place, key) for key in keys}):
                if self._fresh(base, SEEN, key=key, at=now):
                    continue
                renewed = (
                    again_after
                    and base.execute(update(SEEN).where(SEEN.c.key == key, SEEN.c.at < now - again_after).values(at=now)).rowcount
                )
                fresh = fresh and bool(renewed)
        return fresh

    def abandoned(self, platform: str, lease: float) -> list[tuple[str, Incoming, int]]:
        """The questions of a platform whose answering was cut off, now leased to the caller: id, what came in, and how often it was tried."""
        now = self._clock()
        taken = []
        with self._transaction() as base:
            found = base.execute(select(QUESTIONS).where(QUESTIONS.c.platform == platform, QUESTIONS.c.lease < now).limit(20)).all()
            for row in found:
                mine = base.execute(
                    update(QUESTIONS)
                    .where(QUESTIONS.c.id == row.id, QUESTIONS.c.lease == row.lease)
                    .values(lease=now + lease, tries=row.tries + 1)
                ).rowcount
                if mine:
                    taken.append((row.id, incoming_of(row.incoming), row.tries + 1))
        return taken

    # ---- where the bot was met

    def meet(self, place: Place) -> None:
        """Remembers how a channel is reached, where its id alone does not tell; what is known for less than a day stays."""
        if len(place.channel) > _LONGEST_CHANNEL:
            return
        now = self._clock()
        values = {"workspace": place.workspace, "address": place.address, "at": now}
        with self._transaction() as base:
            if not self._fresh(base, PLACES, platform=place.platform, channel=place.channel, **values):
                here = update(PLACES).where(PLACES.c.platform == place.platform, PLACES.c.channel == place.channel)
                base.execute(here.where(PLACES.c.at < now - _DAY).values(**values))  # a platform moves its addresses now and then

    def met(self, platform: str, channel: str) -> Place | None:
        """A channel where the bot was met, with its address."""
        chosen = select(PLACES).where(PLACES.c.platform == platform, PLACES.c.channel == channel)
        with self._transaction() as base:
            row = base.execute(chosen).first()
        return None if row is None else Place(platform, row.workspace, channel, address=row.address)  # type: ignore[arg-type]

    # ---- conversations

    def turns(self, place: Place, asker: Asker) -> tuple[Turn, ...]:
        """What was said in this conversation so far, oldest first, as the asker sees it."""
        chosen = select(TURNS.c.who, TURNS.c.text).where(TURNS.c.conversation == conversation(place, asker))
        if not place.thread:
            chosen = chosen.where(TURNS.c.at > self._clock() - FRESH_SECONDS)
        with self._transaction() as base:
            rows = base.execute(chosen.order_by(TURNS.c.id.desc()).limit(MOST_TURNS)).all()
        return tuple(
            Turn(who="bot" if not row.who else "asker" if row.who == asker.id else "other", text=row.text) for row in reversed(rows)
        )

    # ---- replies

    def keep(self, kept: Kept, said: str, lease: float, question: str = "", *, turns: bool = True) -> bool:
        """Remembers a reply with the turns that it makes, and that it has to be posted within so many seconds; False where it is there already.

        turns: else it is no part of a conversation.
        """
        now = self._clock()
        place, asker = kept.place, kept.asker
        with self._transaction() as base:
            if question:
                base.execute(delete(QUESTIONS).where(QUESTIONS.c.id == question))
            fresh = self._fresh(
                base,
                REPLIES,
                id=kept.id,
                place=json.dumps(asdict(place)),
                asker=json.dumps(asdict(asker)),
                reply=without_rows(kept.reply).model_dump_json(),
                language=kept.language,
                carried=json.dumps(kept.carried),
                message="",
                scope=kept.scope,
                schedule=kept.schedule,
                above=kept.above,
                at=now,
            )
            if not fresh:
                return False
            where = conversation(place, asker)
            spoken = [(asker.id or "?", said), ("", kept.reply.parts[0].headline)]
            if turns:
                base.execute(insert(TURNS), [{"conversation": where, "who": who, "text": text, "at": now} for who, text in spoken if text])
            base.execute(insert(OUTBOX).values(reply=kept.id, platform=place.platform, due=now + lease, tries=0, at=now))
        return True

    def reply(self, reply_id: str) -> Kept | None:
        """A reply by its id, None where it is not kept any more."""
        with self._transaction() as base:
            row = base.execute(select(REPLIES).where(REPLIES.c.id == reply_id)).first()
        if row is None:
            return None
        reply = Reply.model_validate_json(row.reply)
        return Kept(
            row.id,
            place_of(row.place),
            asker_of(row.asker),
            reply,
            row.language,
            tuple(json.loads(row.carried)),
            row.message,
            row.scope,
            row.schedule,
            row.above,
        )

    # ---- what has still to be said

    def posted(self, reply_id: str, message: str = "") -> None:
        """It was said, as this message of the platform."""
        with self._transaction() as base:
            base.execute(delete(OUTBOX).where(OUTBOX.c.reply == reply_id))
            if message:
                base.execute(update(REPLIES).where(REPLIES.c.id == reply_id).values(message=message[:300]))

    def unposted(self, reply_id: str, seconds: float | None = None) -> bool:
        """It could not be said and is due again in so many seconds, longer with every try; False where it was given up."""
        now = self._clock()
        with self._transaction() as base:
            row = base.execute(select(OUTBOX.c.tries).where(OUTBOX.c.reply == reply_id)).first()
            if row is None or row.tries >= MOST_TRIES:
                base.execute(delete(OUTBOX).where(OUTBOX.c.reply == reply_id))
                return False
            wait = min(_LONGEST_WAIT, 2.0**row.tries) if seconds is None else max(0.0, seconds)
            base.execute(update(OUTBOX).where(OUTBOX.c.reply == reply_id).values(due=now + wait, tries=row.tries + 1))
        return True

    def dismissed(self, reply_id: str) -> None:
        """It can never be said."""
        self.posted(reply_id)

    def due(self, platform: str, lease: float) -> list[tuple[str, int]]:
        """The replies of a platform that are due, now leased to the caller: id and how often it was tried."""
        now = self._clock()
        taken = []
        with self._transaction() as base:
            chosen = select(OUTBOX).where(OUTBOX.c.platform == platform, OUTBOX.c.due <= now).order_by(OUTBOX.c.due).limit(20)
            for row in base.execute(chosen).all():
                mine = update(OUTBOX).where(OUTBOX.c.reply == row.reply, OUTBOX.c.due == row.due).values(due=now + lease)
                if base.execute(mine).rowcount:
                    taken.append((row.reply, row.tries))
        return taken

    def waiting(self) -> int:
        """How many replies have still to be posted."""
        with self._transaction() as base:
            return len(base.execute(select(OUTBOX.c.reply)).all())

    # ---- what was chosen

    def choose(self, place: Place, asker: Asker, chosen: Chosen) -> None:
        """Remembers what someone means by a phrase: the latest counts."""
        person = person_key(place.platform, place.workspace, asker.id)
        key = hashlib.sha256(f"{person} {fold(chosen.phrase)}".encode()).hexdigest()
        with self._transaction() as base:
            base.execute(delete(CHOICES).where(CHOICES.c.key == key))
            meant = json.dumps([chosen.column, chosen.term], ensure_ascii=False)
            self._fresh(base, CHOICES, key=key, person=person, phrase=chosen.phrase, meant=meant, at=self._clock())

    def chosen(self, place: Place, asker: Asker) -> tuple[Chosen, ...]:
        """What someone has said to mean by which phrases."""
        with self._transaction() as base:
            rows = base.execute(
                select(CHOICES).where(CHOICES.c.person == person_key(place.platform, place.workspace, asker.id)).order_by(CHOICES.c.at)
            ).all()
        return tuple(Chosen(phrase=row.phrase, column=column, term=term) for row in rows for column, term in [json.loads(row.meant)])

    # ---- feedback, settings, retention

    def judge(self, reply_id: str, asker: str, verdict: str) -> None:
        """Remembers what someone thinks of a reply: the latest counts."""
        with self._transaction() as base:
            base.execute(delete(FEEDBACK).where(FEEDBACK.c.reply == reply_id, FEEDBACK.c.asker == asker))
            self._fresh(base, FEEDBACK, reply=reply_id, asker=asker, verdict=verdict, at=self._clock())

    def verdicts(self, reply_id: str) -> dict[str, str]:
        """What each asker thinks of a reply."""
        with self._transaction() as base:
            return {row.asker: row.verdict for row in base.execute(select(FEEDBACK).where(FEEDBACK.c.reply == reply_id))}

    def secret(self) -> str:
        """The secret that is made once for all processes."""
        with self._transaction() as base:
            self._fresh(base, KEPT, name="secret", value=secrets.token_hex(32))
            return str(base.execute(select(KEPT.c.value).where(KEPT.c.name == "secret")).scalar_one())

    def forget(self, days: float) -> int:
        """Removes what is older, and gives how many replies and turns that was."""
        before = self._clock() - days * _DAY
        with self._transaction() as base:
            gone = sum(base.execute(delete(table).where(table.c.at < before)).rowcount for table in (REPLIES, TURNS, CHOICES))
            for table in (SEEN, QUESTIONS, OUTBOX, FEEDBACK, USED):
                base.execute(delete(table).where(table.c.at < before))
        return gone


def new_id() -> str:
    """An id that nobody can guess: 12 characters."""
    return secrets.token_hex(6)


def conversation(place: Place, asker: Asker) -> str:
    """What tells conversations apart, of a fixed length; what only the asker sees is a conversation of theirs."""
    parts = [place.platform, place.workspace, place.channel, place.thread, asker.id if place.private else ""]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:40]


def person_key(platform: str, workspace: str, asker: str) -> str:
    """What tells people apart where their choices are kept."""
    return hashlib.sha256(f"{platform} {workspace} {asker}".encode()).hexdigest()


def _seen_key(place: Place, key: str) -> str:
    return hashlib.sha256(json.dumps([place.platform, place.workspace, key]).encode()).hexdigest()
