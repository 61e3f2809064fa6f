"""Worked examples that a new version of their table cannot run any more."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from engine.build.facts import TableFacts
from engine.catalog import Catalog, Example
from engine.check import check
from engine.errors import PlanError
from engine.sql import compile_plan
from engine.table import reading
from engine.types import TablePlan
from engine.version import digest


def example_key(example: Example) -> str:
    """What an example is known by; a corrected one is another."""
    return digest(example.question, example.plan.model_dump(mode="json"))


def examples_that_fail(catalog: Catalog, facts: TableFacts, database: Path) -> Iterator[Example]:
    """The catalog's examples of this table that do not run on its SQLite file."""
    for example in catalog.examples:
        plan = example.plan
        if isinstance(plan, TablePlan) and plan.table == facts.name and not _runs(plan, facts, database):
            yield example


def _runs(plan: TablePlan, facts: TableFacts, database: Path) -> bool:
    try:
        check(plan, facts)
        query = compile_plan(plan, facts)
        with closing(reading(f"{database.as_uri()}?mode=ro&immutable=1")) as base:
            base.execute(query.sql, tuple(query.values)).fetchone()
    except (PlanError, sqlite3.Error):
        return False
    return True
