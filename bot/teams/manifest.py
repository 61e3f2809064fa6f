"""The package that Teams takes: what the bot listens to and may do, and its two icons."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from bot import __version__
from bot.teams.icons import ACCENT, color_icon, outline_icon
from engine.errors import AlmanacError, UsageError

SCOPES: Final = {
    "personal": "someone asks in a chat with the bot alone, where it can hand over files",
    "team": "someone mentions the bot in a channel",
    "groupChat": "someone mentions the bot in a group chat",
}
COMMANDS: Final = {"help": "What you can ask, and how", "tables": "Which tables there are to ask"}
# who is in a team or a chat, a bot that was added there may ask without a permission of its own
PERMISSIONS: Final = {"identity": "to know who asks, and so what they may see", "messageTeamMembers": "to answer in a chat with one person"}
_DOMAIN: Final = re.compile(r"(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]")
_MOMENT: Final = (2026, 1, 1, 0, 0, 0)  # of the files in the package, so that the same call writes the same bytes
_REFUSALS: Final = {errno.EACCES: "you may not write there", errno.ENOSPC: "the disk is full", errno.EROFS: "the folder is read-only"}


class PackageError(AlmanacError):
    """The package could not be written."""


def manifest(app_id: str, domain: str) -> dict[str, Any]:
    """The manifest for a registration and the domain that it is served at; raises UsageError for an id or a domain that Teams would not take."""
    return _manifest(checked_id(app_id), checked_domain(domain))


def package(app_id: str, domain: str) -> bytes:
    """The ZIP that is uploaded to Teams; the same arguments give the same bytes."""
    text = manifest_text(manifest(app_id, domain))
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, data in (("manifest.json", text.encode()), ("color.png", color_icon()), ("outline.png", outline_icon())):
            zipped.writestr(zipfile.ZipInfo(name, _MOMENT), data)
    return held.getvalue()


def write_package(app_id: str, domain: str, out: Path) -> None:
    """Writes the package whole or not at all; raises UsageError for wrong arguments and PackageError where it cannot be written."""
    if out.suffix.casefold() != ".zip":
        raise UsageError(f'Teams takes a .zip file, and "{out.name}" is none; give --out almanac.zip.')
    if not out.parent.is_dir():
        raise UsageError(f'There is no folder "{out.parent}" to write "{out.name}" in.')
    data = package(app_id, domain)
    try:
        handle, name = tempfile.mkstemp(dir=out.parent, prefix=".almanac-", suffix=".zip")
        try:
            with open(handle, "wb") as file:
                file.write(data)
            umask = os.umask(0)
            os.umask(umask)
            Path(name).chmod(0o666 & ~umask)  # as a file that is simply opened would have
            Path(name).replace(out)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        why = _REFUSALS.get(error.errno or 0, "the folder refused it")
        raise PackageError(f'The package could not be written as "{out}": {why}.') from error


def template() -> str:
    """The manifest with what differs between organisations left open, for whoever fills it in by hand."""
    return manifest_text(_manifest("{{APP_ID}}", "{{DOMAIN}}"))


def manifest_text(made: dict[str, Any]) -> str:
    """A manifest as the text of its file."""
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"


def checked_id(app_id: str) -> str:
    """The application id as Teams writes it; raises UsageError where it is none."""
    try:
        return str(UUID(app_id.strip()))
    except ValueError:
        raise UsageError("--app-id must be the bot's application id, such as 6f9619ff-8b86-d011-b42d-00cf4fc964ff.") from None


def checked_domain(domain: str) -> str:
    """The domain in lower case; raises UsageError for an address, a path or a name that is no domain."""
    plain = domain.strip().casefold()
    if not _DOMAIN.fullmatch(plain):
        raise UsageError("--domain must be the name that the bot is served at, such as almanac.example.com, without https:// or a path.")
    return plain


def _manifest(app_id: str, domain: str) -> dict[str, Any]:
    commands = [{"title": title, "description": text} for title, text in COMMANDS.items()]
    bot = {
        "botId": app_id,
        "scopes": list(SCOPES),
        "supportsFiles": True,
        "isNotificationOnly": False,
        "commandLists": [{"scopes": list(SCOPES), "commands": commands}],
    }
    return {
        "$schema": "https://developer.microsoft.com/en-us/json-schemas/teams/v1.17/MicrosoftTeams.schema.json",
        "manifestVersion": "1.17",
        "version": __version__,
        "id": app_id,
        "developer": {
            "name": "Almanac",
            "websiteUrl": f"https://{domain}",
            "privacyUrl": f"https://{domain}/privacy",
            "termsOfUseUrl": f"https://{domain}/terms",
        },
        "name": {"short": "Almanac", "full": "Almanac: answers from your tables"},
        "description": {
            "short": "Answers questions from your organisation's tables.",
            "full": "Ask in your own words, in English, Hebrew, Russian or Spanish. The answer is every row that matches, with the receipt of how "
            "each word was understood, the count and how fresh the data is; any of it can be corrected, paged through and downloaded.",
        },
        "icons": {"color": "color.png", "outline": "outline.png"},
        "accentColor": ACCENT,
        "bots": [bot],
        "permissions": list(PERMISSIONS),
        "validDomains": [domain],
    }
