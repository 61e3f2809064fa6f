"""Runs the bot, a real client of Teams and a browser on this machine, and lets teams.mjs talk; says so where one of them cannot be had."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILT = ROOT / "build" / "e2e"  # what npm installs
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
OLDEST_NODE = 18
SECONDS = 90  # that a server may take to come up
COMMAND = "from bot.cli import main; main()"

sys.path.insert(0, str(HERE))
from world import write  # noqa: E402 - beside this file, which is run as a program


class NotHereError(Exception):
    """Something that this needs cannot be had on this machine."""


def run() -> int:
    """Everything; gives the exit status of the conversation."""
    pictures = Path(os.environ["E2E_PICTURES"]).resolve() if os.environ.get("E2E_PICTURES") else None
    try:
        browser = found_browser()
        install()
    except NotHereError as missing:
        print(f"e2e: not run, as {missing}")
        return 1 if os.environ.get("E2E_REQUIRED") else 0
    with ExitStack() as held:
        folder = Path(held.enter_context(tempfile.TemporaryDirectory()))
        bot, client = free_port(), free_port()
        catalog = write(folder)
        settings = {"MICROSOFT_APP_ID": "", "ALMANAC_DATA": str(folder / "data"), "ALMANAC_STATE": f"sqlite:///{folder / 'state.sqlite'}"}
        environ = {
            name: value for name, value in os.environ.items() if not name.startswith(("SLACK_", "MICROSOFT_", "ALMANAC_"))
        } | settings
        serve = [sys.executable, "-c", COMMAND, "serve", "--catalog", str(catalog), "--host", "127.0.0.1", "--port", str(bot)]
        held.enter_context(running(serve, folder / "bot.log", environ, ROOT))
        reached(f"http://127.0.0.1:{bot}/ready", folder / "bot.log")
        start = ["node", "node_modules/@microsoft/m365agentsplayground/cli.js", "start", "--dt", "-c", "msteams", "-p", str(client)]
        start += ["-e", f"http://127.0.0.1:{bot}/api/messages"]
        held.enter_context(running(start, folder / "client.log", dict(os.environ), BUILT))
        reached(f"http://localhost:{client}/", folder / "client.log")
        talk = ["node", "teams.mjs", f"http://localhost:{client}/", browser, *([str(pictures)] if pictures else [])]
        done = subprocess.run(talk, cwd=BUILT, timeout=600, check=False)
        if done.returncode:
            print((folder / "bot.log").read_text(encoding="utf-8", errors="replace")[-4000:])
        return done.returncode


def found_browser() -> str:
    """The path of a Chromium, installed where that is ours to do; raises NotHereError."""
    named = os.environ.get("CHROMIUM", "")
    for name in (named, *BROWSERS):
        if name and (path := shutil.which(name)):
            return path
    if hasattr(os, "geteuid") and os.geteuid() == 0 and os.environ.get("CI") and shutil.which("apt-get"):
        for arguments in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-noto-core"]):
            subprocess.run(["apt-get", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600, check=False)
        if path := shutil.which("chromium"):
            return path
    raise NotHereError("there is no Chromium here; install it, or name it in CHROMIUM.")


def install() -> None:
    """Lays the script beside what npm installs for it; raises NotHereError."""
    if not shutil.which("node") or not shutil.which("npm"):
        raise NotHereError("there is no Node with npm here.")
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(version.lstrip("v").split(".")[0]) < OLDEST_NODE:
        raise NotHereError(f"Node is {version} here, and {OLDEST_NODE} is needed.")
    BUILT.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "teams.mjs", BUILT)
    wanted = (HERE / "package.json").read_bytes()
    mark = BUILT / "installed.json"
    if mark.exists() and mark.read_bytes() == wanted:
        return
    shutil.copy(HERE / "package.json", BUILT)
    npm = ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
    if subprocess.run(npm, cwd=BUILT, timeout=600, check=False).returncode:
        raise NotHereError("npm could not install the client.")
    mark.write_bytes(wanted)


@contextmanager
def running(command: list[str], log: Path, environ: dict[str, str], folder: Path) -> Iterator[None]:
    """A program with all that it starts, ended at the end."""
    with open(log, "wb") as file:
        process = subprocess.Popen(command, cwd=folder, env=environ, stdout=file, stderr=file, start_new_session=True)
        try:
            yield
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def reached(url: str, log: Path) -> None:
    """Waits until an address answers; raises SystemExit with what the program said where it does not."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise SystemExit(f"e2e: {url} does not answer.\n{log.read_text(encoding='utf-8', errors='replace')[-4000:]}")


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    raise SystemExit(run())
