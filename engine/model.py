"""Asks a language model for a typed reply, at any endpoint that is compatible with OpenAI's; the one module that imports openai and instructor."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final, Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel

from cache.hints import Hints
from engine.endpoints import OPENAI
from engine.errors import ModelError
from engine.message import Message
from engine.settings import printable
from engine.spend import Spend

try:
    import instructor
    import openai
    from instructor.core import InstructorError
    from openai.types.chat import ChatCompletion
    from pydantic import ValidationError

    from engine.bounded import begin, bounded
except ModuleNotFoundError:
    raise ModelError('Asking a language model needs the extra "model"; install "almanac[model]".') from None

logging.getLogger("instructor").setLevel(logging.CRITICAL + 1)  # it logs what was asked
log = logging.getLogger(__name__)
Mode = Literal["json_schema", "tools", "json"]
_MODES: Final = {"json_schema": instructor.Mode.JSON_SCHEMA, "tools": instructor.Mode.TOOLS, "json": instructor.Mode.JSON}
_WAITS: Final = (0.5, 1.5)  # seconds before a request that was turned away is sent again
_LONGEST_WAIT: Final = 10.0  # that an endpoint may ask for
_TURNED_AWAY: Final = frozenset({408, 409, 429, 500, 502, 503, 504})
_OPTIONAL: Final = {"temperature": "temperature", "max_tokens": "max_completion_tokens"}  # what some models refuse, and its other name
T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ModelEndpoint:
    """Where a model is asked; the key is in no representation.

    address: ends in /v1 for most. mode: how the form of the reply is asked for.
    longest: tokens of a reply. seconds: what one reply may take, where the question has more.
    """

    model: str
    address: str = OPENAI
    key: str = field(default="", repr=False)
    mode: Mode = "json_schema"
    seconds: float = 300.0
    longest: int = 700

    @property
    def host(self) -> str:
        """What messages call the endpoint."""
        return printable(urlsplit(self.address).netloc)

    def client(self) -> openai.OpenAI:
        """A client of its own, which sends a request once, and to no other address."""
        wire = openai.DefaultHttpxClient(
            follow_redirects=False,  # the question and the key are for this address
            headers={"Accept-Encoding": "identity"},
            event_hooks={"request": [begin], "response": [bounded]},
        )
        return openai.OpenAI(base_url=self.address, api_key=self.key or "none", timeout=self.seconds, max_retries=0, http_client=wire)


def ask_model(
    messages: Sequence[Message], form: type[T], endpoint: ModelEndpoint, spend: Spend, *, tries: int = 1, replies: Hints | None = None
) -> T:
    """The model's reply in this form. What the form's validators refuse is told to the model, which has so many tries.

    The form goes along as a JSON schema, which is no part of the messages: these stay the same bytes.
    replies: where the reply to the same request is found, and kept; None where each is asked for. Raises ModelError.
    """
    said: Any = [message.wire() for message in messages]
    with endpoint.client() as client:
        sender = _Sender(client, endpoint, spend, replies)
        asking = instructor.patch(create=sender.send, mode=_MODES[endpoint.mode])
        try:
            # Never with `context`: it would make templates of the messages, what people and tables say among them.
            filled: T = asking(
                model=endpoint.model,
                messages=said,
                response_model=form,
                max_retries=tries - 1,
                temperature=0,
                max_tokens=endpoint.longest,
            )
            sender.keep()
            return filled
        except (InstructorError, openai.OpenAIError, ValidationError, ValueError) as error:
            raise _told(_first(error), endpoint) from error


class _Sender:
    """Sends the requests of one conversation: counted, in time, patient where an endpoint turns them away, and none of them twice."""

    def __init__(self, client: openai.OpenAI, endpoint: ModelEndpoint, spend: Spend, replies: Hints | None) -> None:
        self._client = client
        self._endpoint = endpoint
        self._spend = spend
        self._replies = replies
        self._fresh: dict[str, ChatCompletion] = {}

    def send(self, **request: Any) -> ChatCompletion:
        """What the endpoint replies; raises openai's errors, and ModelError where the question may not cost more."""
        if self._endpoint.mode == "json_schema":
            request["response_format"]["json_schema"]["strict"] = True
        request["messages"] = _sendable(request["messages"])
        key = self._key(request)
        if (kept := self._kept(key)) is not None:
            return kept
        completion = self._patiently(request)
        self._fresh[key] = completion
        return completion

    def keep(self) -> None:
        """Keeps what was replied, once it came to something: what did not is asked for again."""
        for key, completion in self._fresh.items() if self._replies is not None else ():
            self._replies.set(key, completion.model_dump(mode="json"))  # type: ignore[union-attr]

    def _patiently(self, request: dict[str, Any]) -> ChatCompletion:
        waits = iter(_WAITS)
        while True:
            try:
                return self._once(request)
            except openai.BadRequestError as error:
                refused = _OPTIONAL.keys() & {error.param or ""} & request.keys()
                if not refused:
                    raise
                for name in refused:
                    value, other = request.pop(name), _OPTIONAL[name]
                    if other != name:
                        request[other] = value
            except openai.APIStatusError as error:
                wait = next(waits, None)
                if error.status_code not in _TURNED_AWAY or wait is None:
                    raise
                wait = _asked_to_wait(error) or wait
                if wait > min(_LONGEST_WAIT, self._spend.left() / 2):
                    raise
                time.sleep(wait)

    def _once(self, request: dict[str, Any]) -> ChatCompletion:
        seconds = min(self._endpoint.seconds, self._spend.left())
        began = time.monotonic()
        completion: ChatCompletion | None = None
        try:
            completion = self._client.chat.completions.create(**request, timeout=seconds)
        finally:
            used = completion.usage if isinstance(completion, ChatCompletion) else None
            read, written = _told_of(used, "prompt_tokens"), _told_of(used, "completion_tokens")
            cached = _told_of(getattr(used, "prompt_tokens_details", None), "cached_tokens")
            self._spend.add(read, cached, written, time.monotonic() - began)
        if not isinstance(completion, ChatCompletion):
            raise ValueError("no completion")  # some servers answer with a page or a text
        return completion

    def _key(self, request: dict[str, Any]) -> str:
        """Equal for requests that are the same but for the key that pays for them."""
        said = json.dumps([self._endpoint.address, request], sort_keys=True, ensure_ascii=False, default=str)
        return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def _kept(self, key: str) -> ChatCompletion | None:
        kept = None if self._replies is None else self._replies.get(key)
        if kept is None or self._replies is None:
            return None
        try:
            return ChatCompletion.model_validate(kept)
        except ValidationError:
            log.warning("a kept reply is none, and is asked for again", extra={"key": key})
            self._replies.forget(key)
            return None


