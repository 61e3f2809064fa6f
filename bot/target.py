"""Files that are written: never over what is read, and there whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from engine.catalog import Catalog
from engine.errors import UsageError
from engine.read.where import local_files


def read_for(catalog: Catalog) -> list[Path]:
    """The files that asking a catalog reads: its own and those of its sources."""
    own = [Path(catalog.file)] if catalog.file else []
    return own + [path for entry in catalog.tables for path in local_files(entry.source, entry.base)]


def mode_of(path: Path) -> int | None:
    """What lies at a path, None where nothing does; raises UsageError where that may not be seen, or no file can have the name."""
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError:
        raise UsageError(f'You may not look into the folder "{path.parent}"; name a file in another.') from None
    except (OSError, ValueError):
        raise UsageError(f'"{str(path)[:80]}…" is no name that a file can have; name another.') from None


def checked_file(path: Path, read: Iterable[Path], option: str) -> Path:
    """The path, when a file can be written there; raises UsageError for a folder, a missing folder, and a file that is itself read."""
    mode = mode_of(path)
    if mode is None:
        above = mode_of(path.parent)
        if above is None or not stat.S_ISDIR(above):
            raise UsageError(f'There is no folder "{path.parent}" to save "{path.name}" in.')
    elif stat.S_ISDIR(mode):
        raise UsageError(f'"{path}" is a folder; name a file with {option}.')
    elif any(_same(path, other) for other in read):
        raise UsageError(f'"{path}" is read for this, and would be lost; name another file with {option}.')
    return path


def replace(path: Path, write: Callable[[Path], None]) -> None:
    """Writes beside the target and then takes its place, so that no half file is ever seen; raises OSError."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".almanac-", suffix=path.suffix)
    os.close(handle)
    temporary = Path(name)
    try:
        write(temporary)
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)  # as a file that is simply opened would have
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:
        return False
