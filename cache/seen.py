"""Remembers what a source was found to be at a stamp, so that a source that did not change is not read again."""

from __future__ import annotations

from cache.hints import Hints


class Seen:
    """For each source: the stamp that it was last seen with, and what reading it then gave (its fingerprint, say, or a version).

    A hint and no more: what is in service is for the store to say, and a lost hint costs one reading.
    """

    def __init__(self, hints: Hints) -> None:
        self._hints = hints

    def at(self, source: str, stamp: str | None) -> str | None:
        """What the source was found to be when it had this stamp; None where it must be read. A stamp of None is never known."""
        known = self._hints.get(source) if stamp is not None else None
        if not isinstance(known, dict) or known.get("stamp") != stamp:
            return None
        found = known.get("found")
        return found if isinstance(found, str) else None

    def remember(self, source: str, stamp: str | None, found: str) -> None:
        """The source, read after this stamp was taken, was found to be this; source names how it was read, too, where that matters."""
        if stamp is not None:
            self._hints.set(source, {"stamp": stamp, "found": found})