def _told_of(usage: object, name: str) -> int:
    """Tokens as an endpoint tells them, 0 where it does not: openai takes its reply as it is."""
    tokens = getattr(usage, name, None)
    return tokens if isinstance(tokens, int) and tokens > 0 else 0


def _sendable(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was said so far as endpoints take it: they refuse an empty message, and the use of a tool of which nothing came."""
    made = []
    for message, then in zip(messages, [*messages[1:], {}], strict=True):
        if message.get("tool_calls") and then.get("role") != "tool":
            message = {key: value for key, value in message.items() if key != "tool_calls"}
        made.append(message if message.get("content") or message.get("tool_calls") else {**message, "content": "(nothing)"})
    return made


def _asked_to_wait(error: openai.APIStatusError) -> float:
    """The seconds of Retry-After, 0 where there are none."""
    try:
        return max(0.0, float(error.response.headers.get("retry-after", "")))
    except ValueError:
        return 0.0


def _first(error: BaseException) -> BaseException:
    """What went wrong on the wire, below what was made of it."""
    while error.__cause__ is not None and not isinstance(error, (openai.APIError, ModelError)):
        error = error.__cause__
    return error


def _told(error: BaseException, endpoint: ModelEndpoint) -> ModelError:
    if isinstance(error, ModelError):
        return error
    if isinstance(error, openai.APIConnectionError):
        return ModelError(
            f"The model's endpoint at {endpoint.host} could not be reached or did not answer in time; check OPENAI_BASE_URL, or try again later."
        )
    if isinstance(error, openai.APIStatusError):
        status = error.status_code
        if status in (401, 403):
            return ModelError(
                f"The model's endpoint at {endpoint.host} refuses the key; set OPENAI_API_KEY to one that may use its models."
            )
        if status == 429:
            return ModelError(
                f"The model's endpoint at {endpoint.host} has too much to do, or the key's quota is used up; try again later."
            )
        return ModelError(
            f"The model's endpoint at {endpoint.host} refused the request ({status}); check the model's name, or try again later."
        )
    return ModelError(f"The model at {endpoint.host} gave no reply of the right form; ask in other words, or another model.")
