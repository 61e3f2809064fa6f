"""Tables that are asked with a model planner."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("instructor", reason='the extra "model" is not installed')

from engine import model
from tests.engine.agents.playing import World
from tests.engine.conftest import Asked


@pytest.fixture(autouse=True)
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """An endpoint that names no time is asked again at once."""
    monkeypatch.setattr(model, "_WAITS", (0.0, 0.0))


@pytest.fixture
def asking(providers: Asked, tmp_path: Path) -> World:
    """The providers."""
    return World(providers.tables, tmp_path)
