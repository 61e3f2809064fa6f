"""The settings that all chats share: where their state is, how long it is kept, and how much may be asked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine.errors import UsageError
from engine.settings import data_folder, setting

_MOST: Final = 10**9


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """How much may be asked and taken away; 0 is no limit.

    questions: a person's in a minute. workspace_questions: those of all its people in a minute. rows: exported by a person in a day.
    spend: of a workspace on models in a day, in the currency of its bills.
    """

    questions: int = 0
    workspace_questions: int = 0
    rows: int = 0
    spend: float = 0.0


def state_url() -> str:
    """The address of the state database: ALMANAC_STATE, else SQLite in the data folder, which is made."""
    if url := setting("ALMANAC_STATE"):
        return url
    path: Path = data_folder() / "state.sqlite"
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
    except OSError:
        raise UsageError(f'The folder "{path.parent}" cannot be written; name another with ALMANAC_DATA.') from None
    return f"sqlite:///{path}"


def keep_days() -> float:
    """ALMANAC_KEEP_DAYS as a number, 30 where it is not set; raises UsageError where it is none or not above 0."""
    return _days("ALMANAC_KEEP_DAYS", 30)


def audit_days() -> float:
    """ALMANAC_AUDIT_DAYS as a number, 365 where it is not set; raises UsageError where it is none or not above 0."""
    return _days("ALMANAC_AUDIT_DAYS", 365)


def limit_settings() -> LimitSettings:
    """The limits; raises UsageError where one is no number, or below 0."""
    return LimitSettings(
        questions=_whole("ALMANAC_QUESTIONS_A_MINUTE", 30),
        workspace_questions=_whole("ALMANAC_WORKSPACE_QUESTIONS_A_MINUTE", 1000),
        rows=_whole("ALMANAC_ROWS_EXPORTED_A_DAY", 200_000),
        spend=_amount("ALMANAC_MODEL_SPEND_A_DAY"),
    )


def _days(name: str, usual: int) -> float:
    days = _number(setting(name) or str(usual))
    if days is None or not 0 < days < 100_000:
        raise UsageError(f"{name} must be a number of days above 0, such as {usual}.")
    return days


def _whole(name: str, usual: int) -> int:
    number = _number(setting(name) or str(usual))
    if number is None or not 0 <= number <= _MOST or number != int(number):
        raise UsageError(f"{name} must be a whole number such as {usual}, or 0 for no limit.")
    return int(number)


def _amount(name: str) -> float:
    number = _number(setting(name) or "0")
    if number is None or not 0 <= number <= _MOST:
        raise UsageError(f"{name} must be an amount such as 20 or 7.50, or 0 for no limit.")
    return number


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
