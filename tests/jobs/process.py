"""A process of its own that does a job each second: run as `python process.py URL FILE SECONDS LEASE [STUCK]`.

Each run is a line of the file: when it was due, and which process did it. STUCK: its run never ends.
"""

from __future__ import annotations

import os
import sys
import time
from datetime import datetime

from sqlalchemy import MetaData

from cache.database import Database
from jobs.job import Job
from jobs.scheduler import Scheduler
from jobs.times import every


def main(url: str, file: str, seconds: float, lease: float, stuck: bool) -> None:
    """Runs the scheduler so long; the first line of its output says that it began."""

    def run(_: str, due: datetime) -> dict[str, str]:
        with open(file, "a", encoding="utf-8") as lines:  # a short line is appended whole
            lines.write(f"{due.timestamp():.6f} {os.getpid()}\n")
        if stuck:
            time.sleep(3600)
        return {"by": str(os.getpid())}

    scheduler = Scheduler(Database(url, MetaData()), lease=lease)
    scheduler.add(Job("tick", every(1), run, rhythm="each second"))
    scheduler.start()
    print("began", flush=True)
    time.sleep(seconds)
    scheduler.stop()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4]), len(sys.argv) > 5)
