"""A name of its own for a folder of built files, the same for all who use it, on whatever machine."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from cache.folders import digest, private

_FILE: Final = ".identity"


def identity(root: Path) -> str:
    """16 letters that are made once for a folder; those of its path where it cannot be written."""
    path = root / _FILE
    with suppress(OSError):
        private(root)
        made = path.with_name(f"{_FILE}-{os.urandom(6).hex()}")
        try:
            if not path.exists():
                made.write_text(os.urandom(8).hex(), encoding="ascii")
                os.link(made, path)  # the first one's counts
        except FileExistsError:
            pass
        finally:
            made.unlink(missing_ok=True)
        found = path.read_text(encoding="ascii").strip()
        if len(found) == 16 and found.isalnum():
            return found
    return digest(str(root.absolute()))[:16]
