from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from engine.errors import SourceError
from engine.read import ReadOptions, read, stamp

DATA = b"name,age\nAnna,30\nBen,40\n"


class _Shelf(BaseHTTPRequestHandler):
    """Answers each path in its own way, well or badly."""

    def do_HEAD(self) -> None:
        self._send({"ETag": '"v1"'} if self.path == "/staff.csv" else {"Content-Length": "24"}, b"")

    def do_GET(self) -> None:
        known = {
            "/staff.csv": lambda: self._send({"ETag": '"v1"', "Last-Modified": "Wed, 01 May 2024 08:30:00 GMT"}, DATA),
            "/moved.csv": lambda: self._send({"Location": "/staff.csv"}, b"", 302),
            "/round.csv": lambda: self._send({"Location": "/round.csv"}, b"", 302),
            "/away.csv": lambda: self._send({"Location": "file:///etc/passwd"}, b"", 302),
            "/plain.csv": lambda: self._send({"Location": "http://example.com/staff.csv"}, b"", 302),
            "/gone.csv": lambda: self._send({}, b"", 404),
            "/login.csv": lambda: self._send({"Content-Type": "text/html; charset=utf-8"}, b"<html>Log in"),
            "/page.csv": lambda: self._send({"Content-Type": "text/csv"}, b"<!DOCTYPE html><html>Log in"),
            "/large.csv": lambda: self._send({"Content-Length": "99999999"}, DATA),
            "/endless.csv": self._endless,
            "/short.csv": lambda: self._send({"Content-Length": "5000"}, DATA),
            "/stalls.csv": self._stall,
        }
        known[self.path]()

    def _send(self, headers: dict[str, str], body: bytes, status: int = 200) -> None:
        self.send_response(status)
        for name, value in ({"Content-Type": "text/csv"} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _endless(self) -> None:
        self._send({}, DATA)
        try:
            for _ in range(100_000):
                self.wfile.write(b"x,1\n" * 1000)
        except OSError:
            return

    def _stall(self) -> None:
        self._send({"Content-Length": "24"}, DATA[:5])
        self.wfile.flush()
        time.sleep(3)

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture(scope="module")
def shelf() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Shelf)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("path", ["/staff.csv", "/moved.csv"])
def test_a_file_at_an_address(shelf: str, path: str) -> None:
    (table,) = read(shelf + path)
    assert (table.rows, table.source, table.changed_at) == (2, shelf + path, "2024-05-01T08:30:00+00:00" if path else "")


def test_a_stamp_is_the_etag_and_never_the_size_alone(shelf: str) -> None:
    assert stamp(f"{shelf}/staff.csv") == '"v1"'
    assert stamp(f"{shelf}/other.csv") == ""  # another file of 24 bytes would have the same
    assert stamp("http://127.0.0.1:1/none.csv") == ""


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/round.csv", "redirects more than 5 times"),
        ("/away.csv", "redirects to an address that is not https"),
        ("/plain.csv", "redirects to an address that is not https"),
        ("/gone.csv", "answers with status 404"),
        ("/login.csv", "answers with a web page and not a table"),
        ("/page.csv", "is a web page and not a table"),
        ("/large.csv", "has 99,999,999 bytes, more than the 1,000,000 that may be read"),
        ("/endless.csv", "sends more than the 1,000,000 bytes that may be read"),
        ("/short.csv", "broke off before the file was whole"),
        ("/stalls.csv", "stalls: nothing came for 0.5 seconds"),
    ],
)
def test_an_address_that_answers_badly_is_refused(shelf: str, path: str, said: str) -> None:
    with pytest.raises(SourceError, match=said) as caught:
        read(shelf + path, ReadOptions(bytes=1_000_000, seconds=0.5 if "stalls" in path else 30))
    assert str(caught.value).startswith(shelf + path)


def test_an_address_that_others_could_change_is_refused() -> None:
    with pytest.raises(SourceError, match="an address that begins with https:// is expected"):
        read("http://example.com/staff.csv")


def test_an_address_that_is_not_there_is_refused() -> None:
    with pytest.raises(SourceError, match="cannot be reached"):
        read("http://127.0.0.1:1/none.csv")
