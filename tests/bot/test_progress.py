"""Progress is for a person who watches, and only for one."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CODE = """
from bot.progress import ProgressBar
with ProgressBar() as bar:
    bar.report("reading [bold]x[/bold]", 0, 1)
    bar.report("cases", 3, 12)
print("done")
"""


def run(stderr: int) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "100"}
    return subprocess.run([sys.executable, "-c", CODE], env=env, stdout=subprocess.PIPE, stderr=stderr, text=True, check=True)


def test_nothing_is_said_down_a_pipe() -> None:
    done = run(subprocess.PIPE)
    assert (done.stdout, done.stderr) == ("done\n", "")


def test_a_terminal_sees_how_far_it_is() -> None:
    screen, end = pty.openpty()
    try:
        done = run(end)
        os.close(end)
        seen = os.read(screen, 100_000).decode()
    finally:
        os.close(screen)
    assert done.stdout == "done\n"
    assert "25%" in seen
    assert "cases" in seen
