"""Where a source lies, and whether it is the one that was read before."""

from __future__ import annotations

import glob
import re
from pathlib import Path

from cache.stamps import stamp as file_stamp
from engine.errors import SourceError

URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def stamp_source(source: str, base: Path | None) -> str:
    """What changes whenever a file of the source does, the ETag of an address, nothing for a database server."""
    if source.startswith(("https://", "http://")):
        from engine.read.address import stamp_address  # only an address needs requests

        return stamp_address(source)
    if URL.match(source) and not source.startswith("sqlite:///"):
        return ""
    try:
        stamps = [file_stamp(path) for path in files_of(source.removeprefix("sqlite:///"), base)]
    except (OSError, SourceError):
        return ""
    return " ".join(str(stamp) for stamp in stamps) if all(stamps) else ""


def files_of(source: str, base: Path | None) -> list[Path]:
    """The file of a path, or the files of a pattern in the order of their names; raises SourceError where there is none."""
    path = Path(source).expanduser() if base is None else base / Path(source).expanduser()
    if path.exists() or not glob.has_magic(source):
        if path.is_dir():
            raise SourceError(f"{source} is a folder; name a file, or the files in it, as in {source.rstrip('/')}/*.csv.")
        if not path.exists():
            raise SourceError(f"There is no file {source}.")
        return [path]
    found = sorted(Path(each) for each in glob.glob(str(path), recursive=True))
    files = [each for each in found if each.is_file()]
    if not files:
        raise SourceError(f"No file fits {source}.")
    return files
