"""A database server that stops while it is asked: the old version stays."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from engine.embed import default_embedder
from engine.refresh import refresh
from tests.engine.read.test_database import served
from tests.engine.refreshing import Source


def test_a_server_that_stops_during_the_query_changes_nothing(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    with served(tmp_path_factory) as (address, stop):
        import psycopg

        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("CREATE TABLE staff AS SELECT n AS id, 'Person ' || n AS name FROM generate_series(1, 50) AS n")
            connection.execute("CREATE TABLE pace AS SELECT 0::float AS seconds")
        query = "SELECT id, name, (SELECT pg_sleep(seconds) IS NULL FROM pace) AS slow FROM staff ORDER BY id"
        source = Source(tmp_path, f"[tables.staff]\nsource = '{address}'\nread = {{query = \"{query}\"}}\n")
        catalog = source.catalog

        built = refresh(catalog.tables[0], catalog, source.store, default_embedder())
        assert (built.outcome, built.rows) == ("new", 50), built
        assert refresh(catalog.tables[0], catalog, source.store, default_embedder()).outcome == "same"
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("UPDATE pace SET seconds = 200")
        timer = threading.Timer(1.5, stop)
        timer.start()
        came = refresh(catalog.tables[0], catalog, source.store, default_embedder())
        timer.join()
        assert (came.outcome, came.version) == ("refused", built.version)
        assert "the query of the catalog failed" in came.reason
        with source.held() as held:
            assert held.version == built.version and held.note() is not None
