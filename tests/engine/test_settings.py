"""Settings from the environment, and the log."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine import settings
from engine.errors import UsageError


@pytest.fixture(autouse=True)
def _log_as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    handlers, levels = root.handlers, {name: logging.getLogger(name).level for name in ("", "engine", "cache", "jobs", "bot")}
    yield
    root.handlers = handlers
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


def test_the_catalog_that_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert settings.catalog_path() is None
    (tmp_path / "almanac.toml").touch()
    assert settings.catalog_path() == Path("almanac.toml")
    monkeypatch.setenv("ALMANAC_CATALOG", "other.toml")
    assert settings.catalog_path() == Path("other.toml")


def test_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALMANAC_DATA", str(tmp_path / "x"))
    assert settings.data_folder() == tmp_path / "x"
    monkeypatch.delenv("ALMANAC_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert settings.data_folder().name == "almanac"


def test_the_log_is_quiet_until_it_is_asked(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    settings.start_logging()
    logging.getLogger("engine.x").error("unheard")
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("ALMANAC_LOG", "Info")
    settings.start_logging()
    logging.getLogger("engine.x").info("heard", extra={"rows": 3})
    logging.getLogger("engine.x").debug("unheard")
    logging.getLogger("elsewhere").info("unheard")
    (line,) = capsys.readouterr().err.splitlines()
    told = json.loads(line)
    assert (told["event"], told["rows"], told["logger"], told["level"]) == ("heard", 3, "engine.x", "info")


def test_a_level_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALMANAC_LOG", "loud")
    with pytest.raises(UsageError, match='"loud"; it can be off, error'):
        settings.log_level()


def test_an_incident_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("ALMANAC_DATA", str(tmp_path / "data"))
    settings.start_logging()
    try:
        raise ValueError("the reason")
    except ValueError as error:
        path = settings.log_incident("abc", error)
    assert path == tmp_path / "data" / "almanac.log"
    told = json.loads(path.read_text())
    assert told["incident"] == "abc"
    assert "the reason" in told["traceback"]
    assert capsys.readouterr().err == ""
    (tmp_path / "file").touch()
    monkeypatch.setenv("ALMANAC_DATA", str(tmp_path / "file"))
    assert settings.log_incident("abc", ValueError()) is None
    monkeypatch.setenv("ALMANAC_DATA", "~no-such-user/x")
    assert settings.log_incident("abc", ValueError()) is None


@pytest.mark.parametrize(("variable", "path"), [("ALMANAC_DATA", settings.data_folder), ("ALMANAC_CATALOG", settings.catalog_path)])
def test_a_home_that_there_is_none_of(variable: str, path: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "~no-such-user/x")
    with pytest.raises(UsageError, match=f'{variable} is "~no-such-user/x", and "~no-such-user" is no home folder'):
        path()
