"""Folders and files as the store needs them: private, with safe names, safely on the disk, and gone when they should be."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path


def private(folder: Path) -> Path:
    """Make a folder that only its owner may enter, with the folders above it; one that is there already is left as it is."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def digest(key: str) -> str:
    """64 hexadecimal digits that stand for any text, undecodable file names included."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def safe_name(key: str) -> str:
    """A name for a folder: what a person recognises of a path or an address, never its password or query, and a hash.

    >>> safe_name("https://me:secret@example.org/data/Pharmacies 2026.csv?token=1")
    'Pharmacies-2026.csv-9b192e392dcf44a0'
    """
    last = re.split(r"[/\\@]", re.split(r"[?#\n]", key, maxsplit=1)[0].rstrip("/\\"))[-1]
    slug = re.sub(r"[^A-Za-z0-9_.]+", "-", last).strip("-.")[:40]
    return f"{slug or 'table'}-{digest(key)[:16]}"


def unique_name(prefix: str) -> str:
    """A name that no one has used."""
    return f"{prefix}-{os.urandom(8).hex()}"


def files_in(folder: Path) -> Iterator[tuple[str, int]]:
    """Every file below a folder: its path from there, with slashes, and its size in bytes."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path.stat().st_size


def settle(folder: Path) -> None:
    """Have the disk hold every file and folder below, and the folder, before anything names them: a machine may stop at any moment."""
    for above, _, names in os.walk(folder):
        for name in names:
            _flush(Path(above, name))
        settle_names(Path(above))


def settle_names(folder: Path) -> None:
    """Have the disk hold the names in a folder; some file systems cannot, and need it less."""
    with contextlib.suppress(OSError):
        _flush(folder)


def write(path: Path, text: str) -> None:
    """Replace a file at once and for good: readers see the old text or the new, and nothing half done stays."""
    fresh = path.with_name(unique_name("fresh"))
    try:
        with open(fresh, "x", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise
    settle_names(path.parent)


def remove(path: Path) -> bool:
    """Remove a file or a folder with all that is in it; whether it is gone."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()
    return not os.path.lexists(path)


def _flush(path: Path) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
