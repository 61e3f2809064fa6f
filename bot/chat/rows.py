"""All rows of a reply as the bytes of a file."""

from __future__ import annotations

import tempfile
import zipfile
from io import BytesIO
from pathlib import Path

from bot.save import save_reply
from engine.types import Reply


def file_of(reply: Reply, kind: str, name: str = "answer") -> tuple[str, bytes]:
    """Name and bytes of a file of that kind (csv, xlsx); several parts as CSV come in one zip. Raises UsageError where XLSX cannot hold the rows."""
    with tempfile.TemporaryDirectory(prefix="almanac-") as folder:
        paths = save_reply(reply, Path(folder) / f"{name}.{kind}")
        if len(paths) == 1:
            return paths[0].name, paths[0].read_bytes()
        packed = BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in paths:
                archive.write(path, path.name)
    return f"{name}.zip", packed.getvalue()
