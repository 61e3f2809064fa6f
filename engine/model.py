"""Asks a language model for a plan, at any endpoint that is compatible with OpenAI's; the one module that imports openai and instructor."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final
from urllib.parse import urlsplit

from cache.hints import Hints
from engine.errors import ModelError
from engine.message import Message
from engine.settings import printable
from engine.types import TablePlan

try:
    import instructor
    import openai
    from instructor.core import InstructorError
    from pydantic import ValidationError
except ModuleNotFoundError:
    raise ModelError('Asking a language model needs the extra "model"; install "almanac[model]".') from None

logging.getLogger("instructor").setLevel(logging.CRITICAL + 1)  # it logs what was asked
log = logging.getLogger(__name__)
OPENAI: Final = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class ModelEndpoint:
    """Where a model is asked; the key is in no representation.

    address: ends in /v1 for most; OpenAI's own where it is empty. seconds: what a whole reply may take. longest: tokens of a reply.
    """

    model: str
    address: str = OPENAI
    key: str = field(default="", repr=False)
    seconds: float = 300.0
    longest: int = 1000

    @property
    def host(self) -> str:
        """What messages call the endpoint."""
        return printable(urlsplit(self.address or OPENAI).netloc)

    def client(self) -> openai.OpenAI:
        """A client of its own; it asks once, as what waits too long once would do so again."""
        return openai.OpenAI(base_url=self.address or OPENAI, api_key=self.key or "none", timeout=self.seconds, max_retries=0)


def plan_from(messages: Sequence[Message], endpoint: ModelEndpoint, replies: Hints | None = None) -> TablePlan:
    """The plan that a model makes of the messages, of the right form but not checked against any table; raises ModelError.

    The form goes along as a JSON schema, which is no part of the messages: these stay the same bytes.
    replies: where the reply to the same request is found, and kept; None where each is asked for.
    """
    said: Any = [message.wire() for message in messages]
    key = _request_key(said, endpoint)
    if replies is not None and (kept := _kept(replies, key)) is not None:
        return kept
    with endpoint.client() as client:
        asking = instructor.from_openai(client, mode=instructor.Mode.JSON_SCHEMA)
        try:
            # Never with `context`: it would make templates of the messages, what people and tables say among them.
            plan = asking.chat.completions.create(
                model=endpoint.model,
                messages=said,
                response_model=TablePlan,
                max_retries=0,
                temperature=0,
                max_tokens=endpoint.longest,
            )
        except (InstructorError, openai.OpenAIError, ValidationError, ValueError) as error:
            raise ModelError(_refused(_first(error), endpoint)) from error
    made = TablePlan.model_validate(plan.model_dump())  # without the whole reply, which instructor hangs on it
    if replies is not None:
        replies.set(key, made.model_dump(mode="json"))
    return made


def _request_key(said: Any, endpoint: ModelEndpoint) -> str:
    """Equal for requests that are the same but for the key that pays for them."""
    request = [endpoint.address or OPENAI, endpoint.model, endpoint.longest, TablePlan.model_json_schema(), said]
    return blake2b(json.dumps(request, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _kept(replies: Hints, key: str) -> TablePlan | None:
    kept = replies.get(key)
    try:
        return None if kept is None else TablePlan.model_validate(kept)
    except ValidationError:
        log.warning("a kept reply is no plan, and is asked for again", extra={"key": key})
        replies.forget(key)
        return None


def _first(error: BaseException) -> BaseException:
    """What went wrong on the wire, below what was made of it."""
    while error.__cause__ is not None and not isinstance(error, openai.APIError):
        error = error.__cause__
    return error


def _refused(error: BaseException, endpoint: ModelEndpoint) -> str:
    if isinstance(error, openai.APIConnectionError):
        return f"The model's endpoint at {endpoint.host} could not be reached or did not answer in time; check OPENAI_BASE_URL, or try again later."
    if isinstance(error, openai.APIStatusError):
        status = error.status_code
        if status in (401, 403):
            return f"The model's endpoint at {endpoint.host} refuses the key; set OPENAI_API_KEY to one that may use its models."
        return f"The model's endpoint at {endpoint.host} refused the request ({status}); check the model's name, or try again later."
    return f"The model at {endpoint.host} gave no plan of the right form; ask in other words, or another model."
