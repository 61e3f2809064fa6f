"""Keeps what a real model replies: `OPENAI_BASE_URL=... python -m tests.model.record FILE` stands before its endpoint and writes FILE.

It prints the address to give as OPENAI_BASE_URL to what asks, passes each request on as it is, and adds a line to FILE for each whole reply
(`tests/model/recordings.py` says which). Streams and errors are passed on and not kept; neither is a key or an address.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock

import requests

from tests.model.recordings import line_of

PASSED = ("authorization", "api-key", "content-type")


class Recorder(ThreadingHTTPServer):
    """Passes on to `target`, which ends in /v1 for most, and writes to `file`."""

    def __init__(self, target: str, file: Path, port: int = 0, model: str = "", seconds: float = 600.0) -> None:
        super().__init__(("127.0.0.1", port), _Passing)
        self.target, self.file, self.model, self.seconds = target.rstrip("/"), file, model, seconds
        self.turn = Lock()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def keep(self, body: bytes, reply: bytes) -> None:
        """Adds a reply that is whole; a stream or a page is none."""
        try:
            line = line_of(json.loads(body), json.loads(reply), self.model)
        except (ValueError, KeyError, TypeError, AttributeError):
            return
        with self.turn, self.file.open("a", encoding="utf-8") as file:
            file.write(line)


class _Passing(BaseHTTPRequestHandler):
    server: Recorder
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        headers = {name: value for name, value in self.headers.items() if name.lower() in PASSED}
        address = self.server.target + self.path.removeprefix("/v1")
        try:
            done = requests.post(address, data=body, headers=headers, timeout=self.server.seconds)
            status, reply, kind = done.status_code, done.content, done.headers.get("Content-Type", "application/json")
        except requests.RequestException:
            status, reply, kind = 502, b'{"error":{"message":"The endpoint is away."}}', "application/json"
        if status == 200:
            self.server.keep(body, reply)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, format: str, *args: object) -> None:
        pass


def main() -> int:
    """Runs from the command line until it is interrupted."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("file", type=Path)
    options.add_argument("--port", type=int, default=0)
    options.add_argument("--model", default="", help="the model's name, where the endpoint has another for it")
    given = options.parse_args()
    target = os.environ.get("OPENAI_BASE_URL", "")
    if not target:
        options.error("OPENAI_BASE_URL names no endpoint")
    server = Recorder(target, given.file, given.port, given.model)
    print(server.address, flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        return 0
    finally:
        server.server_close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
