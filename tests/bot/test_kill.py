"""A first build that is killed at any moment leaves nothing that the next question stumbles over."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

KILLS = 20
ROWS = 400


def test_a_first_build_may_be_killed_at_any_moment(tmp_path: Path) -> None:
    source = tmp_path / "shops.csv"
    cities = ("Leeds", "York", "Hull")
    source.write_text("name,city\n" + "".join(f"Shop {n},{cities[n % 3]}\n" for n in range(ROWS)), encoding="utf-8")
    environment = os.environ | {"ALMANAC_DATA": str(tmp_path / "data"), "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    command = [sys.executable, "-c", "from bot.cli import main; main()"]
    dice = random.Random(7)
    killed = 0
    for _ in range(KILLS):
        # long enough, at times, for the build to be whole: then the source is written anew and the next build begins
        building = subprocess.Popen(
            [*command, "index", "--table", str(source)], env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        time.sleep(dice.uniform(0.1, 2.5))
        if building.poll() is None:
            building.send_signal(signal.SIGKILL)
            killed += 1
        else:
            source.write_text(source.read_text(encoding="utf-8") + "Extra,Selby\n", encoding="utf-8")
        building.wait()
    assert killed > 0
    asked = subprocess.run(
        [*command, "ask", "--json", "--table", str(source), "how many shops are in York?"], env=environment, capture_output=True
    )
    assert asked.returncode == 0, asked.stderr
    assert json.loads(asked.stdout)["rows"] == [[sum(n % 3 == 1 for n in range(ROWS))]]
    left = [path.name for path in (tmp_path / "data").rglob("making-*")]
    assert left == []
