"""What an endpoint takes and refuses: a right request, and each way in which it may be wrong, in the words of the real thing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.model.request import RequestError, read_request

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
LOOSE = {"type": "object", "properties": {"a": {"type": "string", "default": ""}}}
CALL = {"id": "call_1", "type": "function", "function": {"name": "find_table", "arguments": "{}"}}
OTHER = {**CALL, "id": "call_2"}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "{}"}
SYSTEM, ASKED = {"role": "system", "content": "Plan."}, {"role": "user", "content": "names?"}
USES: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [CALL]}
TOOL = {"type": "function", "function": {"name": "find_table", "description": "Finds.", "parameters": SCHEMA, "strict": True}}


def form(name: str = "plan", strict: bool = True, schema: Any = SCHEMA) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": name, "strict": strict, "schema": schema}}


def sent(*messages: Any, **fields: Any) -> bytes:
    return json.dumps({"model": "small", "messages": list(messages) or [SYSTEM, ASKED], **fields}).encode()


@pytest.mark.parametrize(
    "body",
    [
        sent(),
        sent(temperature=0, max_tokens=1000, seed=1, stop=["\n"], n=1, user="u"),
        sent(model="gpt-5-mini", max_completion_tokens=1000, temperature=1, reasoning_effort="low"),
        sent(SYSTEM, USES, RESULT, ASKED),
        sent(SYSTEM, {**USES, "content": "First.", "tool_calls": [CALL, OTHER]}, {**RESULT, "tool_call_id": "call_2"}, RESULT, ASKED),
        sent(response_format=form()),
        sent(response_format=form(strict=False, schema=LOOSE)),
        sent(ASKED, {"role": "user", "content": "Answer in JSON."}, response_format={"type": "json_object"}),
        sent(tools=[TOOL], tool_choice={"type": "function", "function": {"name": "find_table"}}, parallel_tool_calls=False),
        sent(stream=True, stream_options={"include_usage": True}),
    ],
    ids=range(10),
)
def test_a_right_request_is_taken(body: bytes) -> None:
    assert read_request(body).messages


@pytest.mark.parametrize(
    ("body", "what", "param"),
    [
        (b"", "could not parse", None),
        (b"[]", "could not parse", None),
        (b'{"model":"small"', "could not parse", None),
        (b'{"model":"small","messages":[{"role":"user","content":"\\ud800"}]}', "could not parse", None),
        (b"{}", "must provide a model", None),
        (sent(model=""), "empty string", "model"),
        (json.dumps({"model": "small", "messages": []}).encode(), "Invalid value", "messages"),
        (sent(instructions="x"), "Unrecognized request argument supplied: instructions", None),
        (sent({**ASKED, "time": 1}), r"Unknown parameter: 'messages\[0\]\.time'", "messages[0].time"),
        (sent({"role": "wizard", "content": "x"}), "Invalid value", "messages[0]"),
        (sent({"content": "x"}), "Missing required parameter", "messages[0]"),
        (sent({"role": "user"}), "Missing required parameter", "messages[0].content"),
        (sent({"role": "user", "content": ""}), "empty string", "messages[0].content"),
        (sent({"role": "user", "content": None}), "Invalid type", "messages[0].content"),
        (sent({"role": "user", "content": "x", "name": "Dana Levin"}), "Invalid value", "messages[0].name"),
        (sent(ASKED, {"role": "assistant", "content": None}), "got null", "messages[1].content"),
        (sent(ASKED, {"role": "assistant", "content": "", "tool_calls": [CALL]}, RESULT), "empty string", "messages[1].content"),
        (sent(ASKED, {**USES, "tool_calls": []}), "Invalid value", "messages[1].tool_calls"),
        (sent(ASKED, RESULT), "must be a response to a preceeding message", "messages[1].role"),
        (sent(ASKED, USES), "call_1", "messages.role"),
        (sent(USES, ASKED, RESULT), "did not have response messages: call_1", "messages[1].role"),
        (sent({**USES, "tool_calls": [CALL, OTHER]}, RESULT, ASKED), "did not have response messages: call_2", "messages[2].role"),
        (sent(USES, {**RESULT, "tool_call_id": "call_9"}), "must be a response", "messages[1].role"),
        (sent(USES, RESULT, RESULT), "must be a response", "messages[2].role"),
        (sent({**USES, "tool_calls": [CALL, CALL]}, RESULT, RESULT), "Duplicate", "messages[0].tool_calls"),
        (sent({**USES, "tool_calls": [{**CALL, "id": "c" * 41}]}, RESULT), "Invalid value", "messages[0].tool_calls[0].id"),
        (
            sent({**USES, "tool_calls": [{**CALL, "function": {"name": "find table", "arguments": "{}"}}]}, RESULT),
            "Invalid value",
            "messages[0].tool_calls[0].function.name",
        ),
        (
            sent({**USES, "tool_calls": [{**CALL, "function": {"name": "find_table", "arguments": {}}}]}, RESULT),
            "Invalid type",
            "messages[0].tool_calls[0].function.arguments",
        ),
        (sent(temperature=2.1), "Invalid value", "temperature"),
        (sent(temperature="0"), "Invalid type", "temperature"),
        (sent(max_tokens=0), "Invalid value", "max_tokens"),
        (sent(max_tokens=1, max_completion_tokens=1), "at the same time", None),
        (sent(model="gpt-5-mini", max_tokens=10), "Use 'max_completion_tokens' instead", "max_tokens"),
        (sent(model="o3", temperature=0), "does not support 0 with this model", "temperature"),
        (sent(stream_options={"include_usage": True}), "only allowed when 'stream'", "stream_options"),
        (sent(response_format={"type": "xml"}), "Invalid value", "response_format"),
        (sent(response_format={"type": "json_object"}), "must contain the word 'json'", "messages"),
        (sent(response_format={"type": "json_schema"}), "Missing", "response_format.json_schema"),
        (sent(response_format=form(name="a plan")), "Invalid value", "response_format.json_schema.name"),
        (sent(response_format=form(name="p" * 65)), "Invalid value", "response_format.json_schema.name"),
        (
            sent(response_format=form(schema=LOOSE)),
            "Invalid schema for response_format 'plan': In context=.*'additionalProperties'",
            "response_format",
        ),
        (sent(response_format=form(strict=False, schema={"type": "array"})), "Invalid schema", "response_format"),
        (sent(tools=[]), "Invalid value", "tools"),
        (sent(tools=[TOOL, TOOL]), "unique", "tools"),
        (sent(tools=[{"type": "function", "function": {"name": "a b"}}]), "Invalid value", "tools[0].function.name"),
        (
            sent(tools=[{"type": "function", "function": {"name": "ab", "strict": True, "parameters": LOOSE}}]),
            "Invalid schema for function 'ab'",
            "tools[0].function.parameters",
        ),
        (sent(tool_choice="auto"), "only allowed when 'tools'", "tool_choice"),
        (sent(tools=[TOOL], tool_choice={"type": "function", "function": {"name": "other"}}), "'other' not found", "tool_choice"),
    ],
)
def test_a_wrong_request_is_refused(body: bytes, what: str, param: str | None) -> None:
    with pytest.raises(RequestError, match=what) as refused:
        read_request(body)
    assert (refused.value.status, refused.value.param) == (400, param)
    assert refused.value.body()["error"]["type"] == "invalid_request_error"


def test_a_local_server_looks_into_no_strict_schema() -> None:
    assert read_request(sent(response_format=form(schema=LOOSE)), None).response_format
