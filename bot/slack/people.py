"""Who is who in a workspace: who asks, of which user groups they are, and who sees what is said in a channel."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from bot.chat.known import Known
from bot.chat.types import Asker, NobodyError, Place, TryLater, Undeliverable, UnknownPeopleError
from bot.slack.api import Denied, Refused, WebApi, next_cursor

_LOG: Final = logging.getLogger(__name__)
PERSON_SECONDS: Final = 3600.0
EVERYBODY_SECONDS: Final = 3600.0
GROUPS_SECONDS: Final = 300.0
MEMBERS_SECONDS: Final = 60.0
MOST_MEMBERS: Final = 5000
_PATIENCE: Final = 3.0  # that a call waits where Slack asks to wait; a question has not much longer
_PAGE: Final = 1000
_MOST_PAGES: Final = 1000  # a cursor that never ends is no answer
_LEFT_OFF_SECONDS: Final = 600.0  # within which a list that was cut short goes on where it stood
_SLACKBOT: Final = "USLACKBOT"  # the one bot that Slack does not call one
_NOBODY: Final = frozenset({"user_not_found", "user_not_visible", "users_not_found"})
_NO_GROUPS: Final = frozenset({"missing_scope", "plan_upgrade_required", "paid_teams_only"})

Payload = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Person:
    """What Slack has of a person; empty where it does not say. outsider: a guest, somebody of another organisation, or gone."""

    name: str = ""
    email: str = ""
    locale: str = ""
    time_zone: str = ""
    outsider: bool = False
    bot: bool = False
    gone: bool = False


@dataclass(slots=True)
class _Listed:
    """Everybody who is known so far, and where the rest begins."""

    began: float
    people: dict[str, Person] = field(default_factory=dict)
    cursor: str = ""


class SlackPeople:
    """The people of a workspace, as the bot.chat.types.People that the handler asks."""

    def __init__(self, api: WebApi, clock: Callable[[], float] = time.monotonic) -> None:
        self._api = api
        self._clock = clock
        self._persons: Known[Person] = Known(PERSON_SECONDS, clock)
        self._groups: Known[dict[str, tuple[str, ...]]] = Known(GROUPS_SECONDS, clock)
        self._members: Known[tuple[str, ...] | None] = Known(MEMBERS_SECONDS, clock)
        self._everybody: Known[dict[str, Person]] = Known(EVERYBODY_SECONDS, clock)
        self._left_off: dict[str, _Listed] = {}  # by workspace: lists that were cut short

    async def person(self, user: str, workspace: str) -> Person:
        """What Slack has of them, for how a reply reads; nothing where it does not answer."""
        try:
            return await self._known(user, workspace)
        except UnknownPeopleError:
            return Person()

    async def identify(self, place: Place, asker: Asker) -> Asker:
        """The same person with name, e-mail, groups, and whether they are an outsider; raises UnknownPeopleError."""
        person = await self._known(asker.id, place.workspace)
        groups = (await self._groups_of_all(place.workspace)).get(asker.id, ())
        return Asker(asker.id, person.name or asker.name, person.email, groups, person.outsider, person.gone)

    async def audience(self, place: Place) -> tuple[Asker, ...] | None:
        """Everybody but bots who sees what is said there: () where the asker alone does, None where they are too many or cannot be counted.

        Raises UnknownPeopleError.
        """
        if place.private:
            return ()
        if place.channel.startswith("D"):  # shared from a command into a chat of two people, of which the bot is none and sees nothing
            return None
        members = await self._members.get(f"{place.workspace} {place.channel}", lambda: self._members_of(place.channel))
        if members is None:
            return None
        everybody = await self._everybody.get(place.workspace, lambda: self._list(place.workspace))
        groups = await self._groups_of_all(place.workspace)
        found = []
        for user in members:
            person = everybody.get(user, Person(outsider=True))  # only people of other organisations are in no list
            if not person.bot:
                found.append(Asker(user, person.name, person.email, groups.get(user, ()), person.outsider))
        if not found:
            raise UnknownPeopleError  # whoever asks is there, so this is not who is there
        return tuple(found)

    async def _known(self, user: str, workspace: str) -> Person:
        return await self._persons.get(f"{workspace} {user}", lambda: self._look_up(user, workspace))

    async def _look_up(self, user: str, workspace: str) -> Person:
        answer = await self._call("users.info", {"user": user, "include_locale": "true"})
        found = answer.get("user")
        if not isinstance(found, Mapping) or found.get("id") != user:
            raise UnknownPeopleError
        return _person(found, workspace)

    async def _groups_of_all(self, workspace: str) -> dict[str, tuple[str, ...]]:
        """By person the user groups that they are in."""
        return await self._groups.get(workspace, self._list_groups)

    async def _list_groups(self) -> dict[str, tuple[str, ...]]:
        try:
            answer = await self._call("usergroups.list", {"include_users": "true"})
        except UnknownPeopleError as error:
            if isinstance(error.__cause__, Denied | Refused) and error.__cause__.error in _NO_GROUPS:
                _LOG.warning("Slack gives no user groups", extra={"error": error.__cause__.error})
                return {}  # without groups nobody may see more than with them
            raise
        found: dict[str, list[str]] = {}
        for group in answer.get("usergroups") or ():
            for user in () if group.get("date_delete") else group.get("users") or ():
                found.setdefault(user, []).append(str(group["id"]))
        return {user: tuple(groups) for user, groups in found.items()}

    async def _members_of(self, channel: str) -> tuple[str, ...] | None:
        members: list[str] = []
        cursor = ""
        for _ in range(MOST_MEMBERS):
            page = await self._call("conversations.members", {"channel": channel, "limit": _PAGE} | _from(cursor))
            members += page.get("members") or ()
            if len(members) > MOST_MEMBERS:
                return None
            if not (cursor := next_cursor(page)):
                return tuple(members)
        return None

    async def _list(self, workspace: str) -> dict[str, Person]:
        """Everybody of the workspace by id; a list that Slack cuts short, as it does for large ones, goes on the next time."""
        listed = self._left_off.pop(workspace, None)
        if listed is None or self._clock() - listed.began > _LEFT_OFF_SECONDS:
            listed = _Listed(self._clock())
        for _ in range(_MOST_PAGES):
            try:
                page = await self._call("users.list", {"limit": _PAGE} | _from(listed.cursor))
            except UnknownPeopleError as error:
                if isinstance(error.__cause__, TryLater):
                    self._left_off[workspace] = listed
                raise
            listed.people |= {str(user["id"]): _person(user, workspace) for user in page.get("members") or ()}
            listed.cursor = next_cursor(page)
            if not listed.cursor:
                return listed.people
        raise UnknownPeopleError

    async def _call(self, method: str, arguments: Payload) -> dict[str, Any]:
        try:
            return await self._api.call(method, arguments, patience=_PATIENCE)
        except (TryLater, Undeliverable, Refused) as error:
            if isinstance(error, Denied | Refused) and error.error in _NOBODY:
                raise NobodyError from error
            raise UnknownPeopleError from error


def _from(cursor: str) -> dict[str, str]:
    return {"cursor": cursor} if cursor else {}


def _person(user: Payload, workspace: str) -> Person:
    profile: Payload = user.get("profile") or {}
    name = profile.get("real_name") or user.get("real_name") or user.get("name") or ""
    organisation: Payload = user.get("enterprise_user") or {}
    ours = user.get("team_id") == workspace or workspace in (organisation.get("teams") or ())
    guest = any(user.get(sign) for sign in ("is_restricted", "is_ultra_restricted", "is_stranger", "deleted"))
    return Person(
        name=str(name),
        email=str(profile.get("email") or "") if ours else "",  # which another organisation may have written as it likes
        locale=str(user.get("locale") or ""),
        time_zone=str(user.get("tz") or ""),
        outsider=guest or not ours,
        gone=bool(user.get("deleted")),
        bot=bool(user.get("is_bot")) or user.get("id") == _SLACKBOT,
    )
