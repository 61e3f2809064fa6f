"""The README says what there is: every command with its options, every setting, every exit status."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from bot.cli import cli
from engine.settings import VARIABLES

ROOT = Path(__file__).resolve().parent.parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(cli.commands))
def test_a_command_is_documented_with_its_options(name: str) -> None:
    found = re.search(rf"^### `almanac {name}\b.*?(?=^##|\Z)", README, re.MULTILINE | re.DOTALL)
    assert found, f"README.md has no section for almanac {name}"
    for parameter in _parameters(cli.commands[name]):
        if isinstance(parameter, click.Option):
            assert f"`{parameter.opts[0]}" in found[0], f"almanac {name} {parameter.opts[0]} is not documented"


def _parameters(command: click.Command) -> Iterator[click.Parameter]:
    """Those of a command and of the commands below it."""
    yield from command.params
    if isinstance(command, click.Group):
        for below in command.commands.values():
            yield from _parameters(below)


def test_no_command_is_documented_that_is_not_there() -> None:
    assert set(re.findall(r"^### `almanac (\w+)", README, re.MULTILINE)) == set(cli.commands)


@pytest.mark.parametrize("name", VARIABLES)
def test_a_setting_is_documented(name: str) -> None:
    assert f"| `{name}` |" in README


def test_no_module_but_the_settings_reads_the_environment() -> None:
    readers = [
        path.relative_to(ROOT).as_posix()
        for package in ("bot", "jobs", "engine", "cache")
        for path in (ROOT / package).rglob("*.py")
        if re.search(r"\bos\.(environ|getenv)\b", path.read_text(encoding="utf-8"))
    ]
    assert readers == ["engine/settings.py"]


def test_make_targets_are_documented() -> None:
    targets = re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE)
    assert "demo" in targets
    assert [name for name in targets if f"`make {name}`" not in README + (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")] == []


def test_the_locks_hold_hashes_and_no_address() -> None:
    for name in ("requirements.lock", "requirements-dev.lock"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert "://" not in text
        assert "--index" not in text
        entries = re.split(r"\n(?=\S)", text.strip())
        assert len(entries) > 20
        assert [entry for entry in entries if "--hash=sha256:" not in entry] == []
