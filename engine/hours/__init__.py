"""Opening hours: what a cell says, what a question asks, and whether the one meets the other."""

from __future__ import annotations

from engine.hours.cell import is_hours, parse
from engine.hours.question import asked
from engine.hours.span import Span, When, meets, meets_all, times_of, written

__all__ = ["Span", "When", "asked", "is_hours", "meets", "meets_all", "parse", "times_of", "written"]
