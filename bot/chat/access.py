"""What may be shown to whom in a chat: to an asker alone, and where others read along."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec

from bot.chat.types import Asker, NobodyError, People, Place, UnknownPeopleError
from engine.errors import SourceError
from engine.rights import Person, Rights
from engine.types import Scope

P = ParamSpec("P")


class Access:
    """The rules of a catalog over the people of each platform; on a terminal there is one scope, that of whoever holds the files.

    Each raises UnknownPeopleError where it cannot be told who somebody is: then nothing may be shown to them.
    """

    def __init__(self, rights: Rights | Scope) -> None:
        self._rights = rights
        self._people: dict[str, People] = {}

    def introduce(self, platform: str, people: People) -> None:
        """Tells who is who on a platform."""
        self._people[platform] = people

    async def own(self, place: Place, asker: Asker) -> Scope:
        """What the asker may see."""
        if isinstance(self._rights, Scope):
            return self._rights
        return await _told(self._rights.scope_of, _person(await self._of(place).identify(place, asker)))

    async def shared(self, place: Place, asker: Asker) -> Scope:
        """What may be shown in a place: the asker's own where only they read, else what everybody there may see."""
        if isinstance(self._rights, Scope):
            return self._rights
        own = await self.own(place, asker)
        if place.private:
            return own
        audience = await self._of(place).audience(place)
        if audience is not None and not audience:
            return own  # a chat with the bot alone
        others = None if audience is None else [_person(one) for one in audience]
        return self._rights.in_channel(own.meet(await _told(self._rights.shared, others)), place.channel)

    async def known(self, place: Place, asker: Asker) -> bool:
        """Whether somebody is still one of a platform's people."""
        if isinstance(self._rights, Scope) and place.platform not in self._people:
            return True
        try:
            return not (await self._of(place).identify(place, asker)).gone
        except NobodyError:
            return False

    async def there(self, place: Place, asker: Asker) -> bool:
        """Whether somebody is among those who see what is said in a place, as far as that can be told of so many."""
        if place.private or (isinstance(self._rights, Scope) and place.platform not in self._people):
            return True
        audience = await self._of(place).audience(place)
        return not audience or any(one.id == asker.id for one in audience)

    def _of(self, place: Place) -> People:
        if place.platform not in self._people:
            raise UnknownPeopleError
        return self._people[place.platform]


def _person(asker: Asker) -> Person:
    return Person(ids=tuple(name for name in (asker.id, asker.email) if name), groups=asker.groups, outsider=asker.outsider)


async def _told(call: Callable[P, Scope], *given: P.args, **named: P.kwargs) -> Scope:
    """Computed in a thread, since the list of people may have to be read."""
    try:
        return await asyncio.to_thread(call, *given, **named)
    except SourceError as error:
        raise UnknownPeopleError from error
