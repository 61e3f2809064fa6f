"""The manifest of a key: which version is in service, where it lies, and what it should hold. Replacing the file is the switch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from cache.folders import digest, write
from cache.types import JSON

FILE = "manifest.json"
NOTE = "note.json"  # what is said of the version in service since it was built
AGREED = "agreed.json"  # what was agreed on, for this version and all to come
FORMAT = 1  # of this file and of the folder that it describes


class DamageError(Exception):
    """A manifest, or what it names, is not what was written; the text says what is wrong, for the log."""


class AnotherVersionError(DamageError):
    """A manifest is whole, but of another version of the project, which may still use it."""


class Manifest(NamedTuple):
    """One version in service.

    key: the digest of the key, never the key: an address may hold a password.
    folder: the name of the version's folder, beside the manifest.
    facts: what its builder wanted remembered.
    built_at: ISO 8601, UTC.
    files: each file of the version, by its path from the folder, with its size in bytes.
    """

    key: str
    version: str
    folder: str
    facts: dict[str, JSON]
    built_at: str
    files: dict[str, int]


def read_manifest(home: Path, key: str) -> Manifest | None:
    """The manifest in a key's folder, None where there is none; DamageError where it cannot be read or is another's."""
    manifest = read_any(home)
    if manifest is not None and manifest.key != digest(key):
        raise DamageError("it belongs to another table")
    return manifest


def read_any(home: Path) -> Manifest | None:
    """The manifest in a folder, of whichever key, None where there is none; DamageError where it cannot be read."""
    fields = _read(home)
    if fields is None:
        return None
    if fields.pop("format", None) != FORMAT:
        raise AnotherVersionError("it was written by another version of Almanac")
    if not _is_manifest(fields):
        raise DamageError("its fields are not those of a manifest")
    return Manifest(**fields)  # type: ignore[arg-type]  # _is_manifest has looked at each


def named_folder(home: Path) -> str | None:
    """The folder that a manifest of any format names: what must not be swept, even where this version of the project cannot use it."""
    try:
        fields = _read(home)
    except DamageError:
        return None
    folder = fields.get("folder") if fields else None
    return folder if isinstance(folder, str) else None


def write_manifest(home: Path, manifest: Manifest) -> None:
    """Switch to this version; OSError leaves the old one in service."""
    write(home / FILE, json.dumps({"format": FORMAT, **manifest._asdict()}, indent=1))


def read_note(home: Path, folder: str) -> dict[str, JSON] | None:
    """What is noted of the version in this folder; None where nothing is, or only of another one."""
    try:
        fields = json.loads((home / NOTE).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    said = fields.get("said") if isinstance(fields, dict) and fields.get("folder") == folder else None
    return said if isinstance(said, dict) else None


def write_note(home: Path, folder: str, said: dict[str, JSON] | None) -> None:
    """Note something of a version in place of what was noted, or nothing any more; OSError leaves what was noted."""
    if said is None:
        (home / NOTE).unlink(missing_ok=True)
    else:
        write(home / NOTE, json.dumps({"folder": folder, "said": said}, indent=1))


def read_agreed(home: Path) -> dict[str, JSON]:
    """What was agreed on for a key; nothing where that cannot be read."""
    try:
        fields = json.loads((home / AGREED).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}


def write_agreed(home: Path, said: dict[str, JSON]) -> None:
    """Keep what was agreed on in place of what was; OSError leaves that."""
    write(home / AGREED, json.dumps(said, indent=1))


def _read(home: Path) -> dict[str, JSON] | None:
    try:
        fields = json.loads((home / FILE).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError):
        raise DamageError("it cannot be read") from None
    if not isinstance(fields, dict):
        raise DamageError("its fields are not those of a manifest")
    return fields


def _is_manifest(fields: dict[str, JSON]) -> bool:
    texts = [fields.get(name) for name in ("key", "version", "folder", "built_at")]
    files = fields.get("files")
    folder = fields.get("folder")
    return (
        set(fields) == set(Manifest._fields)
        and all(isinstance(text, str) for text in texts)
        and isinstance(fields["facts"], dict)
        and isinstance(files, dict)
        and all(type(size) is int for size in files.values())
        # A folder beside the manifest, and nothing that a changed manifest could point to elsewhere.
        and isinstance(folder, str)
        and Path(folder).name == folder
        and folder != ".."
    )
