"""Who is who in Teams: who asks, and who is in the team or the chat where something is said."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeVar

from bot.chat.known import Known
from bot.chat.types import Asker, NobodyError, Place, TryLater, Undeliverable, UnknownPeopleError
from bot.teams.activity import user_id
from bot.teams.connector import Connector, Missing

PERSON_SECONDS: Final = 3600.0
MEMBERS_SECONDS: Final = 60.0
MOST_MEMBERS: Final = 5000
_PATIENCE: Final = 3.0  # that a call waits where Teams asks to wait; a question has not much longer
_MOST_PAGES: Final = 250  # of at least twenty members each; a list that goes on after that is no answer
_BOT: Final = "28:"  # how the ids of bots begin

Member = Mapping[str, Any]
T = TypeVar("T")


class TeamsPeople:
    """The people of a tenant, as the bot.chat.types.People that the handler asks; tenant is the bot's, that of the place where it is empty.

    Teams tells a bot of no groups: those come from what the organisation maps its people with.
    """

    def __init__(self, connector: Connector, tenant: str = "", clock: Callable[[], float] = time.monotonic) -> None:
        self._connector = connector
        self._tenant = tenant
        self._persons: Known[Asker] = Known(PERSON_SECONDS, clock)
        self._members: Known[tuple[Asker, ...] | None] = Known(MEMBERS_SECONDS, clock)

    async def person(self, place: Place, asker: Asker) -> Asker:
        """The same person with name and e-mail, for what is kept of them; as they came where Teams does not answer."""
        try:
            return await self.identify(place, asker)
        except UnknownPeopleError:
            return asker

    async def identify(self, place: Place, asker: Asker) -> Asker:
        """The same person with name, e-mail, and whether they are an outsider; raises UnknownPeopleError."""
        found = await self._persons.get(f"{place.workspace} {asker.id}", lambda: self._look_up(place, asker.id))
        return replace(found, id=asker.id, name=found.name or asker.name)

    async def audience(self, place: Place) -> tuple[Asker, ...] | None:
        """Everybody but bots who sees what is said there: () where the asker alone does, None where they are too many to be told.

        Raises UnknownPeopleError.
        """
        if place.private:
            return ()
        return await self._members.get(f"{place.workspace} {place.channel}", lambda: self._list(place))

    async def _look_up(self, place: Place, user: str) -> Asker:
        """Asks by the id that Teams gave with the message, where it is of this person: it is known in every kind of conversation."""
        if not place.address:
            raise UnknownPeopleError
        try:
            member = await _patiently(lambda: self._connector.member(place.address, place.channel, user_id(place, user)))
        except UnknownPeopleError as error:
            if isinstance(error.__cause__, Missing):
                raise NobodyError from error
            raise
        if user not in (_object_id(member), member.get("id")):
            raise UnknownPeopleError
        return self._asker(member, place)

    async def _list(self, place: Place) -> tuple[Asker, ...] | None:
        if not place.address:
            raise UnknownPeopleError
        found: dict[str, Asker] = {}  # by id: a page may hold again who stood on an earlier one
        following = ""
        for _ in range(_MOST_PAGES):
            members, following = await _patiently(partial(self._connector.members, place.address, place.channel, following))
            for member in members:
                if not str(member.get("id") or "").startswith(_BOT):
                    asker = self._asker(member, place)
                    found[asker.id] = asker
            if len(found) > MOST_MEMBERS:
                return None
            if not following:
                break
        if following or not found:  # whoever asks is there, so nobody is not who is there
            raise UnknownPeopleError
        return tuple(found.values())

    def _asker(self, member: Member, place: Place) -> Asker:
        """A member of a roster; an outsider unless everything says that they are a user of this tenant."""
        name, email, principal = (str(member.get(field) or "") for field in ("name", "email", "userPrincipalName"))
        ours = (self._tenant or place.workspace).casefold()
        tenant, role = (str(member.get(field) or "").casefold() for field in ("tenantId", "userRole"))
        stranger = not ours or tenant != ours
        outsider = stranger or role != "user" or "#ext#" in principal.casefold()
        identity = _object_id(member) or str(member.get("id") or "")
        if not identity:
            raise UnknownPeopleError
        known = "" if stranger else email or ("" if outsider else principal)  # another organisation may write what it likes
        return Asker(identity, name, known, outsider=outsider)


def _object_id(member: Member) -> str:
    """The Entra object id, which rosters have under either name."""
    return str(member.get("aadObjectId") or member.get("objectId") or "")


async def _patiently(ask: Callable[[], Awaitable[T]]) -> T:
    """What the connector gives, once more where Teams asks to wait a little; raises UnknownPeopleError."""
    try:
        try:
            return await ask()
        except TryLater as later:
            if later.seconds is None or later.seconds > _PATIENCE:
                raise
            await asyncio.sleep(later.seconds)
            return await ask()
    except (TryLater, Undeliverable) as error:
        raise UnknownPeopleError from error
