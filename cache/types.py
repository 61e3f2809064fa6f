"""What may be kept: plain JSON, so that reading it back can run nothing."""

from __future__ import annotations

JSON = dict[str, "JSON"] | list["JSON"] | str | int | float | bool | None
