"""Runs the tasks of builder.py in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.cache import builder

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60  # seconds until a process that hangs fails its test


def command(task: str, *arguments: object) -> list[str]:
    """The command that runs one task."""
    return [sys.executable, builder.__file__, task, *map(str, arguments)]


def environment() -> dict[str, str]:
    """This process's, with the project importable."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def start(task: str, *arguments: object) -> subprocess.Popen[str]:
    """A running task, with its input and output as pipes of text."""
    return subprocess.Popen(
        command(task, *arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment(), cwd=ROOT
    )


def run(task: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """A finished task."""
    return subprocess.run(
        command(task, *arguments), capture_output=True, text=True, env=environment(), cwd=ROOT, timeout=PATIENCE, check=False
    )
