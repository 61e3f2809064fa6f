"""The model planner that the settings name, if any."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, cast

from cache.hints import Hints
from engine.endpoints import check_allowed, endpoint_setting
from engine.errors import ModelError, UsageError
from engine.settings import model_budget, printable, remembers, setting

if TYPE_CHECKING:
    from engine.agents.planner import ModelPlanner

KINDS: Final = ("auto", "offline", "model")
MODES: Final = ("json_schema", "tools", "json")
Kind = Literal["auto", "offline", "model"]


def chosen_planner(root: Path, endpoints: Sequence[str] | None = None, kind: Kind | None = None) -> ModelPlanner | None:
    """The planner of ALMANAC_PLANNER and ALMANAC_MODEL; None where questions are planned without a model.

    root: the folder of what is remembered. endpoints: the only addresses that may be sent anything. kind: instead of ALMANAC_PLANNER.
    Raises UsageError for a setting that is wrong or missing, for another address, and where the extra "model" is not installed.
    """
    kind = kind or cast(Kind, _one_of("ALMANAC_PLANNER", KINDS))
    model = setting("ALMANAC_MODEL")
    if kind == "offline" or (kind == "auto" and not model):
        return None
    if not model:
        raise UsageError("Planning by a model needs ALMANAC_MODEL, the name of the model; set it, or plan offline.")
    mode = cast(Literal["json_schema", "tools", "json"], _one_of("ALMANAC_MODEL_MODE", MODES))
    address, key = endpoint_setting()
    check_allowed(address, endpoints)
    budget = model_budget()
    try:
        from engine.agents.planner import ModelPlanner  # openai, which takes longer to import than most questions to answer
        from engine.model import ModelEndpoint
    except ModelError as error:
        raise UsageError(str(error)) from None  # a setting asks for what is not there

    endpoint = ModelEndpoint(model, address, key, mode, budget.seconds)
    small = ModelEndpoint(setting("ALMANAC_SMALL_MODEL") or model, address, key, mode, budget.seconds)
    replies = Hints(root, "replies") if remembers() else None
    return ModelPlanner(endpoint, small, Hints(root, "histories"), replies, kind, budget)


def _one_of(name: str, choices: Sequence[str]) -> str:
    chosen = setting(name).casefold() or choices[0]
    if chosen not in choices:
        raise UsageError(f'{name} is "{printable(chosen)}"; it can be {", ".join(choices)}.')
    return chosen
