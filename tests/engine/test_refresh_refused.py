"""What a refresh does not take: the old version stays, one sentence says why, and the freshness says since when."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from cache.versions import Store
from engine.catalog import catalog_of
from engine.embed import default_embedder
from engine.refresh import Limits, Refreshed, refresh
from tests.engine.refreshing import Source, text_of
from tests.engine.test_refresh import CATALOG, many

Rows = list[list[str]]


def without(rows: Rows, column: str) -> Rows:
    place = rows[0].index(column)
    return [[*row[:place], *row[place + 1 :]] for row in rows]


def alike(rows: Rows) -> Rows:
    return [rows[0], *([f"{number % 20:06d}", *row[1:]] for number, row in enumerate(rows[1:]))]


BAD: list[tuple[Callable[[Rows], Rows | str], str]] = [
    (lambda rows: "", "staff.csv is empty"),
    (lambda rows: rows[:1], "has a header and no rows"),
    (lambda rows: without(rows, "city"), 'lost the column "city"; it has "code", "name", "specialty" and 8 more.'),
    (lambda rows: without(rows, "name"), 'lost the column "name"'),
    (lambda rows: rows[:150], "shrank from 400 rows to 149, more than the 50% that it may lose at once"),
    (alike, 'The column "code" told the rows of "staff" apart and does so no more: 400 rows have 20 different values.'),
    (lambda rows: "<!DOCTYPE html><html><body>Log in</body></html>", "is a web page and not a table"),
]


@pytest.mark.parametrize(("spoilt", "said"), BAD)
def test_a_spoilt_source_is_refused_until_it_is_right_again(tmp_path: Path, spoilt: Callable[[Rows], Rows | str], said: str) -> None:
    source = Source(tmp_path, CATALOG)
    rows = many()
    source.write(rows)
    built = source.refresh()
    source.write(spoilt(rows))
    came = source.refresh()
    assert (came.outcome, came.version, came.rows) == ("refused", built.version, 400)
    assert said in came.reason and came.reason.endswith(".") and came.embedded == 0
    (table,) = source.open()
    since = table.freshness.stale_since
    assert since and table.facts.rows == 400
    time.sleep(1.1)  # the second time does not begin anew
    assert source.refresh().outcome == "refused"
    assert table.freshness.stale_since == since
    table.close()
    if said not in ("staff.csv is empty", "has a header and no rows", "is a web page and not a table"):
        (table,) = source.open(source.store)  # as another process would, that looks at the source: it takes no more than the refresh did
        assert (table.version, table.freshness.stale_since) == (built.version, since)
        table.close()
    source.write(rows)
    assert source.refresh().outcome == "same"
    (table,) = source.open()
    assert table.freshness.stale_since == ""
    table.close()


def test_a_source_that_is_gone_is_refused_and_one_that_never_was_too(tmp_path: Path) -> None:
    source = Source(tmp_path)
    came = source.refresh()
    assert (came.outcome, came.version, came.reason.startswith("There is no file")) == ("refused", "", True)
    source.write(many())
    assert source.refresh().outcome == "new"
    source.path.unlink()
    assert source.refresh().outcome == "refused"
    with source.held() as held:
        assert held.note() is not None


def test_the_owner_may_have_it_taken(tmp_path: Path) -> None:
    source = Source(tmp_path)
    rows = many()
    source.write(rows)
    source.refresh()
    source.write(without(rows[:100], "city"))
    assert source.refresh().outcome == "refused"
    assert source.refresh(Limits(most_shrink=1)).outcome == "refused"
    came = source.refresh(Limits(accept=True))
    assert (came.outcome, came.rows) == ("new", 99)
    with source.held() as held:
        assert held.note() is None
    source.same_as_fresh(tmp_path / "fresh")


class Shelf(BaseHTTPRequestHandler):
    """One file, served as `way` says."""

    body = b""
    way = "well"
    asked: ClassVar[list[str]] = []

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        shelf = type(self)
        shelf.asked.append(f"{self.command} {self.headers.get('If-None-Match', '')}".strip())
        tag = f'"{hash(shelf.body)}"'
        if shelf.way == "moved" and self.path == "/staff.csv":
            self._headers(302, {"Location": "/other.csv"})
        elif shelf.way == "away":
            self._headers(302, {"Location": "http://example.com/staff.csv"})
        elif shelf.way == "page":
            self._headers(200, {"Content-Type": "text/html"}, b"<html>Log in")
        elif shelf.way == "cut":
            self._headers(200, {"Content-Length": str(len(shelf.body) + 500)}, shelf.body)
        elif shelf.way == "stalls":
            self._headers(200, {"Content-Length": str(len(shelf.body))}, shelf.body[:100])
            self.wfile.flush()
            time.sleep(3)
        elif shelf.way == "away for a while":
            self._headers(503, {})
        elif shelf.way == "turns":  # what it says of itself is older than what it sends
            self._headers(200, {"ETag": '"old"', "Content-Type": "text/csv"}, shelf.body)
        elif self.headers.get("If-None-Match") == tag:
            self._headers(304, {"ETag": tag})
        else:
            self._headers(200, {"ETag": tag, "Content-Type": "text/csv"}, shelf.body)

    def _headers(self, status: int, headers: dict[str, str], body: bytes = b"") -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture
def address() -> Iterator[str]:
    Shelf.way, Shelf.body = "well", text_of(many()).encode()
    Shelf.asked.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Shelf)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/staff.csv"
    server.shutdown()
    thread.join()
    server.server_close()


def fetched(address: str, root: Path) -> Refreshed:
    catalog = catalog_of(address)
    entry = catalog.tables[0]
    entry = entry.model_copy(update={"read": entry.read.model_copy(update={"seconds": 0.5 if Shelf.way == "stalls" else 30})})
    return refresh(entry, catalog, Store(root), default_embedder())


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("away", "redirects to an address that is not https"),
        ("page", "answers with a web page and not a table"),
        ("cut", "broke off before the file was whole"),
        ("away for a while", "answers with status 503"),
    ],
)
def test_an_address_that_answers_badly_changes_nothing(address: str, tmp_path: Path, way: str, said: str) -> None:
    built = fetched(address, tmp_path)
    assert built.outcome == "new" and built.rows == 400
    Shelf.way = way
    Shelf.body += b"009999,Last One" + b"," * 10 + b"\n"
    came = fetched(address, tmp_path)
    assert (came.outcome, came.version) == ("refused", built.version) and said in came.reason
    Shelf.way = "well"
    came = fetched(address, tmp_path)
    assert (came.outcome, came.rows, came.added) == ("new", 401, 1)


def test_an_address_that_stalls_changes_nothing(address: str, tmp_path: Path) -> None:
    Shelf.way = "stalls"
    came = fetched(address, tmp_path)
    assert (came.outcome, came.version) == ("refused", "") and "stalls" in came.reason


def test_an_address_is_asked_whether_it_changed(address: str, tmp_path: Path) -> None:
    assert fetched(address, tmp_path).outcome == "new"
    Shelf.asked.clear()
    assert fetched(address, tmp_path).outcome == "same"
    (asked,) = Shelf.asked  # one request, which brought no file
    assert asked.startswith('GET "')
    Shelf.way = "moved"
    Shelf.body += b"009999,Last One" + b"," * 10 + b"\n"
    assert fetched(address, tmp_path).rows == 401


def test_what_changes_between_two_looks_is_read_at_the_next(address: str, tmp_path: Path) -> None:
    Shelf.way = "turns"
    assert fetched(address, tmp_path).rows == 400
    Shelf.body += b"009999,Last One" + b"," * 10 + b"\n"
    Shelf.way = "well"
    assert fetched(address, tmp_path).rows == 401


def test_a_full_disk_is_filled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source(tmp_path)
    source.write(many())
    assert source.refresh().outcome == "new"
    source.write(many()[:-1])
    tried: list[int] = []

    def fills(*_: object) -> None:
        tried.append(1)
        with closing(sqlite3.connect(tmp_path / "small")) as base:
            base.execute("PRAGMA max_page_count = 2")
            base.execute("CREATE TABLE one AS SELECT hex(zeroblob(20000))")

    monkeypatch.setattr("engine.build.build.build", fills)
    came = source.refresh()
    assert came.outcome == "refused" and "There is no space left for built tables" in came.reason
    assert tried == [1], "a second try would need as much"
