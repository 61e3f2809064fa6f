"""The package for Teams: what it declares is what the code does, and what stands in manifest/teams is what is made here."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from pathlib import Path

import pytest

from bot.teams.icons import color_icon, outline_icon
from bot.teams.manifest import COMMANDS, SCOPES, PackageError, manifest, package, template, write_package
from bot.teams.surface import COMMANDS as HEARD
from engine.errors import UsageError

APP_ID = "6f9619ff-8b86-d011-b42d-00cf4fc964ff"
FOLDER = Path(__file__).resolve().parents[2] / "manifest" / "teams"


def test_what_it_declares_is_what_the_bot_does() -> None:
    made = manifest(APP_ID, "almanac.example.com")
    (bot,) = made["bots"]
    assert (made["id"], bot["botId"]) == (APP_ID, APP_ID)
    assert set(bot["scopes"]) == {"personal", "team", "groupChat"} == set(SCOPES)
    assert bot["supportsFiles"] is True, "a file is offered by consent"
    listed = [command["title"] for commands in bot["commandLists"] for command in commands["commands"]]
    assert listed == list(HEARD) == list(COMMANDS)
    assert made["validDomains"] == ["almanac.example.com"]
    assert not {"composeExtensions", "staticTabs", "configurableTabs", "webApplicationInfo", "authorization"} & set(made), "nothing more"


def test_it_keeps_to_the_lengths_of_the_schema() -> None:
    made = manifest(APP_ID, "almanac.example.com")
    assert len(made["name"]["short"]) <= 30 and len(made["name"]["full"]) <= 100
    assert len(made["description"]["short"]) <= 80 and len(made["description"]["full"]) <= 4000
    assert all(len(title) <= 32 and len(text) <= 128 for title, text in COMMANDS.items())
    assert made["version"].count(".") == 2


def test_the_package_holds_the_manifest_and_both_icons() -> None:
    with zipfile.ZipFile(io.BytesIO(package(APP_ID.upper(), "Almanac.Example.com"))) as zipped:
        assert sorted(zipped.namelist()) == ["color.png", "manifest.json", "outline.png"]
        assert json.loads(zipped.read("manifest.json")) == manifest(APP_ID, "almanac.example.com")
        assert zipped.read("color.png") == color_icon()
    assert package(APP_ID, "almanac.example.com") == package(APP_ID, "almanac.example.com")


def pixels(png: bytes) -> tuple[int, int, set[tuple[int, ...]]]:
    """Width, height and the colours of a PNG of 8-bit RGBA without filters."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    at, data, size = 8, b"", (0, 0)
    while at < len(png):
        (length,), kind = struct.unpack(">I", png[at : at + 4]), png[at + 4 : at + 8]
        body = png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            size = struct.unpack(">II", body[:8])
        elif kind == b"IDAT":
            data += body
        at += 12 + length
    raw = zlib.decompress(data)
    width, height = size
    step = 1 + 4 * width
    points = {tuple(raw[y * step + 1 + 4 * x : y * step + 5 + 4 * x]) for y in range(height) for x in range(width)}
    return width, height, points


def test_the_icons_are_as_teams_wants_them() -> None:
    assert pixels(color_icon())[:2] == (192, 192)
    width, height, points = pixels(outline_icon())
    assert (width, height) == (32, 32)
    assert points == {(255, 255, 255, 255), (255, 255, 255, 0)}, "white on nothing"


def test_the_files_beside_are_those_that_are_made() -> None:
    assert (FOLDER / "manifest.json").read_text(encoding="utf-8") == template()
    assert (FOLDER / "color.png").read_bytes() == color_icon()
    assert (FOLDER / "outline.png").read_bytes() == outline_icon()


@pytest.mark.parametrize("app_id", ["", "x", "6f9619ff-8b86-d011-b42d"])
def test_a_wrong_id_is_refused(app_id: str) -> None:
    with pytest.raises(UsageError, match="--app-id"):
        manifest(app_id, "almanac.example.com")


@pytest.mark.parametrize(
    "domain", ["", "https://almanac.example.com", "almanac.example.com/x", "localhost", "a b.example", "-a.example", "1.2.3.4"]
)
def test_a_wrong_domain_is_refused(domain: str) -> None:
    with pytest.raises(UsageError, match="--domain"):
        manifest(APP_ID, domain)


def test_the_package_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    write_package(APP_ID, "almanac.example.com", tmp_path / "almanac.zip")
    assert (tmp_path / "almanac.zip").read_bytes() == package(APP_ID, "almanac.example.com")
    with pytest.raises(UsageError, match=r"\.zip"):
        write_package(APP_ID, "almanac.example.com", tmp_path / "almanac.tar")
    with pytest.raises(UsageError, match="no folder"):
        write_package(APP_ID, "almanac.example.com", tmp_path / "none" / "almanac.zip")
    (tmp_path / "taken.zip").mkdir()
    with pytest.raises(PackageError):
        write_package(APP_ID, "almanac.example.com", tmp_path / "taken.zip")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["almanac.zip", "taken.zip"]
