"""What endpoints take as a schema: any object, and under `"strict": true` the part of JSON Schema that their structured outputs know.

The rules are those that OpenAI and Azure OpenAI document, and the messages that they answer with. A stand-in takes what all of them take.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

TYPES: Final = frozenset({"string", "number", "boolean", "integer", "object", "array", "null"})
KEYWORDS: Final = frozenset(
    {"type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "$ref", "$defs", "definitions"}
    | {"title", "description"}
)
SINCE: Final = frozenset(
    {"pattern", "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"}
    | {"minLength", "maxLength"}
)
MANY_IN_ONE: Final = 250  # texts of one enum, from where their characters are limited too


class SchemaError(Exception):
    """A schema that an endpoint refuses; the text is what it answers after "Invalid schema for ...: "."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What an endpoint allows: levels of objects (the root is 1), properties and values of enums in all, characters of names and values in all."""

    keywords: frozenset[str] = KEYWORDS
    levels: int = 5
    properties: int = 100
    values: int = 500
    characters: int = 15_000
    characters_of_one: int = 7_500


COMMON: Final = Rules()  # OpenAI's first limits, which Azure OpenAI still has
OPENAI: Final = Rules(KEYWORDS | SINCE, levels=10, properties=5_000, values=1_000, characters=120_000, characters_of_one=15_000)


def check_object(schema: object) -> None:
    """What holds without `strict` too: the root is an object and no union; raises SchemaError."""
    if not isinstance(schema, dict):
        raise SchemaError("schema must be an object")
    if schema.get("type") != "object":
        got = "None" if schema.get("type") is None else schema["type"]
        raise SchemaError(f"schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{got}\"'.")
    if barred := {"oneOf", "anyOf", "allOf", "enum", "not"} & schema.keys():
        raise SchemaError(f"schema must have type 'object' and not have '{min(barred)}' at the top level.")


def check_strict(schema: object, rules: Rules = COMMON) -> None:
    """The whole of the rules of a strict schema; raises SchemaError at the first that is broken."""
    check_object(schema)
    assert isinstance(schema, dict)
    places = list(_places(schema, ()))
    for context, node in places:
        _check_place(node, context, schema, rules)
    _check_sizes([node for _, node in places], rules)
    if (levels := _levels(schema, schema, ())) > rules.levels:
        raise SchemaError(f"{levels} levels of nesting exceeds limit of {rules.levels}.")


