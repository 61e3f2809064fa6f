"""Tables refreshed by the command, and by the server: what is told of it, while it runs and after it ended."""

from __future__ import annotations

import io
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

from bot.chat.state import State
from bot.status import print_status
from bot.status import status as described
from engine.catalog import Catalog, catalog_of
from jobs.ledger import Ledger

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


def listens(running: subprocess.Popen[str], port: int) -> bool:
    """Waits until a server listens; False where it ended."""
    while running.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return True
        time.sleep(0.1)
    return False


def ended(running: subprocess.Popen[str]) -> int:
    running.send_signal(signal.SIGTERM)
    running.communicate(timeout=60)
    return running.returncode


def test_a_server_without_jobs_refreshes_nothing(folder: Path) -> None:
    for _ in range(2):
        running, port = serving(folder, "--no-jobs")
        try:
            assert listens(running, port)
            assert status(folder)["shops"]["last_run"] is None and status(folder)["shops"]["rows"] == 2
        finally:
            code = ended(running)
        assert code == 0
        write(folder, 3)  # which the second one leaves as it is, too
    assert status(folder)["shops"]["last_run"] is None


def test_the_off_switch_needs_no_table(folder: Path) -> None:
    (folder / "shops.csv").unlink()
    (folder / "quiet.csv").unlink()
    running, port = serving(folder, "--read-only-notice", "Closed until Monday.")
    try:
        assert listens(running, port), "what cannot be read keeps nobody from being told"
        assert status(folder)["shops"]["version"] == ""
    finally:
        code = ended(running)
    assert code == 0


def test_what_is_due_for_long_tells_that_nobody_does_it_and_what_waits_for_its_turn_does_not(tmp_path: Path) -> None:
    now = time.time()
    state = State(f"sqlite:///{tmp_path / 'state.sqlite'}")
    ledger = Ledger(state.database)
    (tmp_path / "shops.csv").write_text("name,city\nAnn,Acre\n", encoding="utf-8")
    catalog = catalog_of(str(tmp_path / "shops.csv"))
    ledger.enter("other", "other", "1 minute", now - 5)
    ledger.enter("late", "late", "1 minute", now - 3600)
    assert told(catalog, state) == [False, True]
    assert ledger.claim("other", "me", 60)
    assert told(catalog, state) == [False, False], "somebody works"
    state.close()


def told(catalog: Catalog, state: State) -> list[bool]:
    """Whether the other and the late job are told to be nobody's."""
    out = io.StringIO()
    print_status(described(catalog, state), out)
    lines = {line.split(":")[0]: "as no process does the jobs" in line for line in out.getvalue().splitlines()}
    return [lines["job other"], lines["job late"]]
