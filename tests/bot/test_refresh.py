"""Tables refreshed by the command, and by the server: what is told of it, while it runs and after it ended."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
COMMAND = [sys.executable, "-c", "from bot.cli import main; main()"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ALMANAC_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("MICROSOFT_APP_ID", "")
    monkeypatch.delenv("ALMANAC_STATE", raising=False)
    write(tmp_path, 2)
    (tmp_path / "almanac.toml").write_text(
        '[tables.shops]\nsource = "shops.csv"\nrefresh = "1 second"\njitter = "0"\n[tables.quiet]\nsource = "quiet.csv"\nrefresh = "never"\n',
        encoding="utf-8",
    )
    (tmp_path / "quiet.csv").write_text("name,city\nAnn,Acre\nBen,Lod\n", encoding="utf-8")
    return tmp_path


def write(folder: Path, rows: int) -> None:
    (folder / "shops.csv").write_text("name,city\n" + "".join(f"Shop {n},Haifa\n" for n in range(rows)), encoding="utf-8")


def almanac(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, *arguments, "--catalog", str(folder / "almanac.toml")]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, encoding="utf-8")


def status(folder: Path) -> dict[str, dict[str, Any]]:
    done = almanac(folder, "status", "--json")
    assert done.returncode == 0, done.stderr
    return {one["table"]: one for one in json.loads(done.stdout)["tables"]}


def test_a_refresh_from_the_command_line(folder: Path) -> None:
    assert "shops: not built" in almanac(folder, "status").stdout
    first = almanac(folder, "refresh")
    assert first.returncode == 0 and "shops: new version" in first.stdout and "quiet: new version" in first.stdout
    assert "shops: the same as before" in almanac(folder, "refresh", "shops").stdout
    (folder / "shops.csv").unlink()
    refused = almanac(folder, "refresh", "shops", "--json")
    (one,) = json.loads(refused.stdout)["tables"]
    assert refused.returncode == 3 and one["outcome"] == "refused" and "There is no file shops.csv." in one["reason"]
    found = status(folder)
    assert found["shops"]["rows"] == 2 and found["shops"]["stale_since"] and "shops.csv" in found["shops"]["reason"]
    assert found["quiet"]["stale_since"] is None and found["quiet"]["next_run"] is None
    lines = almanac(folder, "status").stdout.splitlines()
    assert len(lines) == 2 and "stale since" in lines[0] and "refreshed: never" in lines[1]
    write(folder, 3)
    assert almanac(folder, "refresh", "shops").returncode == 0
    assert status(folder)["shops"]["stale_since"] is None


def test_what_shrank_is_taken_when_its_owner_says_so(folder: Path) -> None:
    write(folder, 40)
    assert almanac(folder, "refresh", "shops").returncode == 0
    write(folder, 3)
    refused = almanac(folder, "refresh", "shops")
    assert refused.returncode == 3 and status(folder)["shops"]["rows"] == 40
    assert almanac(folder, "refresh", "shops", "--accept").returncode == 0
    found = status(folder)["shops"]
    assert found["rows"] == 3 and found["stale_since"] is None


def test_a_table_that_is_not_there(folder: Path) -> None:
    done = almanac(folder, "refresh", "shop")
    assert done.returncode == 2 and 'did you mean "shops"?' in done.stderr and "Traceback" not in done.stderr


def serving(folder: Path, *more: str) -> tuple[subprocess.Popen[str], int]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [*COMMAND, "serve", "--catalog", str(folder / "almanac.toml"), "--port", str(port), *more]
    return subprocess.Popen(command, cwd=ROOT, env={**os.environ}, stderr=subprocess.PIPE, text=True), port


def test_a_server_keeps_its_tables_fresh(folder: Path) -> None:
    running, _ = serving(folder)
    try:
        while not status(folder).get("shops", {}).get("last"):
            assert running.poll() is None
            time.sleep(0.1)
        write(folder, 5)
        while (found := status(folder)["shops"])["rows"] != 5:
            assert running.poll() is None
            time.sleep(0.1)
        assert found["outcome"] == "done"
    finally:
        running.send_signal(signal.SIGTERM)
        _, said = running.communicate(timeout=60)
    assert running.returncode == 0 and "Traceback" not in said
    after = status(folder)["shops"]
    assert after["rows"] == 5 and after["last_run"] and after["next_run"] and not after["running"]


def test_a_server_without_jobs_refreshes_nothing(folder: Path) -> None:
    running, port = serving(folder, "--no-jobs")
    try:
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert running.poll() is None
            time.sleep(0.1)
        assert status(folder)["shops"]["last_run"] is None and status(folder)["shops"]["rows"] == 2
    finally:
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=60)
    assert running.returncode == 0
    assert status(folder)["shops"]["last_run"] is None
