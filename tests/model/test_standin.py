"""The stand-in at the wire, asked by a plain HTTP client: addresses, keys, what is kept, tokens, and each kind of reply."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import requests

from tests.model.record import Recorder
from tests.model.recordings import FOLDER, recorded
from tests.model.replies import (
    HTML,
    Broken,
    Raw,
    Reply,
    Said,
    Silent,
    Use,
    always,
    by_question,
    cut_off,
    down,
    endless_calls,
    refusal,
    too_many,
)
from tests.model.standin import KEY, Endpoint, serving

SYSTEM = {"role": "system", "content": "Plan what is asked. " * 20}


def ask(endpoint: Endpoint, question: str = "names?", address: str = "", headers: Any = None, **fields: Any) -> requests.Response:
    body = {"model": "small", "messages": [SYSTEM, {"role": "user", "content": question}], **fields}
    headers = {"Authorization": f"Bearer {KEY}"} if headers is None else headers
    return requests.post(address or f"{endpoint.address}/chat/completions", json=body, headers=headers, timeout=30)


def message(done: requests.Response) -> Any:
    return done.json()["choices"][0]["message"]


def test_a_list_is_played_once_and_what_comes_after_is_a_complaint() -> None:
    with pytest.raises(AssertionError, match="script of 2 replies is over"), serving([Said({"a": "é"}), Said("two")]) as endpoint:
        assert message(ask(endpoint))["content"] == '{"a":"é"}'
        assert message(ask(endpoint))["content"] == "two"
        assert ask(endpoint).status_code == 400


def test_a_refused_request_is_a_complaint_and_is_not_kept() -> None:
    with serving(Said("x")) as endpoint:
        done = ask(endpoint, colour="red")
        assert (done.status_code, done.json()["error"]["message"]) == (400, "Unrecognized request argument supplied: colour")
        assert endpoint.calls == 0
        assert endpoint.complaints.pop() == "Unrecognized request argument supplied: colour"


AZURE = "/openai/deployments/small/chat/completions"


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/v1/chat/completions", {"Authorization": f"Bearer {KEY}"}, 200),
        ("/v1/chat/completions", {}, 401),
        ("/v1/chat/completions", {"Authorization": f"Basic {KEY}"}, 401),
        ("/v1/chat/completions", {"Authorization": "Bearer sk-other"}, 401),
        ("/v1/chat/completions", {"api-key": KEY}, 401),
        ("/v1/completions", {"Authorization": f"Bearer {KEY}"}, 404),
        (f"{AZURE}?api-version=2026-02-01", {"api-key": KEY}, 200),
        (f"{AZURE}?api-version=2024-10-01-preview", {"Authorization": f"Bearer {KEY}"}, 200),
        (f"{AZURE}?api-version=2026-02-01", {"api-key": "sk-other"}, 401),
        (f"{AZURE}?api-version=latest", {"api-key": KEY}, 404),
        (AZURE, {"api-key": KEY}, 404),
        (f"{AZURE.replace('small', 'large')}?api-version=2026-02-01", {"api-key": KEY}, 404),
        ("/openai/v1/chat/completions", {"api-key": KEY}, 200),
    ],
)
def test_addresses_and_keys(path: str, headers: dict[str, str], status: int) -> None:
    with serving(Said("x"), models=("small",)) as endpoint:
        assert ask(endpoint, address=endpoint.root + path, headers=headers).status_code == status
        assert len(endpoint.complaints) == (status != 200)
        endpoint.complaints.clear()


def test_tokens_are_counted_and_the_same_beginning_is_cached() -> None:
    with serving(Said("four" * 5)) as endpoint:
        first, second, other = (
            ask(endpoint, question, model=model).json()["usage"]
            for question, model in (("names?", "small"), ("cities?", "small"), ("names?", "large"))
        )
    whole = len(endpoint.prompts()[0].encode())
    assert first["prompt_tokens"] == -(-whole // 4) and first["completion_tokens"] == 5
    assert first["total_tokens"] == first["prompt_tokens"] + 5
    assert [usage["prompt_tokens_details"]["cached_tokens"] for usage in (first, second, other)] == [0, (whole - len("names?")) // 4, 0]


def test_a_form_that_changes_changes_the_beginning() -> None:
    def form(name: str) -> dict[str, Any]:
        schema = {"type": "object", "properties": {name: {"type": "null"}}, "required": [name], "additionalProperties": False}
        return {"type": "json_schema", "json_schema": {"name": "form", "strict": True, "schema": schema}}

    with serving(Said("{}")) as endpoint:
        for name in ("aa", "aa", "bb"):
            ask(endpoint, response_format=form(name))
    first, same, changed = endpoint.asked
    assert same.cached == same.tokens == first.tokens or same.cached == same.tokens - 1  # a last token that is not full
    assert changed.cached < changed.tokens / 4, "a provider's cache has the form before the messages"
    assert changed.schema["required"] == ["bb"]


def test_a_text_is_found_however_it_was_written() -> None:
    cell = 'Dr. "Dana"\nLevin — כהן'
    with serving(Said("x")) as endpoint:
        ask(endpoint, "nothing")
        ask(endpoint, cell)
        ask(endpoint, json.dumps({"row": cell}))
        ask(endpoint, json.dumps({"rows": json.dumps({"row": cell}, ensure_ascii=False)}))
        ask(endpoint, tools=[{"type": "function", "function": {"name": "f", "description": cell.upper()}}])
    assert len(endpoint.holding(cell)) == 4
    assert [asked.question for asked in endpoint.holding("nothing")] == ["nothing"]
    assert not endpoint.holding("Dana Cohen")


def test_what_is_longer_than_it_may_be_is_cut_off() -> None:
    with serving(Said("word" * 10)) as endpoint:
        done = ask(endpoint, max_tokens=3).json()
    assert (done["choices"][0]["message"]["content"], done["choices"][0]["finish_reason"]) == ("word" * 3, "length")
    assert done["usage"]["completion_tokens"] == 3


def test_a_prompt_that_is_too_long_is_refused() -> None:
    with serving(Said("x"), longest=50) as endpoint:
        assert ask(endpoint).json()["error"]["code"] == "context_length_exceeded"
        assert endpoint.complaints.pop() and not endpoint.asked


def test_scripts_that_look_at_the_request() -> None:
    with serving(by_question({"cities": Said("c"), "names": always_busy()})) as endpoint:
        assert message(ask(endpoint, "which cities?"))["content"] == "c"
        assert ask(endpoint, "which names?").status_code == 429
        assert ask(endpoint, "which days?").json()["error"]["code"] == "no_reply"
        endpoint.complaints.clear()
    with serving(endless_calls("find_table", {"page": 1})) as endpoint:
        for _ in range(3):
            done = ask(endpoint).json()["choices"][0]
            assert (done["finish_reason"], done["message"]["content"]) == ("tool_calls", None)
            assert done["message"]["tool_calls"][0]["function"] == {"name": "find_table", "arguments": '{"page":1}'}
    with serving(always(Said("x"))) as endpoint:
        assert [message(ask(endpoint))["content"] for _ in range(3)] == ["x"] * 3


def always_busy() -> Raw:
    return too_many("7")


def test_failures_at_the_wire() -> None:
    with serving([too_many("7"), too_many(None), down(503), refusal("No."), cut_off({"a": 1, "b": 2})]) as endpoint:
        busy, quiet, away, refused, cut = (ask(endpoint) for _ in range(5))
    assert (busy.status_code, busy.headers["Retry-After"]) == (429, "7")
    assert quiet.status_code == 429 and "Retry-After" not in quiet.headers
    assert (away.status_code, away.headers["Content-Type"], away.text) == (503, "text/html", HTML)
    assert (message(refused)["content"], message(refused)["refusal"]) == (None, "No.")
    assert cut.json()["choices"][0]["finish_reason"] == "length"
    with pytest.raises(ValueError):
        json.loads(message(cut)["content"])


@pytest.mark.parametrize("part", [0.0, 0.5])
@pytest.mark.parametrize("stream", [True, False])
def test_a_body_breaks_off(part: float, stream: bool) -> None:
    with serving(Broken(Said("x" * 100), part)) as endpoint, pytest.raises(requests.exceptions.ChunkedEncodingError):
        ask(endpoint, stream=stream)


def test_silence_lasts_until_who_asked_goes() -> None:
    with serving(Silent()) as endpoint, pytest.raises(requests.exceptions.ReadTimeout):
        requests.post(
            f"{endpoint.address}/chat/completions",
            json={"model": "small", "messages": [SYSTEM]},
            headers={"Authorization": f"Bearer {KEY}"},
            timeout=0.2,
        )
    assert endpoint.calls == 1


def test_a_stream_says_the_same() -> None:
    text = "a long enough text for several pieces, כולל עברית"
    with serving([Said(text), Said(uses=(Use("f", {"a": 1}),))]) as endpoint:
        first, second = (ask(endpoint, stream=True, stream_options={"include_usage": True}) for _ in range(2))
    lines = [line.removeprefix("data: ") for line in first.content.decode().split("\n\n") if line]
    assert lines.pop() == "[DONE]"
    events = [json.loads(line) for line in lines]
    assert "".join(event["choices"][0]["delta"].get("content", "") for event in events if event["choices"]) == text
    assert events[-1]["usage"]["prompt_tokens"] == endpoint.asked[0].tokens
    assert events[-2]["choices"][0]["finish_reason"] == "stop" and len(events) > 4
    assert '"finish_reason":"tool_calls"' in second.text


def test_what_a_model_said_is_kept_and_played_again(tmp_path: Path) -> None:
    file = tmp_path / "small.jsonl"
    said: list[Reply] = [Said({"kind": "table"}), down(502), Said(uses=(Use("find_table", {"page": 2}),)), Said("repaired")]
    with serving(said) as real:
        recorder = Recorder(real.address, file)
        thread = Thread(target=recorder.serve_forever, args=(0.01,))
        thread.start()
        try:
            kept = [ask(real, question, address=f"{recorder.address}/chat/completions") for question in ("one", "two", "two", "two")]
        finally:
            recorder.shutdown()
            thread.join()
            recorder.server_close()
    assert [done.status_code for done in kept] == [200, 502, 200, 200] and real.calls == 4
    assert KEY not in file.read_text() and "127.0.0.1" not in file.read_text()
    with serving(recorded(file)) as endpoint:
        for _ in range(2):
            assert message(ask(endpoint, "one")) == message(kept[0]), "the same prompt has the same reply"
        changed = [message(ask(endpoint, "two", temperature=0, messages=[{"role": "user", "content": "two"}])) for _ in range(2)]
        assert [one["content"] for one in changed] == [None, "repaired"], "in their order"
        assert changed[0]["tool_calls"][0]["function"] == {"name": "find_table", "arguments": '{"page":2}'}
        assert ask(endpoint, "three").status_code == 400
        endpoint.complaints.clear()


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.jsonl")), ids=lambda path: path.name)
def test_recordings_are_whole(path: Path) -> None:
    for line in path.read_text(encoding="utf-8").splitlines():
        kept = json.loads(line)
        assert kept["label"] and len(kept["digest"]) == 32 and kept["message"]["role"] == "assistant"
    recorded(path)
