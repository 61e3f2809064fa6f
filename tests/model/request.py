"""What may be sent to /chat/completions: its fields and what must hold between them, and the error that an endpoint answers otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tests.model.strict import COMMON, Rules, SchemaError, check_object, check_strict

NAME: Final = r"^[a-zA-Z0-9_-]{1,64}$"
REASONING: Final = re.compile(r"(o\d|gpt-5)")  # models of these names take no temperature and no max_tokens


@dataclass(eq=False)
class RequestError(Exception):
    """A request that is refused, as OpenAI words it."""

    message: str
    param: str | None = None
    code: str | None = None
    status: int = 400
    type: str | None = "invalid_request_error"

    def __str__(self) -> str:
        return self.message

    def body(self) -> dict[str, Any]:
        """The error's JSON."""
        return {"error": {"message": self.message, "type": self.type, "param": self.param, "code": self.code}}


class Sent(BaseModel):
    """A part of a request: the known fields only, each of its own type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


Text = Annotated[str, Field(min_length=1)]
PersonName = Annotated[str, Field(pattern=r"^[^\s<|\\/>]{1,64}$")]


class Called(Sent):
    name: Annotated[str, Field(pattern=NAME)]
    arguments: str


class Call(Sent):
    id: Annotated[str, Field(min_length=1, max_length=40)]
    type: Literal["function"]
    function: Called


class Spoken(Sent):
    role: Literal["system", "developer", "user"]
    content: Text
    name: PersonName | None = None


class Assistant(Sent):
    role: Literal["assistant"]
    content: Text | None = None
    refusal: str | None = None
    name: PersonName | None = None
    tool_calls: Annotated[list[Call], Field(min_length=1, max_length=128)] | None = None


class Result(Sent):
    role: Literal["tool"]
    content: Text
    tool_call_id: Text


class Form(Sent):
    name: Annotated[str, Field(pattern=NAME)]
    description: str | None = None
    form: Annotated[dict[str, Any] | None, Field(alias="schema")] = None
    strict: bool | None = None


class AsText(Sent):
    type: Literal["text"]


class AsJson(Sent):
    type: Literal["json_object"]


class AsForm(Sent):
    type: Literal["json_schema"]
    json_schema: Form


class Defined(Sent):
    name: Annotated[str, Field(pattern=NAME)]
    description: Annotated[str, Field(max_length=1024)] | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class Tool(Sent):
    type: Literal["function"]
    function: Defined


class ChosenName(Sent):
    name: Text


class Chosen(Sent):
    type: Literal["function"]
    function: ChosenName


class StreamOptions(Sent):
    include_usage: bool | None = None


Message = Annotated[Spoken | Assistant | Result, Field(discriminator="role")]
Penalty = Annotated[float, Field(ge=-2, le=2)]


class Request(Sent):
    """The whole of a request's body; n is 1, as the stand-in plays one reply."""

    model: Text
    messages: Annotated[list[Message], Field(min_length=1)]
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    n: Literal[1] | None = None
    stop: str | Annotated[list[str], Field(max_length=4)] | None = None
    seed: int | None = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    response_format: Annotated[AsText | AsJson | AsForm, Field(discriminator="type")] | None = None
    tools: Annotated[list[Tool], Field(min_length=1, max_length=128)] | None = None
    tool_choice: Literal["none", "auto", "required"] | Chosen | None = None
    parallel_tool_calls: bool | None = None
    frequency_penalty: Penalty | None = None
    presence_penalty: Penalty | None = None
    logit_bias: dict[str, float] | None = None
    logprobs: bool | None = None
    top_logprobs: Annotated[int, Field(ge=0, le=20)] | None = None
    user: str | None = None
    metadata: dict[str, str] | None = None
    store: bool | None = None
    service_tier: str | None = None
    prompt_cache_key: str | None = None
    safety_identifier: str | None = None
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None
    verbosity: Literal["low", "medium", "high"] | None = None


def read_request(body: bytes, rules: Rules | None = COMMON) -> Request:
    """The request in a body; raises RequestError where OpenAI would refuse it. Without rules strict schemas are not looked into."""
    try:
        request = Request.model_validate_json(body)
    except ValidationError as error:
        raise _refused(error) from None
    _check_calls(request.messages)
    _check_limits(request)
    _check_format(request, rules)
    _check_tools(request, rules)
    return request


def _check_calls(messages: Iterable[Spoken | Assistant | Result]) -> None:
    """Each use of a tool is answered, once and at once, and nothing else is."""
    open_calls: list[str] = []
    for number, message in enumerate(messages):
        where = f"messages[{number}]"
        if isinstance(message, Result):
            if message.tool_call_id not in open_calls:
                raise RequestError(
                    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
                    f"{where}.role",
                )
            open_calls.remove(message.tool_call_id)
            continue
        _check_answered(open_calls, where)
        if isinstance(message, Assistant):
            open_calls = [call.id for call in message.tool_calls or ()]
            if len(set(open_calls)) < len(open_calls):
                raise RequestError(f"Duplicate value for 'tool_call_id' in '{where}.tool_calls'.", f"{where}.tool_calls")
            if message.content is None and not open_calls and message.refusal is None:
                raise RequestError(f"Invalid value for 'content': expected a string, got null. ('{where}')", f"{where}.content")
    _check_answered(open_calls, "messages")


