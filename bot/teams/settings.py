"""What Teams needs to be told: the bot's registration, and whether it runs on this machine alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.teams.token import OPEN_ID


@dataclass(frozen=True, slots=True)
class TeamsSettings:
    """The registration of the bot; an empty app id means that only this machine may call, without a token."""

    app_id: str
    password: str = ""
    tenant: str = ""  # given: the bot answers in that organisation alone
    open_id: str = OPEN_ID

    @property
    def local(self) -> bool:
        """Whether there is no registration, so that nobody can be told from anybody."""
        return not self.app_id


def teams_settings(environ: Mapping[str, str], host: str) -> TeamsSettings | str:
    """The settings of an environment, or one sentence that says why Teams is not started.

    MICROSOFT_APP_ID that is set and empty means a bot without registration, which is served on loopback addresses alone.
    """
    app_id = environ.get("MICROSOFT_APP_ID")
    if app_id is None:
        return "Teams is not started: MICROSOFT_APP_ID and MICROSOFT_APP_PASSWORD are not set."
    settings = TeamsSettings(
        app_id=app_id.strip(),
        password=environ.get("MICROSOFT_APP_PASSWORD", ""),
        tenant=environ.get("MICROSOFT_APP_TENANT_ID", "").strip(),
    )
    if settings.local and not is_loopback(host):
        return f'Teams is not started: without MICROSOFT_APP_ID anyone could call, so the host must be 127.0.0.1 and not "{host}".'
    if not settings.local and not settings.password:
        return "Teams is not started: MICROSOFT_APP_PASSWORD is not set."
    return settings


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine and nothing else.

    >>> is_loopback("127.0.0.1"), is_loopback("0.0.0.0"), is_loopback("localhost.example.com")
    (True, False, False)
    """
    bare = host.casefold().strip("[]")
    if bare in ("localhost", "::1", "::ffff:127.0.0.1"):
        return True
    parts = bare.split(".")
    return len(parts) == 4 and parts[0] == "127" and all(part.isdigit() and int(part) < 256 for part in parts)
