"""A file in a personal chat: offered, and put into the asker's OneDrive when accepted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp

from engine.errors import AlmanacError

CONSENT: Final = "application/vnd.microsoft.teams.card.file.consent"
INFO: Final = "application/vnd.microsoft.teams.card.file.info"
_ONEDRIVE: Final = (".sharepoint.com", ".sharepoint.us", ".sharepoint.cn")


class UploadError(AlmanacError):
    """A file could not be put where Teams said."""


def offer(name: str, size: int, value: str, description: str) -> dict[str, Any]:
    """The attachment that asks whether a file of that many bytes is wanted; the value comes back with the consent."""
    context = {"value": value}
    content = {"description": description, "sizeInBytes": size, "acceptContext": context, "declineContext": context}
    return {"contentType": CONSENT, "name": name, "content": content}


def accepted(payload: Mapping[str, Any]) -> tuple[str, Mapping[str, Any] | None]:
    """The value of a consent and where to put the file; None where it was declined, and an empty value where it is no consent of ours."""
    value = payload.get("value")
    if not isinstance(value, Mapping):
        return "", None
    context, upload = value.get("context"), value.get("uploadInfo")
    given = context.get("value") if isinstance(context, Mapping) else None
    taken = value.get("action") == "accept" and isinstance(upload, Mapping)
    return (given if isinstance(given, str) else ""), upload if taken else None


async def upload(web: aiohttp.ClientSession, where: Mapping[str, Any], data: bytes, service_url: str) -> dict[str, Any]:
    """Puts the bytes where the consent said, and gives the attachment that shows the file; raises UploadError.

    The address must be OneDrive's or the service's own: no other is called, whoever names it.
    """
    url = str(where.get("uploadUrl"))
    if not _may_upload(url, service_url):
        raise UploadError("The file was not handed over: the address for it is not OneDrive's.")
    headers = {"Content-Type": "application/octet-stream", "Content-Range": f"bytes 0-{len(data) - 1}/{len(data)}"}
    try:
        async with web.put(url, data=data, headers=headers, allow_redirects=False) as response:
            if response.status >= 300:
                raise UploadError("The file was not handed over: OneDrive refused it.")
    except (aiohttp.ClientError, TimeoutError) as error:
        raise UploadError("The file was not handed over: OneDrive cannot be reached.") from error
    content = {"uniqueId": where.get("uniqueId"), "fileType": where.get("fileType")}
    return {"contentType": INFO, "contentUrl": where.get("contentUrl"), "name": where.get("name"), "content": content}


def _may_upload(url: str, service_url: str) -> bool:
    there, service = urlsplit(url), urlsplit(service_url)
    if there.scheme == "https" and (there.hostname or "").endswith(_ONEDRIVE):
        return True
    return (there.scheme, there.netloc) == (service.scheme, service.netloc)
