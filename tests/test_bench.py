"""What `make bench` does at length, done quickly: counts, and no times."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench import at_once, cold_and_warm, filled, killed


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "providers.csv"
    cities = ("Haifa", "Acre", "Eilat")
    rows = (f"Provider {n},{('Pharmacy', 'Clinic')[n % 2]},{cities[n % 3]}" for n in range(300))
    path.write_text("name,type,city\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_processes_at_once_build_once(source: Path, tmp_path: Path) -> None:
    assert at_once(source, tmp_path / "data", 4) == {"processes": 4, "answered": 4, "built": 1}


def test_killed_builders_give_no_wrong_answer(source: Path, tmp_path: Path) -> None:
    found = killed(source, tmp_path / "data", 4, 2.0)
    assert found["wrong answers"] == 0 and found["left over"] == 0 and found["most entries in the folder"] <= 5


def test_a_namespace_stays_under_its_limit(tmp_path: Path) -> None:
    found = filled(tmp_path, 400, 4 * 2**20, 30_000)
    assert found["largest"] < found["limit"] + 2**20 and found["lost that was in use"] == 0


def test_cold_and_warm_answer_alike(source: Path, tmp_path: Path) -> None:
    assert len(cold_and_warm(source, tmp_path / "data", 1)) == 4
