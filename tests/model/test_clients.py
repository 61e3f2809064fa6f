"""The stand-in as OpenAI's own library sees it: whole, parsed, with tools, as a stream, at Azure, and its errors."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from tests.model.replies import Raw, Said, Use, spent, too_many, wrong_key
from tests.model.standin import KEY, Endpoint, serving

openai: Any = pytest.importorskip("openai", reason='the extra "model" is not installed')

ASKED: list[Any] = [{"role": "user", "content": "names?"}]


class Column(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: Literal["column"]
    name: str = Field(description="As in the schema.")


class Count(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: Literal["count"]


class Shown(BaseModel):
    model_config = ConfigDict(extra="forbid")
    shown: list[Column | Count]
    first: Column = Field(description="A reference with a description, which the library writes out.")
    limit: int | None


def client(endpoint: Endpoint, retries: int = 0) -> Any:
    return openai.OpenAI(base_url=endpoint.address, api_key=KEY, max_retries=retries)


def test_a_form_of_the_librarys_own_making_is_strict() -> None:
    said = {"shown": [{"kind": "count"}], "first": {"kind": "column", "name": "city"}, "limit": None}
    with serving(Said(said)) as endpoint, client(endpoint) as asking:
        done = asking.chat.completions.parse(model="small", messages=ASKED, response_format=Shown)
    assert done.choices[0].message.parsed == Shown.model_validate(said)
    assert endpoint.asked[0].body["response_format"]["json_schema"]["strict"] is True


def test_tools_and_their_results() -> None:
    tool = {
        "type": "function",
        "function": {"name": "find_table", "parameters": {"type": "object", "properties": {"page": {"type": "integer"}}}},
    }
    with serving([Said("First.", uses=(Use("find_table", {"page": 1}),)), Said("done")]) as endpoint, client(endpoint) as asking:
        first = asking.chat.completions.create(model="small", messages=ASKED, tools=[tool]).choices[0].message
        (call,) = first.tool_calls
        result = {"role": "tool", "tool_call_id": call.id, "content": "five cards"}
        history = [*ASKED, first.model_dump(exclude_none=True), result]
        assert asking.chat.completions.create(model="small", messages=history, tools=[tool]).choices[0].message.content == "done"
    assert [asked.cached > 0 for asked in endpoint.asked] == [False, True]


def test_a_stream() -> None:
    text = "which of these? " * 5
    with serving(Said(text)) as endpoint, client(endpoint) as asking:
        parts = list(asking.chat.completions.create(model="small", messages=ASKED, stream=True, stream_options={"include_usage": True}))
    assert "".join(part.choices[0].delta.content or "" for part in parts if part.choices) == text
    assert parts[-1].usage.prompt_tokens == endpoint.asked[0].tokens


def test_azure() -> None:
    with (
        serving(Said("x"), models=("small",)) as endpoint,
        openai.AzureOpenAI(azure_endpoint=endpoint.root, api_key=KEY, api_version="2024-10-21", max_retries=0) as asking,
    ):
        assert asking.chat.completions.create(model="small", messages=ASKED).choices[0].message.content == "x"
        with pytest.raises(openai.NotFoundError):
            asking.chat.completions.create(model="large", messages=ASKED)
        endpoint.complaints.clear()
    assert endpoint.asked[0].path.startswith("/openai/deployments/small/") and "api-key" in endpoint.asked[0].headers


@pytest.mark.parametrize(
    ("reply", "error", "code"),
    [
        (wrong_key(), "AuthenticationError", "invalid_api_key"),
        (too_many(None), "RateLimitError", "rate_limit_exceeded"),
        (spent(), "RateLimitError", "insufficient_quota"),
    ],
)
def test_errors_have_their_class_and_code(reply: Raw, error: str, code: str) -> None:
    with serving(reply) as endpoint, client(endpoint) as asking, pytest.raises(getattr(openai, error)) as told:
        asking.chat.completions.create(model="small", messages=ASKED)
    assert told.value.code == code


def test_the_library_asks_again_as_it_is_told() -> None:
    with serving([too_many("0.01"), Said("x")]) as endpoint, client(endpoint, retries=1) as asking:
        assert asking.chat.completions.create(model="small", messages=ASKED).choices[0].message.content == "x"
    assert endpoint.calls == 2