def _check_answered(open_calls: list[str], where: str) -> None:
    if open_calls:
        raise RequestError(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
            f"The following tool_call_ids did not have response messages: {', '.join(open_calls)}",
            f"{where}.role",
        )


def _check_limits(request: Request) -> None:
    if request.max_tokens is not None and request.max_completion_tokens is not None:
        raise RequestError("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
    if request.stream_options is not None and not request.stream:
        raise RequestError("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options")
    if request.top_logprobs is not None and not request.logprobs:
        raise RequestError("The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.", "top_logprobs")
    if REASONING.match(request.model):
        if request.max_tokens is not None:
            raise RequestError(
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
                "max_tokens",
                "unsupported_parameter",
            )
        if request.temperature not in (None, 1):
            raise RequestError(
                f"Unsupported value: 'temperature' does not support {request.temperature:g} with this model. Only the default (1) value is supported.",
                "temperature",
                "unsupported_value",
            )


def _check_format(request: Request, rules: Rules | None) -> None:
    if isinstance(request.response_format, AsJson) and not any(
        "json" in (message.content or "").casefold() for message in request.messages
    ):
        raise RequestError(
            "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.", "messages"
        )
    if isinstance(request.response_format, AsForm):
        form = request.response_format.json_schema
        _check_schema(form.form, form.strict, f"response_format '{form.name}'", "response_format", rules)


def _check_tools(request: Request, rules: Rules | None) -> None:
    names = [tool.function.name for tool in request.tools or ()]
    if len(set(names)) < len(names):
        raise RequestError("Tool names must be unique.", "tools")
    if not names:
        for given, param in ((request.tool_choice, "tool_choice"), (request.parallel_tool_calls, "parallel_tool_calls")):
            if given is not None:
                raise RequestError(f"Invalid value for '{param}': '{param}' is only allowed when 'tools' are specified.", param)
    if isinstance(request.tool_choice, Chosen) and request.tool_choice.function.name not in names:
        raise RequestError(f"Tool choice '{request.tool_choice.function.name}' not found in 'tools' parameter.", "tool_choice")
    for number, tool in enumerate(request.tools or ()):
        function = tool.function
        if function.parameters is not None or function.strict:
            _check_schema(
                function.parameters, function.strict, f"function '{function.name}'", f"tools[{number}].function.parameters", rules
            )


def _check_schema(schema: dict[str, Any] | None, strict: bool | None, whose: str, param: str, rules: Rules | None) -> None:
    try:
        if strict and rules is not None:
            check_strict(schema, rules)
        else:
            check_object(schema)
    except SchemaError as error:
        code = None if param == "response_format" else "invalid_function_parameters"
        raise RequestError(f"Invalid schema for {whose}: {error}", param, code) from None


TAGS: Final = frozenset({"system", "developer", "user", "assistant", "tool", "text", "json_object", "json_schema"})


def _refused(error: ValidationError) -> RequestError:
    """The first thing that is wrong, as OpenAI words it."""
    first = error.errors(include_url=False)[0]
    param = _param(first["loc"])
    match first["type"]:
        case "json_invalid" | "model_type":
            return RequestError(
                "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. "
                "The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)"
            )
        case "extra_forbidden" if "." not in param:
            return RequestError(f"Unrecognized request argument supplied: {param}")
        case "extra_forbidden":
            return RequestError(f"Unknown parameter: '{param}'.", param, "unknown_parameter")
        case "missing" if param == "model":
            return RequestError("you must provide a model parameter")
        case "missing" | "union_tag_not_found":
            return RequestError(f"Missing required parameter: '{param}'.", param, "missing_required_parameter")
        case "string_too_short" if not first["input"]:
            return RequestError(f"Invalid '{param}': empty string. Expected a string with minimum length 1.", param, "empty_string")
        case kind if kind.endswith("_type"):
            return RequestError(f"Invalid type for '{param}': {first['msg']}.", param, "invalid_type")
        case _:
            return RequestError(f"Invalid value for '{param}': {first['msg']}.", param, "invalid_value")


def _param(location: tuple[int | str, ...]) -> str:
    """messages[0].content; the tags of unions, which are no fields, left out: they follow a number or response_format."""
    said = ""
    for number, step in enumerate(location):
        before = location[number - 1] if number else ""
        if isinstance(step, int):
            said += f"[{step}]"
        elif not (step in TAGS and (isinstance(before, int) or before == "response_format")):
            said += f".{step}" if said else step
    return said
