"""The server: alive, ready, which chats are started and why the others are not, and that it says what waited."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestClient, TestServer

from bot.chat.asking import Asking
from bot.chat.handler import Handler
from bot.chat.state import State
from bot.chat.types import Deliver, OutboxEntry
from bot.serve import Surface, application
from tests.chat.test_handler import heard
from tests.chat.world import asked, ruled, write

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
    with asked(tmp_path_factory.mktemp("world")) as made:
        yield made


@pytest.fixture
def state(tmp_path: Path) -> State:
    return State(f"sqlite:///{tmp_path / 'state.sqlite'}")


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET", "SLACK_APP_TOKEN", "MICROSOFT_APP_ID", "MICROSOFT_APP_PASSWORD"):
        monkeypatch.delenv(name, raising=False)


async def answers(app: web.Application, path: str) -> tuple[int, dict[str, object]]:
    async with TestClient(TestServer(app)) as client:
        response = await client.get(path)
        return response.status, await response.json()


def test_a_chat_without_settings_says_why_it_is_not_started(state: State, asking: Asking) -> None:
    app, told = application(state, asking, "127.0.0.1")
    assert len(told) == 2
    assert "SLACK_BOT_TOKEN" in told[0] and "MICROSOFT_APP_ID" in told[1]
    status, body = asyncio.run(answers(app, "/ready"))
    assert status == 503 and body["surfaces"] == []


def test_it_is_ready_where_only_some_groups_may_see_a_table(state: State, tmp_path: Path) -> None:
    def start(app: web.Application, handler: Handler, host: str) -> Deliver | str:
        async def deliver(entry: OutboxEntry) -> None:
            """Nothing waits here."""

        return deliver

    with ruled(tmp_path) as ruled_asking:
        app, _ = application(state, ruled_asking, "127.0.0.1", [Surface("slack", start)])
        status, body = asyncio.run(answers(app, "/ready"))
    assert (status, body["tables"]) == (200, 1)


def test_it_is_alive_whatever_is_not_started(state: State, asking: Asking) -> None:
    app, _ = application(state, asking, "127.0.0.1")
    assert asyncio.run(answers(app, "/health")) == (200, {"status": "alive"})


def test_both_chats_are_served_from_one_place(state: State, asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-1")
    monkeypatch.setenv("SLACK_SIGNING_SECRET", "secret")
    monkeypatch.setenv("MICROSOFT_APP_ID", "")
    app, told = application(state, asking, "127.0.0.1")
    assert told == ["Slack is started.", "Teams is started."]
    paths = {resource.canonical for resource in app.router.resources()}
    assert {"/slack/events", "/api/messages", "/health", "/ready"} <= paths


def test_without_an_app_id_only_this_machine_is_served(state: State, asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MICROSOFT_APP_ID", "")
    _, told = application(state, asking, "0.0.0.0")
    assert "127.0.0.1" in told[1]


def test_what_waited_is_said_by_the_server(state: State, asking: Asking) -> None:
    said: asyncio.Queue[OutboxEntry] = asyncio.Queue()

    async def deliver(entry: OutboxEntry) -> None:
        said.put_nowait(entry)

    def start(app: web.Application, handler: Handler, host: str) -> Deliver | str:
        return deliver

    async def scenario() -> None:
        before = Handler(state, asking)
        shown = await before.ask(heard())
        assert shown is not None
        await before.unposted(shown, 0)
        before.close()
        app, _ = application(state, asking, "127.0.0.1", [Surface("Slack", start)])
        async with TestClient(TestServer(app)) as client:
            entry = await asyncio.wait_for(said.get(), 30)
            assert entry.shown.reply.parts[0].headline == "Acre: 4 rows" and entry.tries == 1
            for _ in range(100):
                body = await (await client.get("/ready")).json()
                if not body["waiting"]:
                    break
                await asyncio.sleep(0.05)
            assert body == {"status": "ready", "tables": 1, "surfaces": ["slack"], "waiting": 0}

    asyncio.run(scenario())


def almanac(*arguments: str, **more: str) -> list[str]:
    return [sys.executable, "-c", "from bot.cli import main; main()", *arguments]


def test_the_command_serves_until_it_is_told_to_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALMANAC_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("MICROSOFT_APP_ID", "")
    catalog = write(tmp_path)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = almanac("serve", "--catalog", str(catalog), "--port", str(port))
    running = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    try:

        async def ready() -> tuple[int, str]:
            async with ClientSession() as web_client:
                for _ in range(600):
                    try:
                        async with web_client.get(f"http://127.0.0.1:{port}/ready") as response:
                            return response.status, await response.text()
                    except OSError:
                        await asyncio.sleep(0.1)
            raise AssertionError("the server did not start")

        status, text = asyncio.run(ready())
        assert status == 200 and json.loads(text)["surfaces"] == ["teams"]
        second = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
        assert second.returncode == 2 and f"port {port}" in second.stderr and "Traceback" not in second.stderr
    finally:
        running.terminate()
        _, said = running.communicate(timeout=60)
    assert "Teams is started." in said and "SLACK_BOT_TOKEN" in said
    assert running.returncode == 0


def test_the_command_talks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALMANAC_DATA", str(tmp_path / "data"))
    catalog = write(tmp_path)
    typed = "which doctors are in Haifa?\nand in Acre?\n"
    done = subprocess.run(
        almanac("chat", "--catalog", str(catalog)), cwd=ROOT, input=typed, capture_output=True, text=True, timeout=120, encoding="utf-8"
    )
    assert done.returncode == 0
    assert "Haifa: 23 rows" in done.stdout and "Understood as: which doctors are in Acre?" in done.stdout
    assert not (tmp_path / "data" / "state.sqlite").exists(), "what is said on a terminal is kept nowhere"


def test_the_command_writes_what_is_uploaded(tmp_path: Path) -> None:
    slack = subprocess.run(almanac("manifest", "slack", "--url", "https://bot.example.com"), cwd=ROOT, capture_output=True, text=True)
    assert slack.returncode == 0 and "https://bot.example.com/slack/events" in slack.stdout
    out = tmp_path / "almanac.zip"
    wanted = ["manifest", "teams", "--app-id", "11111111-2222-3333-4444-555555555555", "--domain", "bot.example.com", "--out", str(out)]
    teams = subprocess.run(almanac(*wanted), cwd=ROOT, capture_output=True, text=True)
    assert teams.returncode == 0 and out.read_bytes().startswith(b"PK")
    wrong = subprocess.run(almanac(*wanted[:3], "x", *wanted[4:]), cwd=ROOT, capture_output=True, text=True)
    assert wrong.returncode == 2 and "Traceback" not in wrong.stderr
