"""The people of a stand-in's workspace: who they are, their user groups, and who is in which channel."""

from __future__ import annotations

import itertools
from typing import Any

TEAM, BOT_USER, OTHER_TEAM = "T0TEAM", "U0BOT", "T9OTHER"
REGULARS = ("U1", "U2", "ann", "ben")  # who is in every channel that nothing else is said of
MOST_A_PAGE = 1000


class Workspace:
    """Whoever writes, presses or commands is a plain person of the workspace, unless `people` or `abroad` say otherwise."""

    def __init__(self) -> None:
        self.people: dict[str, dict[str, Any]] = {}  # what is not as it is with everybody: name, email, is_restricted, deleted, is_bot ...
        self.abroad: set[str] = set()  # people of another organisation in shared channels: in no list
        self.strangers: set[str] = set()  # whom Slack does not tell of
        self.user_groups: dict[str, dict[str, Any]] = {}  # id -> {"users": [...], "date_delete": 0}
        self.paid = True  # user groups are for workspaces that pay
        self.members: dict[str, list[str]] = {}  # by channel; the regulars and whoever came by where it is not said
        self._been: dict[str, dict[str, None]] = {}
        self._cursors: dict[str, tuple[str, int]] = {}
        self._cursor_numbers = itertools.count(1)

    def came(self, user: str, channel: str) -> None:
        """Somebody did something in a channel, and so is in it."""
        self._been.setdefault(channel, {})[user] = None

    def user(self, user: str, emails: bool) -> dict[str, Any]:
        """Slack's object of a person; the address only where the token may see addresses."""
        own = {"real_name": user, "locale": "en-US", "tz": "Etc/UTC", "team_id": OTHER_TEAM if user in self.abroad else TEAM}
        own |= {"is_bot": user == BOT_USER, "deleted": False, "is_restricted": False, "is_ultra_restricted": False}
        own |= {"is_stranger": True} if user in self.abroad else {}
        own |= self.people.get(user, {})
        profile = {"real_name": own.pop("real_name"), "display_name": user}
        email = own.pop("email", "")
        return {"id": user, "profile": profile | ({"email": email} if emails and email else {}), **own}

    def everybody(self, emails: bool) -> list[dict[str, Any]]:
        """The people of the workspace, gone ones and bots among them, as users.list has them."""
        members = itertools.chain(*self.members.values(), *self._been.values())
        known = dict.fromkeys((BOT_USER, "USLACKBOT", *REGULARS, *self.people, *members))
        found = [self.user(user, emails) for user in known if user not in self.abroad | self.strangers]
        for user in found:
            user.pop("locale")  # which only those get who ask for it
        return found

    def in_channel(self, channel: str) -> list[str]:
        """The ids of who is there, the bot among them."""
        return self.members.get(channel) or list(dict.fromkeys((BOT_USER, *REGULARS, *self._been.get(channel, ()))))

    def groups(self, with_users: bool) -> list[dict[str, Any]]:
        """The user groups as usergroups.list has them; those that were taken away are not among them."""
        kept = {name: group for name, group in self.user_groups.items() if not group.get("date_delete")}
        return [
            {
                "id": name,
                "team_id": TEAM,
                "is_usergroup": True,
                "handle": name.casefold(),
                "date_delete": 0,
                "user_count": len(group["users"]),
            }
            | ({"users": group["users"]} if with_users else {})
            for name, group in kept.items()
        ]

    def paged(self, key: str, found: list[Any], arguments: dict[str, Any]) -> dict[str, Any]:
        """A page of what was found under `members`, or the error; a cursor is good for the list that it was given with."""
        limit = str(arguments.get("limit") or "0")
        if not limit.isdecimal() or not 1 <= int(limit) <= MOST_A_PAGE:
            return {"ok": False, "error": "invalid_limit"}
        start = 0
        if cursor := str(arguments.get("cursor") or ""):
            if self._cursors.get(cursor, ("", 0))[0] != key:
                return {"ok": False, "error": "invalid_cursor"}
            start = self._cursors[cursor][1]
        end, following = start + int(limit), ""
        if end < len(found):
            following = f"dGVhbTpD{next(self._cursor_numbers)}="
            self._cursors[following] = (key, end)
        return {"ok": True, "members": found[start:end], "response_metadata": {"next_cursor": following}}