def _places(node: object, context: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Every schema in a schema, with the way to it; raises SchemaError for what is none."""
    if not isinstance(node, dict):
        raise _wrong(context, "schema must be an object")
    yield context, node
    for key in ("properties", "$defs", "definitions"):
        for name, inner in _mapping(node.get(key, {}), (*context, key)).items():
            yield from _places(inner, (*context, key, name))
    if "items" in node:
        yield from _places(node["items"], (*context, "items"))
    if "anyOf" in node:
        options = node["anyOf"]
        if not isinstance(options, list) or not options:
            raise _wrong(context, "'anyOf' must be a non-empty array.")
        for number, option in enumerate(options):
            yield from _places(option, (*context, "anyOf", str(number)))


def _check_place(node: dict[str, Any], context: tuple[str, ...], root: dict[str, Any], rules: Rules) -> None:
    if "$ref" in node:
        if others := node.keys() - {"$ref"}:
            raise _wrong(context, f"$ref cannot have keywords {{{', '.join(repr(other) for other in sorted(others))}}}.")
        _referred(node["$ref"], root, context)
        return
    if unknown := node.keys() - rules.keywords:
        raise _wrong(context, f"'{min(unknown)}' is not permitted.")
    if "anyOf" in node:
        _check_options(node["anyOf"], root, context)
        return
    if "type" not in node:
        raise _wrong(context, "schema must have a 'type' key.")
    types = node["type"] if isinstance(node["type"], list) else [node["type"]]
    if not types or not all(isinstance(one, str) and one in TYPES for one in types):
        raise _wrong(context, f"{node['type']!r} is not a valid type.")
    if "enum" in node and (not isinstance(node["enum"], list) or not node["enum"]):
        raise _wrong(context, "'enum' must be a non-empty array.")
    if "array" in types and "items" not in node:
        raise _wrong(context, "array schema missing items.")
    if "object" in types:
        _check_properties(node, context)


def _check_properties(node: dict[str, Any], context: tuple[str, ...]) -> None:
    if node.get("additionalProperties") is not False:
        raise _wrong(context, "'additionalProperties' is required to be supplied and to be false.")
    required, properties = node.get("required"), node.get("properties", {})
    if not isinstance(required, list):
        raise _wrong(context, "'required' is required to be supplied and to be an array including every key in properties.")
    if missing := [name for name in properties if name not in required]:
        raise _wrong(
            context, f"'required' is required to be supplied and to be an array including every key in properties. Missing '{missing[0]}'."
        )
    if extra := [name for name in required if name not in properties]:
        raise _wrong(context, f"'required' holds '{extra[0]}', which is no property.")


def _check_options(options: list[Any], root: dict[str, Any], context: tuple[str, ...]) -> None:
    """Objects of one union are told apart by their first key: by its name, or by what it always holds."""
    first: list[tuple[str, object]] = []
    for option in options:
        whole = _referred(option["$ref"], root, context) if "$ref" in option else option
        if properties := whole.get("properties"):
            name = next(iter(properties))
            held = properties[name]
            one = held.get("const", held["enum"][0] if len(held.get("enum", [])) == 1 else None)
            first.append((name, one))
    for number, (name, one) in enumerate(first):
        if any(name == other and (one is None or another is None or one == another) for other, another in first[:number]):
            raise _wrong(
                context,
                "Objects provided via 'anyOf' must not share identical first keys. Consider adding a discriminator key or rearranging the "
                "properties to ensure the first key is unique.",
            )


def _check_sizes(nodes: list[dict[str, Any]], rules: Rules) -> None:
    properties = [name for node in nodes for name in node.get("properties", {})]
    definitions = [name for node in nodes for key in ("$defs", "definitions") for name in node.get(key, {})]
    enums = [node["enum"] for node in nodes if "enum" in node]
    values = [str(value) for enum in enums for value in enum] + [str(node["const"]) for node in nodes if "const" in node]
    for what, found, most in (
        ("object properties", len(properties), rules.properties),
        ("enum values in total", sum(map(len, enums)), rules.values),
        ("characters of names and values", sum(map(len, [*properties, *definitions, *values])), rules.characters),
    ):
        if found > most:
            raise SchemaError(f"Expected at most {most} {what} within a single schema when using structured outputs, but received {found}.")
    for enum in enums:
        length = sum(len(value) for value in enum if isinstance(value, str))
        if len(enum) > MANY_IN_ONE and length > rules.characters_of_one:
            raise SchemaError(
                f"The combined length of enum values exceeds {rules.characters_of_one} characters where there are over {MANY_IN_ONE}."
            )


def _levels(node: dict[str, Any], root: dict[str, Any], within: tuple[str, ...]) -> int:
    """How many objects stand one in another; what refers to itself is gone into once."""
    if "$ref" in node:
        reference = node["$ref"]
        return 0 if reference in within else _levels(_referred(reference, root, ()), root, (*within, reference))
    inner = [*node.get("properties", {}).values(), *node.get("anyOf", [])] + ([node["items"]] if "items" in node else [])
    return ("properties" in node) + max((_levels(one, root, within) for one in inner), default=0)


def _referred(reference: object, root: dict[str, Any], context: tuple[str, ...]) -> dict[str, Any]:
    found: Any = root
    if not isinstance(reference, str) or not reference.startswith("#"):
        raise _wrong(context, f"reference {reference!r} must begin with '#'.")
    for step in reference.removeprefix("#").split("/")[1:]:
        found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
    if not isinstance(found, dict):
        raise _wrong(context, f"reference to component '{reference}' which was not found in the schema.")
    return found


def _mapping(given: object, context: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(given, dict):
        raise _wrong(context, "schema must be an object")
    return given


def _wrong(context: tuple[str, ...], what: str) -> SchemaError:
    return SchemaError(f"In context={context!r}, {what}")
