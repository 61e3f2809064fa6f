"""A pydantic model's JSON schema in the strict form: every property is required, none is added, and only what endpoints can hold a model to."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

_DROPPED: Final = frozenset(
    {
        "default",
        "title",
        "discriminator",
        "minItems",
        "maxItems",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "uniqueItems",
    }
)
_MOST_NAMES: Final = 200  # of one list of names, and their letters: below what endpoints take in a schema
_MOST_LETTERS: Final = 7_000
_NAMED: Final = "x-names"


def named(of: str) -> Any:
    """A text that is one of the names which a form has under this word."""
    return Field(json_schema_extra={_NAMED: of})


Column = Annotated[str, named("columns")]
Table = Annotated[str, named("tables")]


class Form(BaseModel):
    """The base of every form that a model fills in; `names` are the choices of its named texts."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    names: ClassVar[Mapping[str, Sequence[str]]] = {}

    @classmethod
    def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The strict schema; its title names the form."""
        names = {of: list(known) for of, known in cls.names.items() if _few(known)}
        schema: dict[str, Any] = _strict(super().model_json_schema(*args, **kwargs), names)
        written = json.dumps(schema)
        once = {of: {"type": "string", "enum": known} for of, known in names.items() if json.dumps(_place(of)) in written}
        if once:
            schema["$defs"] = {**schema.get("$defs", {}), **once}
        return {"title": cls.__name__, **schema}


F = TypeVar("F", bound=Form)


def checked_form(base: type[F], name: str, names: Mapping[str, Sequence[str]], check: Callable[[F], None]) -> type[F]:
    """A form of this name with its choices; what `check` refuses with ValueError is told to the model."""

    def checked(self: F) -> F:
        check(self)
        return self

    validators: dict[str, Any] = {"checked": model_validator(mode="after")(checked)}
    made = create_model(name, __base__=base, __validators__=validators)
    made.names = names
    return made


def _few(names: Sequence[str]) -> bool:
    return 0 < len(names) <= _MOST_NAMES and sum(map(len, names)) <= _MOST_LETTERS


def _place(of: str) -> dict[str, str]:
    """Where a list of names stands: once, however often it is chosen from, as endpoints count every value, and so do models that read it."""
    return {"$ref": f"#/$defs/{of}"}


def _strict(schema: Any, names: Collection[str]) -> Any:
    if isinstance(schema, list):
        return [_strict(one, names) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return {"$ref": schema["$ref"]}  # nothing may stand beside it
    if schema.get(_NAMED) in names:
        return _place(schema[_NAMED])
    dropped = _DROPPED | {_NAMED, "properties", "oneOf", "const"}
    if "properties" in schema:
        dropped |= {"description"}  # what a form is for stands in the instructions, once for all
    made = {word: _strict(value, names) for word, value in schema.items() if word not in dropped}
    if "oneOf" in schema:
        made["anyOf"] = _strict(schema["oneOf"], names)
    if "const" in schema:
        made["enum"] = [schema["const"]]
    if "properties" in schema:
        made["properties"] = {name: _strict(value, names) for name, value in schema["properties"].items()}
        made |= {"required": list(schema["properties"]), "additionalProperties": False}
    return made
