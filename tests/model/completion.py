"""A reply as /chat/completions gives it, whole or as a stream."""

from __future__ import annotations

import re
from typing import Any

from tests.model.asked import TOKEN, Asked
from tests.model.replies import Said, usage_of, written
from tests.model.request import Request


def completion_of(request: Request, said: Said, asked: Asked) -> dict[str, Any]:
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


def stream_of(done: dict[str, Any], with_usage: bool) -> str:
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
