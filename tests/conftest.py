"""What all tests share: a data folder of their own, and the cases that may lie beside the checkout."""

from __future__ import annotations

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
