"""What a stand-in for a model's endpoint plays: replies of every kind, and failures of every kind."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.model.request import RequestError

if TYPE_CHECKING:
    from tests.model.asked import Asked

HTML = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center><h1>502 Bad Gateway</h1></center></body>\r\n</html>\r\n"


@dataclass(frozen=True, slots=True)
class Use:
    """A tool that a model uses; arguments go out as JSON, a text as it is."""

    name: str
    arguments: object = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Said:
    """A model's message. What is no text goes out as JSON; a text beyond what the request allows is cut off there, as a model's is."""

    content: object = None
    uses: tuple[Use, ...] = ()
    refusal: str | None = None
    finished: str = ""  # "stop", or "tool_calls" beside uses, where it is empty

    @property
    def text(self) -> str | None:
        return self.content if self.content is None or isinstance(self.content, str) else written(self.content)


@dataclass(frozen=True, slots=True)
class Raw:
    """A whole response: status, body, headers; what is no text goes out as JSON."""

    status: int
    body: object
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Silent:
    """Takes the request and never answers; the connection stays open until the stand-in closes."""


@dataclass(frozen=True, slots=True)
class Broken:
    """Headers, then a part of the message's body, then nothing more: the connection ends."""

    said: Said
    part: float = 0.5


@dataclass(frozen=True, slots=True)
class Dripping:
    """Headers, then blanks, one at a time for some seconds, then the message."""

    said: Said
    seconds: float = 4.0


Reply = Said | Raw | Silent | Broken | Dripping
Script = Callable[["Asked"], Reply]


def written(value: object) -> str:
    """Compact JSON, letters of all scripts as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# ---- scripts


def always(reply: Reply) -> Script:
    """The same reply to every request."""
    return lambda asked: reply


def endless_calls(name: str, arguments: object = None) -> Script:
    """A model that uses the same tool for ever, whatever came of it."""
    return always(Said(uses=(Use(name, arguments if arguments is not None else {}),)))


def by_question(replies: Mapping[str, Reply], otherwise: Reply | None = None) -> Script:
    """The reply whose key occurs in the last message of the user; a key that nothing has is refused unless there is another reply."""

    def play(asked: Asked) -> Reply:
        for part, reply in replies.items():
            if part in asked.question:
                return reply
        return otherwise if otherwise is not None else no_such(asked)

    return play


def no_such(asked: Asked) -> Raw:
    """What a script answers that has no reply: refused, and a complaint."""
    raise RequestError(f"The script has no reply to {asked.question[:200]!r}.", code="no_reply")


# ---- failures


def error(status: int, message: str, code: str | None, kind: str | None, headers: Mapping[str, str] | None = None) -> Raw:
    return Raw(status, RequestError(message, None, code, status, kind).body(), headers or {})


def wrong_key(key: str = "sk-wrong") -> Raw:
    """The message holds a part of the key, as OpenAI's does: it must reach nobody."""
    return error(
        401, f"Incorrect API key provided: {key}. You can find your API key in your account.", "invalid_api_key", "invalid_request_error"
    )


def too_many(retry_after: str | None = "1") -> Raw:
    headers = {"Retry-After": retry_after} if retry_after is not None else {}
    return error(429, "Rate limit reached for requests. Please try again later.", "rate_limit_exceeded", "requests", headers)


def spent() -> Raw:
    """429 again, but for ever: the account is empty."""
    return error(429, "You exceeded your current quota, please check your plan.", "insufficient_quota", "insufficient_quota")


def no_model(name: str = "small") -> Raw:
    return error(404, f"The model `{name}` does not exist or you do not have access to it.", "model_not_found", "invalid_request_error")


def down(status: int = 502) -> Raw:
    """The page of a proxy before an endpoint that is away."""
    return Raw(status, HTML, {"Content-Type": "text/html"})


def internal() -> Raw:
    return error(500, "The server had an error while processing your request. Sorry about that!", None, "server_error")


def too_long() -> Raw:
    return error(400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded", "invalid_request_error")


def filtered() -> Raw:
    """What Azure OpenAI answers to a prompt that its filter does not like."""
    return error(400, "The response was filtered due to the prompt triggering the content management policy.", "content_filter", None)


def broken_off(said: Said, part: float = 0.5) -> Broken:
    return Broken(said, part)


def cut_off(content: object, part: float = 0.5) -> Said:
    """The beginning of a message that reached the limit of tokens."""
    whole = content if isinstance(content, str) else written(content)
    return Said(whole[: int(len(whole) * part)], finished="length")


def refusal(text: str = "I'm sorry, I can't assist with that.") -> Said:
    return Said(refusal=text)


def no_choices() -> Raw:
    return Raw(200, {"id": "chatcmpl-0", "object": "chat.completion", "created": 0, "model": "small", "choices": []})


def not_completion() -> Raw:
    """Status 200 from what is no endpoint of a model at all."""
    return Raw(200, "<html><body>Sign in</body></html>", {"Content-Type": "text/html"})


def no_json() -> Said:
    return Said("Here are the names, of course: Ada, Grace.")


def in_fence(content: object) -> Said:
    """JSON as small models like to write it."""
    return Said(f"Sure!\n```json\n{content if isinstance(content, str) else written(content)}\n```\nAnything else?")


def usage_of(prompt: int, cached: int, completion: int) -> dict[str, Any]:
    """Tokens as an endpoint tells them."""
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }
