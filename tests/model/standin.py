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

from tests.model.replies import Broken, Raw, Reply, Said, Script, Silent, no_model, usage_of, written
from tests.model.request import Request, RequestError, read_request
from tests.model.strict import COMMON, Rules

KEY: Final = "sk-stand-in-0123456789"
PATHS: Final = re.compile(r"(/v1|/openai/v1|/openai/deployments/(?P<deployment>[^/]+))/chat/completions")
VERSION: Final = re.compile(r"\d{4}-\d\d-\d\d(-preview)?")
TOKEN: Final = 4  # bytes


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: where it went, its headers (names in small letters) and body, and its tokens, of which `cached` began an earlier prompt too."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    tokens: int = 0
    cached: int = 0

    @property
    def prompt(self) -> str:
        """All that a model reads of it, in the order in which a provider's cache does: the form, the tools, the messages."""
        return _prompt(self.body)

    @property
    def messages(self) -> list[dict[str, Any]]:
        given: list[dict[str, Any]] = self.body["messages"]
        return given

    @property
    def question(self) -> str:
        """The last message of the user."""
        return next((str(message["content"]) for message in reversed(self.messages) if message["role"] == "user"), "")

    @property
    def schema(self) -> dict[str, Any]:
        """The form that is asked for."""
        asked_for: dict[str, Any] = self.body["response_format"]["json_schema"]["schema"]
        return asked_for


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
        sought = _bare(text)
        assert sought, "an empty text is in everything"
        return [asked for asked in self.asked if sought in _bare(f"{asked.path} {json.dumps(asked.headers)} {written(asked.body)}")]

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
        prompt = _prompt(body).encode()
        earlier = (_prompt(one.body).encode() for one in self.asked if one.body["model"] == body["model"])
        same = max((_in_common(prompt, other) for other in earlier), default=0)
        return Asked(path, headers, body, tokens=-(-len(prompt) // TOKEN), cached=same // TOKEN)


def _in_common(one: bytes, other: bytes) -> int:
    """The bytes at the beginning that are the same."""
    return next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _prompt(body: dict[str, Any]) -> str:
    parts = [written(body[key]) for key in ("response_format", "tools") if body.get(key)]
    for message in body["messages"]:
        parts.append(f"{message['role']}: {message.get('content') or ''}")
        parts += [f"{call['function']['name']} {call['function']['arguments']}" for call in message.get("tool_calls") or ()]
    return "\n".join(parts)


def _bare(text: str) -> str:
    """A text without what JSON adds to it: \\u0041 is A, \\n a blank, and no backslash is left."""
    text = re.sub(r"\\+u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return " ".join(re.sub(r"\\+[nrt]", " ", text).replace("\\", "").split()).casefold()


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
    if isinstance(replies, Said | Raw | Silent | Broken):
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
        else:
            said, part = (reply.said, reply.part) if isinstance(reply, Broken) else (reply, 1.0)
            done = _completion(request, said, asked)
            if request.stream:
                usage = request.stream_options is not None and bool(request.stream_options.include_usage)
                self._send(Raw(200, _stream(done, usage), {"Content-Type": "text/event-stream"}), part)
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

    def log_message(self, format: str, *args: object) -> None:
        pass


def _completion(request: Request, said: Said, asked: Asked) -> dict[str, Any]:
    """A whole reply, cut off where the request's limit of tokens is."""
    text, finished = said.text, said.finished or ("tool_calls" if said.uses else "stop")
    most = request.max_completion_tokens or request.max_tokens
    if text is not None and most is not None and len(text.encode()) > most * TOKEN:
        text, finished = text.encode()[: most * TOKEN].decode("utf-8", "ignore"), "length"
    calls = [
        {
            "id": f"call_{asked.tokens}_{number}",
            "type": "function",
            "function": {"name": use.name, "arguments": use.arguments if isinstance(use.arguments, str) else written(use.arguments)},
        }
        for number, use in enumerate(said.uses)
    ]
    message = {"role": "assistant", "content": text, "refusal": said.refusal, **({"tool_calls": calls} if calls else {})}
    tokens = -(-len((text or said.refusal or "").encode() + b"".join(written(call).encode() for call in calls)) // TOKEN)
    return {
        "id": "chatcmpl-0",
        "object": "chat.completion",
        "created": 0,
        "model": request.model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finished}],
        "usage": usage_of(asked.tokens, asked.cached, tokens),
    }


def _stream(done: dict[str, Any], with_usage: bool) -> str:
    """The same reply as server-sent events."""
    (choice,) = done["choices"]
    message = choice["message"]
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": piece} for piece in re.findall(r"(?s).{1,16}", message["content"] or "")]
    deltas += [{"tool_calls": [{"index": number, **call}]} for number, call in enumerate(message.get("tool_calls", ()))]
    deltas += [{"refusal": message["refusal"]}] if message["refusal"] else []
    head = {**{key: done[key] for key in ("id", "created", "model")}, "object": "chat.completion.chunk"}
    events = [{**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    events.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]})
    if with_usage:
        events.append({**head, "choices": [], "usage": done["usage"]})
    return "".join(f"data: {written(event)}\n\n" for event in events) + "data: [DONE]\n\n"
