"""What the state database remembers of jobs: names and times, and nothing that could be run."""

from __future__ import annotations

from sqlalchemy import Column, Float, Index, Integer, MetaData, String, Table, Text

METADATA = MetaData()

# when each is due next, who works on it until when, and what came of it last; times are seconds since 1970, 0 for none
JOBS = Table(
    "jobs",
    METADATA,
    Column("id", String(200), primary_key=True),
    Column("title", Text, nullable=False),  # what it is called to people
    Column("rhythm", String(200), nullable=False),  # another one is due anew
    Column("due", Float, nullable=False),
    Column("lease", Float, nullable=False),
    Column("holder", String(40), nullable=False),  # of the lease, empty where nobody holds it
    Column("last_due", Float, nullable=False),
    Column("started", Float, nullable=False),
    Column("finished", Float, nullable=False),
    Column("outcome", String(16), nullable=False),  # of the last that finished: done or failed
    Column("result", Text, nullable=False),  # of the last that was done, as JSON
    Column("failure", Text, nullable=False),  # of the last that failed, a sentence
    Column("failures", Integer, nullable=False),  # in a row
)

# each run that was begun: one for each time that a job was due
RUNS = Table(
    "job_runs",
    METADATA,
    Column("job", String(200), primary_key=True),
    Column("due", Float, primary_key=True),
    Column("holder", String(40), nullable=False),
    Column("tries", Integer, nullable=False),  # more than one where a process ended in the middle of it
    Column("started", Float, nullable=False),
    Column("finished", Float, nullable=False),
    Column("outcome", String(16), nullable=False),
    Index("job_runs_started", "started"),
)

# what was said to be wrong with a table and is not yet well again
TROUBLES = Table(
    "troubles",
    METADATA,
    Column("key", String(200), primary_key=True),
    Column("since", Float, nullable=False),
    Column("reason", Text, nullable=False),
)
