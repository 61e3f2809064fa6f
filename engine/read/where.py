"""Where a source lies, and whether it is the one that was read before."""

from __future__ import annotations

import errno
import glob
import os
import re
import stat
from pathlib import Path
from urllib.parse import unquote, urlsplit

from cache.stamps import stamp as file_stamp
from engine.errors import SourceError

URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
LOG = "-wal"  # what the name of an SQLite database's log ends in
_MISSING = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
_SHOWN = 80  # characters of a name that is too long to be one


def stamp_source(source: str, base: Path | None, known: str = "") -> str:
    """What changes whenever a file of the source does, the ETag of an address, nothing for a database server."""
    if is_address(source):
        from engine.read.address import stamp_address  # only an address needs requests

        return stamp_address(source, known)
    try:
        stamps = [file_stamp(path, written=path.name.endswith(LOG)) for path in local_files(source, base)]
    except OSError:
        return ""
    return " ".join(str(stamp) for stamp in stamps) if all(stamps) else ""


def is_address(source: str) -> bool:
    """Whether the source is fetched from an address."""
    return source.lower().startswith(("https://", "http://"))


def is_server(source: str) -> bool:
    """Whether the source is a database that is no file, by its URL."""
    return bool(URL.match(source)) and not is_address(source) and _path_text(source) == source


def path_of(source: str, base: Path | None) -> Path:
    """The path or pattern that a source means; a user's home (~) is written out where there is such a user."""
    text = os.path.expanduser(_path_text(source))  # which leaves a name with a tilde as it is, where pathlib raises
    return Path(text) if base is None else base / text


def local_files(source: str, base: Path | None) -> list[Path]:
    """Every file on this machine that reading the source reads; none for an address, a server, or what is not there."""
    if is_address(source) or is_server(source):
        return []
    try:
        return [part for path in files_of(source, base) for part in parts_of(path)]
    except SourceError:
        return []


def parts_of(path: Path) -> list[Path]:
    """A file, and beside an SQLite database the log (-wal) that holds what was last written to it."""
    log = path.with_name(path.name + LOG)
    try:
        return [path, log] if log.stat().st_size else [path]
    except OSError:
        return [path]


def files_of(source: str, base: Path | None) -> list[Path]:
    """The file of a path, or the files of a pattern in the order of their names; raises SourceError where there is none that can be read."""
    path = path_of(source, base)
    source = _path_text(source)
    mode = _mode(path, source)
    if mode is None and not glob.has_magic(source):
        raise SourceError(f"There is no file {source}.")
    if mode is not None:
        if stat.S_ISDIR(mode):
            raise SourceError(f"{source} is a folder; name a file, or the files in it, as in {source.rstrip('/')}/*.csv.")
        if not stat.S_ISREG(mode):
            raise SourceError(f"{source} is a device, a pipe or a socket, which has no end to read to; name an ordinary file.")
        return [path]
    found = sorted(Path(each) for each in glob.glob(str(path), recursive=True))
    files = [each for each in found if stat.S_ISREG(_mode(each, source) or 0)]
    if not files:
        raise SourceError(f"No file fits {source}.")
    return files


def as_text(name: str) -> str:
    """A file's name as text: in UTF-8 where the locale could not read it, with marks for what is no text at all."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _path_text(source: str) -> str:
    if source.startswith("sqlite:///"):
        return source.removeprefix("sqlite:///")
    if source.lower().startswith("file://"):
        parts = urlsplit(source)
        if parts.hostname not in (None, "localhost"):
            raise SourceError(f"{source} lies on another machine; a path, as in file:///folder/file.csv, or an https address is expected.")
        return unquote(source[len("file://") + len(parts.netloc) :])
    return source


def _mode(path: Path, source: str) -> int | None:
    """What lies at a path, None where nothing does."""
    try:
        return path.stat().st_mode
    except PermissionError:
        raise SourceError(f"{source} may not be read by this user.") from None
    except ValueError:  # a name with a character that no name can have
        return None
    except OSError as error:
        if error.errno in _MISSING:
            return None
        if error.errno == errno.ENAMETOOLONG:
            raise SourceError(f"{source[:_SHOWN]}… is longer than the name of a file can be; name a file.") from None
        raise SourceError(f"{source} cannot be read: its disk refuses it.") from None
