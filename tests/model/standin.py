"""A stand-in for an endpoint that is compatible with OpenAI's, at the HTTP level: it checks what it is sent, keeps it, and plays a script.

    with serving([Said({"kind": "no_answer"}), too_many("1")]) as endpoint:
        ...ask at endpoint.address with endpoint.key...
        assert endpoint.calls == 2 and not endpoint.holding("a secret cell")

It answers at /v1/chat/completions, at /openai/v1/chat/completions and, as Azure OpenAI does, at /openai/deployments/NAME/chat/completions?api-version=DATE
with the header api-key; whole or as a stream. A request that a real endpoint would refuse is refused in OpenAI's words and is a complaint; complaints
that nobody has taken out of the list by the end fail the test.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from tests.model.asked import TOKEN, Asked, bare, in_common, prompt_of
from tests.model.completion import completion_of, stream_of
from tests.model.replies import Broken, Dripping, Raw, Reply, Said, Script, Silent, no_model, written
from tests.model.request import Request, RequestError, read_request
from tests.model.strict import COMMON, Rules

KEY: Final = "sk-stand-in-0123456789"
PATHS: Final = re.compile(r"(/v1|/openai/v1|/openai/deployments/(?P<deployment>[^/]+))/chat/completions")
VERSION: Final = re.compile(r"\d{4}-\d\d-\d\d(-preview)?")


@dataclass
class Endpoint:
    """What a test sees of a stand-in.

    key: the one it takes; None takes any, as a local server does. rules: of strict schemas; None looks into none, as a local server does.
    models: those it has; empty for any. longest: tokens of the longest prompt.
    asked: the requests it has taken, in order; refused: those that it has not, as their errors.
    """

    key: str | None = KEY
    rules: Rules | None = COMMON
    models: tuple[str, ...] = ()
    longest: int = 128_000
    address: str = ""
    root: str = ""
    asked: list[Asked] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    script: Script = field(default=lambda asked: Said("nothing"), repr=False)
    closing: Event = field(default_factory=Event, repr=False)
    turn: Lock = field(default_factory=Lock, repr=False)

    @property
    def calls(self) -> int:
        """How many requests were taken."""
        return len(self.asked)

    def prompts(self) -> list[str]:
        """What a model read, one text a request."""
        return [asked.prompt for asked in self.asked]

    def holding(self, text: str) -> list[Asked]:
        """The requests in which a text occurs anywhere, in any case and however often it was written as JSON within JSON."""
        sought = bare(text)
        assert sought, "an empty text is in everything"
        return [asked for asked in self.asked if sought in bare(f"{asked.path} {json.dumps(asked.headers)} {written(asked.body)}")]

    def take(self, path: str, headers: dict[str, str], body: bytes) -> tuple[Request, Reply, Asked]:
        """Checks a request, keeps it and gives what is played for it; raises RequestError."""
        with self.turn:
            try:
                request, given = self._checked(path, headers, body)
                asked = self._counted(path, headers, given)
                if asked.tokens > self.longest:
                    raise RequestError(
                        f"This model's maximum context length is {self.longest} tokens.", "messages", "context_length_exceeded"
                    )
                self.asked.append(asked)
                return request, self.script(asked), asked
            except RequestError as error:
                self.complaints.append(error.message)
                raise

    def _checked(self, path: str, headers: dict[str, str], body: bytes) -> tuple[Request, dict[str, Any]]:
        address = urlsplit(path)
        found = PATHS.fullmatch(address.path)
        if found is None:
            raise RequestError(f"Invalid URL (POST {address.path})", status=404)
        deployment = found["deployment"]
        if deployment and not VERSION.fullmatch(parse_qs(address.query).get("api-version", [""])[0]):
            raise RequestError("Resource not found", code="404", status=404, type=None)
        self._check_key(headers, azure=address.path.startswith("/openai"))
        if headers.get("content-type", "").split(";")[0] != "application/json":
            raise RequestError("Unsupported content type: it must be application/json.", status=415)
        request = read_request(body, self.rules)
        if self.models and (model := deployment or request.model) not in self.models:
            error = no_model(model).body["error"]  # type: ignore[index]
            raise RequestError(error["message"], None, error["code"], 404)
        return request, json.loads(body)

    def _check_key(self, headers: dict[str, str], azure: bool) -> None:
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        given = headers.get("api-key", "") if azure and "api-key" in headers else bearer.strip() if scheme == "Bearer" else ""
        if not given:
            raise RequestError("You didn't provide an API key.", status=401)
        if self.key is not None and given != self.key:
            raise RequestError("Incorrect API key provided.", None, "invalid_api_key", 401)

    def _counted(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Asked:
        prompt = prompt_of(body).encode()
        earlier = (prompt_of(one.body).encode() for one in self.asked if one.body["model"] == body["model"])
        same = max((in_common(prompt, other) for other in earlier), default=0)
        return Asked(path, headers, body, tokens=-(-len(prompt) // TOKEN), cached=same // TOKEN)


@contextmanager
def serving(replies: Reply | Sequence[Reply] | Script, **how: Any) -> Iterator[Endpoint]:
    """A stand-in that plays one reply for ever, a list once, or what a function of the request gives; `how` goes to Endpoint.

    A request beyond the end of a list is refused. Raises AssertionError at the end where complaints are left.
    """
    endpoint = Endpoint(**how, script=_script(replies))
    server = _Server(("127.0.0.1", 0), _Handler)
    server.endpoint = endpoint
    endpoint.root = f"http://127.0.0.1:{server.server_address[1]}"
    endpoint.address = f"{endpoint.root}/v1"
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
    assert not endpoint.complaints, f"the endpoint refused what it was sent: {endpoint.complaints}"


def _script(replies: Reply | Sequence[Reply] | Script) -> Script:
    if isinstance(replies, Said | Raw | Silent | Broken | Dripping):
        return lambda asked: replies
    if not isinstance(replies, Sequence):
        return replies
    left = list(replies)

    def play(asked: Asked) -> Reply:
        if not left:
            raise RequestError(f"The script of {len(replies)} replies is over.", code="no_reply")
        return left.pop(0)

    return play


class _Server(ThreadingHTTPServer):
    endpoint: Endpoint


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("content-length", "0")))
        try:
            request, reply, asked = self.server.endpoint.take(self.path, headers, body)
        except RequestError as error:
            return self._send(Raw(error.status, error.body()))
        try:
            self._play(request, reply, asked)
        except (BrokenPipeError, ConnectionResetError):  # who asked has gone
            self.close_connection = True

    def do_GET(self) -> None:
        self._send(Raw(404, RequestError(f"Invalid URL (GET {self.path})").body()))

    def _play(self, request: Request, reply: Reply, asked: Asked) -> None:
        if isinstance(reply, Silent):
            self.server.endpoint.closing.wait()
            self.close_connection = True
        elif isinstance(reply, Raw):
            self._send(reply)
        elif isinstance(reply, Dripping):
            self._drip(request, reply, asked)
        else:
            said, part = (reply.said, reply.part) if isinstance(reply, Broken) else (reply, 1.0)
            done = completion_of(request, said, asked)
            if request.stream:
                usage = request.stream_options is not None and bool(request.stream_options.include_usage)
                self._send(Raw(200, stream_of(done, usage), {"Content-Type": "text/event-stream"}), part)
            else:
                self._send(Raw(200, done), part)

    def _send(self, reply: Raw, part: float = 1.0) -> None:
        body = (reply.body if isinstance(reply.body, str) else written(reply.body)).encode("utf-8", "surrogatepass")
        headers = {"Content-Type": "application/json", "x-request-id": "req_0", **reply.headers, "Content-Length": str(len(body))}
        self.send_response(reply.status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body[: int(len(body) * part)])
        if part < 1.0:
            self.close_connection = True

    def _drip(self, request: Request, reply: Dripping, asked: Asked) -> None:
        body = written(completion_of(request, reply.said, asked)).encode()
        blanks = round(reply.seconds / 0.05)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(blanks + len(body)))
        self.end_headers()
        for _ in range(blanks):
            if self.server.endpoint.closing.wait(0.05):
                break
            self.wfile.write(b" ")
            self.wfile.flush()
        self.wfile.write(body)
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        pass
