"""A file at an https address, fetched within limits of size and time."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import requests
from urllib3.exceptions import ReadTimeoutError

from engine.errors import SourceError
from engine.read.options import ReadOptions

_PIECE = 1 << 16
_REDIRECTS = 5
_STALL = 30.0  # seconds without a byte
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


@contextmanager
def fetched(url: str, options: ReadOptions) -> Iterator[tuple[Path, str]]:
    """The file at an address, for as long as the context lasts, and when it says that it changed (ISO 8601, or empty).

    Raises SourceError for what is not found, not https, a web page, too large, too slow or cut short.
    """
    deadline = time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as folder, requests.Session() as session:
        try:
            with _opened(session, url, "GET", min(_STALL, options.seconds)) as response:
                _checked(response, url, options)
                path = Path(folder) / (re.sub(r"[^\w.-]", "_", urlsplit(response.url).path.rsplit("/", 1)[-1])[-100:] or "table")
                _written(response, path, url, options, deadline)
                changed = _changed(response)
        except requests.Timeout:
            raise SourceError(f"{url} stalls: nothing came for {min(_STALL, options.seconds):g} seconds.") from None
        except requests.RequestException as error:
            if error.args and isinstance(error.args[0], ReadTimeoutError):
                raise SourceError(f"{url} stalls: nothing came for {min(_STALL, options.seconds):g} seconds.") from None
            raise SourceError(f"{url} cannot be reached, or broke off before the file was whole.") from None
        yield path, changed


def stamp_address(url: str, known: str = "") -> str:
    """The ETag of an address, or else its time of change and size; empty where it tells neither or cannot be reached.

    known: an earlier stamp: a conditional request asks whether it still holds, and nothing of the file is fetched.
    """
    if not known:
        asked = {}
    elif known.startswith(('"', "W/")):
        asked = {"If-None-Match": known}
    else:
        asked = {"If-Modified-Since": known.rpartition(" GMT")[0] + " GMT"}
    try:
        with requests.Session() as session, _opened(session, url, "GET" if known else "HEAD", 10.0, asked) as response:
            if response.status_code == requests.codes.not_modified and known:
                return known
            return _stamp(response) if response.ok else ""
    except (requests.RequestException, SourceError):
        return ""


def _stamp(response: requests.Response) -> str:
    told = response.headers
    if etag := told.get("ETag", ""):
        return etag
    if not (changed := _changed(response)):
        return ""
    try:  # a file that changed within this second may change once more under the same time
        now = parsedate_to_datetime(told.get("Date", "")).isoformat(timespec="seconds")
    except ValueError:
        now = ""
    return "" if now == changed else " ".join(filter(None, (told["Last-Modified"], told.get("Content-Length"))))


def _opened(
    session: requests.Session, url: str, method: str, seconds: float, headers: Mapping[str, str] | None = None
) -> requests.Response:
    """The response behind at most five redirects, none of which leads away from https."""
    at = url
    for _ in range(_REDIRECTS + 1):
        _safe(at, url)
        response = session.request(method, at, stream=True, timeout=seconds, allow_redirects=False, headers=headers)
        if not response.is_redirect:
            return response
        at = urljoin(at, response.headers["Location"])
        response.close()
    raise SourceError(f"{url} redirects more than {_REDIRECTS} times.")


def _safe(at: str, url: str) -> None:
    parts = urlsplit(at)
    local = parts.hostname in _LOOPBACK and urlsplit(url).hostname in _LOOPBACK
    if parts.scheme == "https" or (parts.scheme == "http" and local):
        return
    if at == url:
        raise SourceError(f"{url} is not fetched, as anyone on the way could change it; an address that begins with https:// is expected.")
    raise SourceError(f"{url} redirects to an address that is not https, and is not followed there.")


def _checked(response: requests.Response, url: str, options: ReadOptions) -> None:
    if not response.ok:
        raise SourceError(f"{url} answers with status {response.status_code} and no file.")
    if response.headers.get("Content-Type", "").split(";")[0].strip().lower() in ("text/html", "application/xhtml+xml"):
        raise SourceError(f"{url} answers with a web page and not a table; the address of the file itself is needed.")
    size = response.headers.get("Content-Length", "")
    if size.isdigit() and int(size) > options.bytes:
        raise SourceError(f"{url} has {int(size):,} bytes, more than the {options.bytes:,} that may be read; raise bytes in the catalog.")


def _written(response: requests.Response, path: Path, url: str, options: ReadOptions, deadline: float) -> None:
    size = 0
    with path.open("wb") as file:
        for piece in response.iter_content(_PIECE):
            size += len(piece)
            if size > options.bytes:
                raise SourceError(f"{url} sends more than the {options.bytes:,} bytes that may be read; raise bytes in the catalog.")
            if time.monotonic() > deadline:
                raise SourceError(f"{url} was not whole within {options.seconds:g} seconds.")
            file.write(piece)


def _changed(response: requests.Response) -> str:
    try:
        return parsedate_to_datetime(response.headers.get("Last-Modified", "")).isoformat(timespec="seconds")
    except ValueError:
        return ""
