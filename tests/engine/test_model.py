"""Asking a model for a plan, of a stand-in at HTTP: what is sent, and what becomes of each reply."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("instructor", reason='the extra "model" is not installed')

from cache.hints import Hints
from engine.errors import ModelError
from engine.message import Function, Message, ToolCall
from engine.model import ModelEndpoint, _request_key, plan_from
from engine.types import TablePlan

MESSAGES = [
    Message(role="system", content="Plan."),
    Message(
        role="assistant",
        content="First.",
        tool_calls=(ToolCall(id="call_1", function=Function(name="create_sql_table", arguments="{}")),),
    ),
    Message(role="tool", tool_call_id="call_1", content='{"rows":1}'),
    Message(role="user", content="{{ 7*7 }} {% for a in b %} names?"),
]
PLAN = '{"kind":"table","table":"t","select":["name"]}'


class _Server(ThreadingHTTPServer):
    said: list[dict[str, Any]]
    keys: list[str]
    reply: tuple[int, str]


class _Endpoint(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        self.server.said.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.server.keys.append(self.headers["Authorization"])
        status, body = self.server.reply
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def answering(status: int, body: str) -> Iterator[tuple[_Server, ModelEndpoint]]:
    server = _Server(("127.0.0.1", 0), _Endpoint)
    server.said, server.keys, server.reply = [], [], (status, body)
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server, ModelEndpoint("small", f"http://127.0.0.1:{server.server_port}/v1", "sk-secret")
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def completion(content: str, finished: str = "stop") -> str:
    choice = {"index": 0, "finish_reason": finished, "message": {"role": "assistant", "content": content}}
    return json.dumps({"id": "c", "object": "chat.completion", "created": 0, "model": "small", "choices": [choice]})


def test_the_messages_are_sent_as_they_are_and_the_form_beside_them() -> None:
    with answering(200, completion(PLAN)) as (server, endpoint):
        assert plan_from(MESSAGES, endpoint) == TablePlan(table="t", select=("name",))
    (said,) = server.said
    assert said["messages"] == [message.wire() for message in MESSAGES]
    assert said["response_format"]["type"] == "json_schema"
    assert said["response_format"]["json_schema"]["schema"]["properties"].keys() == TablePlan.model_fields.keys()
    assert (said["model"], said["temperature"]) == ("small", 0)
    assert server.keys == ["Bearer sk-secret"]


def test_the_same_request_is_made_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    replies = Hints(tmp_path, "replies")
    with answering(200, completion(PLAN)) as (server, endpoint):
        first = plan_from(MESSAGES, endpoint, replies)
        assert plan_from(MESSAGES, endpoint, replies) == first and len(server.said) == 1
        plan_from(MESSAGES, replace(endpoint, model="large"), replies)
        plan_from([*MESSAGES[:-1], replace_text(MESSAGES[-1])], endpoint, replies)
        plan_from(MESSAGES, endpoint, Hints(tmp_path, "replies", on=False))
        assert len(server.said) == 4, "another model, another question, and where nothing is remembered"
        replies.set(_request_key([message.wire() for message in MESSAGES], endpoint), {"kind": "clarify"})
        assert plan_from(MESSAGES, endpoint, replies) == first and len(server.said) == 5
    assert "is no plan" in caplog.text
    replies.close()


def replace_text(message: Message) -> Message:
    return message.model_copy(update={"content": message.content + " and where?"})


@pytest.mark.parametrize(
    ("status", "body", "what"),
    [
        (200, completion("the names, of course"), "no plan of the right form"),
        (200, completion('{"kind":"table","table":"t","rows":[1]}'), "no plan of the right form"),
        (200, completion(PLAN[:20], "length"), "no plan of the right form"),
        (200, completion(""), "no plan of the right form"),
        (401, '{"error":{"message":"sk-secret is wrong"}}', "refuses the key"),
        (404, "{}", r"refused the request \(404\)"),
        (503, "sorry", r"refused the request \(503\)"),
    ],
)
def test_what_is_no_plan_is_one_sentence_after_one_request(status: int, body: str, what: str) -> None:
    with answering(status, body) as (server, endpoint), pytest.raises(ModelError, match=what) as told:
        plan_from(MESSAGES, endpoint)
    assert len(server.said) == 1
    assert "secret" not in str(told.value) and "secret" not in repr(endpoint)
    assert str(told.value).endswith(".") and "\n" not in str(told.value)


def test_an_endpoint_that_is_not_there_is_one_sentence() -> None:
    with answering(200, "") as (_, endpoint):
        pass
    with pytest.raises(ModelError, match="could not be reached"):
        plan_from(MESSAGES, endpoint)


def test_the_key_of_the_environment_goes_to_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    with answering(200, completion(PLAN)) as (server, endpoint):
        plan_from(MESSAGES, ModelEndpoint("small", endpoint.address))
    assert server.keys == ["Bearer none"]
