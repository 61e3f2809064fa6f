"""What can go wrong with kept files, as one sentence for the user that names the folder and what to do."""

from __future__ import annotations

import errno
import re
import sys
from pathlib import Path

if sys.platform != "win32":
    import resource

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_READ_ONLY = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})
_NOT_A_FOLDER = frozenset({errno.ENOTDIR, errno.EEXIST, errno.ELOOP, errno.ENAMETOOLONG})
_NO_LOCKS = frozenset({errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS})
# What only writing meets, and a builder writes nowhere but here: no file name is needed to know whose disk it was.
_WRITING = _FULL | {errno.EROFS, errno.EFBIG}
# SQLite and LanceDB meet the same disk as everyone, but report it in their own way: SQLite by result codes (primary ones,
# then extended ones for writing, flushing and truncating), LanceDB by the words that Rust puts around the system's number.
_SQLITE_FULL, _SQLITE_READ_ONLY, _SQLITE_WRITING = 13, 8, frozenset({778, 1034, 1290, 1546})
_RUST = re.compile(r"\(os error (\d+)\)")


class StoreError(Exception):
    """Built files cannot be kept here: its text is one sentence for the user."""


class StateError(Exception):
    """The state database cannot be used: its text is one sentence for the user."""


def store_error(error: OSError, folder: Path) -> StoreError:
    """The sentence for what the system said about this folder."""
    return StoreError(_sentence(error.errno, folder))


def no_folder(folder: Path) -> StoreError:
    """The sentence where not even an empty folder can be made."""
    return StoreError(f"Built tables cannot be kept in {folder} because no folder can be made there: set ALMANAC_DATA to another folder.")


def disk_error(error: Exception, folder: Path) -> StoreError | None:
    """The sentence where a build failed because of this folder or its disk; None where it has a reason of its own."""
    sqlite = getattr(error, "sqlite_errorcode", None)
    if isinstance(sqlite, int):
        primary = sqlite & 0xFF
        if primary == _SQLITE_FULL:
            return StoreError(_sentence(errno.ENOSPC, folder))
        if primary == _SQLITE_READ_ONLY:
            return StoreError(_sentence(errno.EROFS, folder))
        return StoreError(_sentence(errno.EFBIG if _files_are_limited() else None, folder)) if sqlite in _SQLITE_WRITING else None
    code = _system_code(error)
    if code in _WRITING or (code is not None and _names(error, folder)):
        return StoreError(_sentence(code, folder))
    return None


def _files_are_limited() -> bool:
    """Whether this process may write files of some size only: SQLite does not tell that from a disk that fails."""
    return sys.platform != "win32" and resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY


def _system_code(error: Exception) -> int | None:
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    found = _RUST.search(str(error))
    return int(found[1]) if found else None


def _names(error: Exception, folder: Path) -> bool:
    """Whether the error is about a file of this folder."""
    name = getattr(error, "filename", None)
    return Path(name).is_relative_to(folder) if isinstance(name, str) else str(folder) in str(error)


def _sentence(code: int | None, folder: Path) -> str:
    elsewhere = "or set ALMANAC_DATA to another folder"
    if code in _FULL:
        return f"There is no space left for built tables in {folder}: free some, {elsewhere}."
    if code == errno.EFBIG:
        return f"A built table is larger than a file may be in {folder}: raise that limit, {elsewhere}."
    if code in _READ_ONLY:
        return f"Built tables cannot be written in {folder}: make it writable, {elsewhere}."
    if code in _NOT_A_FOLDER:
        return f"Built tables cannot be kept in {folder} because it is not a folder: move what is there, {elsewhere}."
    if code in _NO_LOCKS:
        return f"Files cannot be locked in {folder}: set ALMANAC_DATA to a folder on a local disk."
    if code == errno.ENOENT:
        return f"The folder {folder} was removed while it was in use: ask again, {elsewhere}."
    if code in (errno.EMFILE, errno.ENFILE):
        return f"Too many files are open to keep built tables in {folder}: raise the limit of open files."
    return f"Built tables could not be written in {folder}: check its disk, {elsewhere}."
