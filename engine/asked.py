"""Which tables, and which slices of them, are asked most: remembered for whoever opens them ahead."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import ValidationError

from cache.hints import Hints
from engine.catalog import Catalog
from engine.types import Slice

Spot = tuple[str, Slice]  # a table's name in the catalog, and what of it is seen
MOST: Final = 200  # spots
SAVED_EVERY: Final = 60.0  # seconds
HALVED_IN: Final = 7.0  # days: what was asked last week counts half
FORGOTTEN: Final = 0.05


class Asked:
    """How often each was asked, of late more than long ago; for any number of threads. Processes may lose a count to each other: it is a hint."""

    def __init__(self, hints: Hints, catalog: Catalog) -> None:
        self._hints = hints
        self._names = {entry.name for entry in catalog.tables}
        self._key = "asked\0" + json.dumps([catalog.file, *([] if catalog.file else sorted(entry.source for entry in catalog.tables))])
        self._fresh: Counter[Spot] = Counter()
        self._saved_at = time.monotonic()
        self._lock = threading.Lock()

    def note(self, spots: Iterable[Spot]) -> None:
        """Each of these was asked once more."""
        with self._lock:
            self._fresh.update(spots)
            due = time.monotonic() - self._saved_at > SAVED_EVERY
        if due:
            self.save()

    def save(self) -> None:
        """Remember what was noted since the last time, where it can be."""
        with self._lock:
            fresh, self._fresh = self._fresh, Counter()
            self._saved_at = time.monotonic()
        if not fresh:
            return
        weights = self._kept_and(fresh)
        best = sorted(weights.items(), key=lambda pair: -pair[1])[:MOST]
        kept: list[Any] = [[name, part.model_dump(mode="json"), round(weight, 3)] for (name, part), weight in best if weight >= FORGOTTEN]
        self._hints.set(self._key, {"day": _today(), "spots": kept})

    def most(self) -> list[Spot]:
        """Those that were asked, the most asked first; tables that the catalog has no more are left out."""
        with self._lock:
            fresh = dict(self._fresh)
        weights = self._kept_and(fresh)
        return sorted(weights, key=lambda spot: (-weights[spot], spot[0], spot[1].model_dump_json()))

    def _kept_and(self, fresh: Mapping[Spot, int]) -> dict[Spot, float]:
        weights = self._kept()
        for spot, times in fresh.items():
            weights[spot] = weights.get(spot, 0.0) + times
        return weights

    def _kept(self) -> dict[Spot, float]:
        """What is remembered, weighed by its age; nothing where it is not as it was written."""
        known = self._hints.get(self._key)
        try:
            share = 0.5 ** (max(0.0, _today() - float(known["day"])) / HALVED_IN)
            found = {(str(name), Slice.model_validate(part)): float(weight) * share for name, part, weight in known["spots"]}
        except (TypeError, KeyError, ValueError, ValidationError):
            return {}
        return {spot: weight for spot, weight in found.items() if spot[0] in self._names}


def _today() -> float:
    return round(time.time() / 86_400, 3)  # days since 1970
