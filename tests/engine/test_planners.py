"""The model planner of the settings: what is refused, and that no secret stands in the refusal."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("instructor", reason='the extra "model" is not installed')

from engine.errors import UsageError
from engine.planners import chosen_planner


@pytest.mark.parametrize(
    ("address", "key", "said"),
    [
        ("example.org/v1", "sk-1", 'OPENAI_BASE_URL is "example.org/v1"; it has to be an address'),
        ("http://user:hunter2@host/v1", "sk-1", "OPENAI_BASE_URL holds more than an address"),
        ("ftp://user:hunter2@host/v1", "sk-1", 'OPENAI_BASE_URL is "host/v1"; it has to be an address'),
        ("http://host/v1", "hunter2 \N{HEBREW LETTER ALEF}", "OPENAI_API_KEY holds what no key holds"),
        ("http://other/v1", "sk-1", 'The endpoint "http://other/v1" is not among those that the catalog\'s access.endpoints allows'),
    ],
)
def test_an_endpoint_that_cannot_be_right_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, address: str, key: str, said: str
) -> None:
    for name, value in {"ALMANAC_MODEL": "small", "OPENAI_BASE_URL": address, "OPENAI_API_KEY": key}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(UsageError) as refused:
        chosen_planner(tmp_path, ["http://host/v1"])
    assert str(refused.value).startswith(said) and "hunter2" not in str(refused.value)


def test_an_address_is_the_same_with_a_stroke_at_its_end(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ALMANAC_MODEL", "small")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://host/v1/")
    planner = chosen_planner(tmp_path, ["http://host/v1"])
    assert planner is not None and planner.endpoint.address == "http://host/v1"
