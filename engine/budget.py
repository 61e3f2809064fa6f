"""The most that one question may take of a language model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that one question may take; price: of a million tokens read and of a million written, in the currency of the bills."""

    calls: int = 8
    tokens: int = 40_000
    seconds: float = 20.0
    price: tuple[float, float] = (0.0, 0.0)
