"""What all tests share: a data folder of their own, and the cases that may lie beside the checkout."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT.parent / "shared" / "cases"


@pytest.fixture(autouse=True, scope="session")
def _own_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing is built in the user's folder, and no setting of the user's counts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ALMANAC_DATA", str(tmp_path_factory.mktemp("data")))
        patch.delenv("ALMANAC_CATALOG", raising=False)
        patch.delenv("ALMANAC_LOG", raising=False)
        yield


@pytest.fixture(scope="session")
def cases() -> Path:
    """The folder of the cases; the test is skipped, naming it, where there is none."""
    if not CASES.is_dir():
        pytest.skip("../shared/cases is not beside this checkout")
    return CASES


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    """A command that runs within a test sets what is logged for its process: the tests after it log as before."""
    loggers = [logging.getLogger(name) for name in (None, "bot", "jobs", "engine", "cache")]
    levels = [logger.level for logger in loggers]
    handlers = list(loggers[0].handlers)
    yield
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)
    loggers[0].handlers[:] = handlers
