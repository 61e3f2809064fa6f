"""Strict schemas: what every endpoint takes, and each rule broken once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.model.strict import COMMON, OPENAI, SchemaError, check_object, check_strict

TEXT = {"type": "string"}


def thing(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def nested(levels: int) -> dict[str, Any]:
    return thing(a=TEXT) if levels == 1 else thing(a=nested(levels - 1))


def option(kind: str, **more: Any) -> dict[str, Any]:
    return thing(kind={"type": "string", "const": kind}, **more)


NODE = thing(value=TEXT, children={"type": "array", "items": {"$ref": "#/$defs/node"}})


@pytest.mark.parametrize(
    "schema",
    [
        thing(),
        thing(a={"type": ["string", "null"], "description": "What.", "enum": ["x", None]}),
        thing(a={"anyOf": [option("table", t=TEXT), option("sql", s=TEXT), {"type": "null"}]}),
        thing(a={"anyOf": [thing(x=TEXT), thing(y=TEXT, x=TEXT)]}),
        {**thing(root={"$ref": "#/$defs/node"}), "$defs": {"node": NODE}},
        thing(a={"type": "array", "items": {"$ref": "#"}}),
        nested(5),
        thing(**{f"p{number}": TEXT for number in range(100)}),
        thing(a={"type": "string", "enum": [str(number) for number in range(500)]}),
    ],
    ids=range(9),
)
def test_what_all_endpoints_take(schema: dict[str, Any]) -> None:
    check_strict(schema, COMMON)
    check_strict(schema, OPENAI)


@pytest.mark.parametrize(
    ("schema", "what"),
    [
        ([], "must be an object"),
        (TEXT, "got 'type: \"string\"'"),
        ({"anyOf": [thing(a=TEXT)]}, "got 'type: \"None\"'"),
        ({**thing(), "anyOf": [thing(a=TEXT)]}, "not have 'anyOf' at the top level"),
        ({"type": "object", "properties": {}}, "'additionalProperties' is required"),
        ({**thing(a=TEXT), "additionalProperties": True}, "'additionalProperties' is required"),
        (thing(a={"type": "object", "properties": {"b": TEXT}}), r"context=\('properties', 'a'\), 'additionalProperties'"),
        ({**thing(a=TEXT), "required": []}, "Missing 'a'"),
        ({"type": "object", "properties": {}, "additionalProperties": False}, "'required' is required"),
        ({**thing(a=TEXT), "required": ["a", "b"]}, "'b', which is no property"),
        (thing(a={"type": "string", "default": ""}), "'default' is not permitted"),
        (thing(a={"oneOf": [TEXT]}), "'oneOf' is not permitted"),
        (thing(a={"allOf": [TEXT]}), "'allOf' is not permitted"),
        (thing(a={"anyOf": [TEXT], "discriminator": {}}), "'discriminator' is not permitted"),
        (thing(a={"type": "array", "items": TEXT, "minItems": 1}), "'minItems' is not permitted"),
        (thing(a={"type": "array", "items": TEXT, "uniqueItems": True}), "'uniqueItems' is not permitted"),
        (thing(a={"type": "array", "prefixItems": [TEXT]}), "'prefixItems' is not permitted"),
        (thing(a={"type": "string", "pattern": "x"}), "'pattern' is not permitted"),
        (thing(a={"type": "integer", "minimum": 1}), "'minimum' is not permitted"),
        (thing(a={"type": "array"}), "array schema missing items"),
        (thing(a={}), "must have a 'type' key"),
        (thing(a={"enum": ["x"]}), "must have a 'type' key"),
        (thing(a={"type": "text"}), "not a valid type"),
        (thing(a={"type": "string", "enum": []}), "'enum' must be a non-empty array"),
        (thing(a={"anyOf": []}), "'anyOf' must be a non-empty array"),
        (thing(a=True), "schema must be an object"),
        (thing(a={"$ref": "#/$defs/none"}), "not found in the schema"),
        (thing(a={"$ref": "other.json"}), "must begin with '#'"),
        ({**thing(a={"$ref": "#/$defs/b", "description": "B."}), "$defs": {"b": TEXT}}, "cannot have keywords {'description'}"),
        ({**thing(a=TEXT), "$defs": {"b": {"type": "object", "properties": {}}}}, "'additionalProperties' is required"),
        (thing(a={"anyOf": [thing(x=TEXT), thing(x=TEXT, y=TEXT)]}), "identical first keys"),
        (thing(a={"anyOf": [option("table"), option("table", x=TEXT)]}), "identical first keys"),
        (nested(6), "6 levels of nesting exceeds limit of 5"),
        (thing(**{f"p{number}": TEXT for number in range(101)}), "at most 100 object properties"),
        (thing(a={"type": "string", "enum": [str(number) for number in range(501)]}), "at most 500 enum values"),
        (thing(a={"type": "string", "enum": [f"{number:040}" for number in range(251)]}), "combined length"),
        (thing(**{f"{number:0400}": TEXT for number in range(40)}), "at most 15000 characters"),
    ],
)
def test_each_rule_is_held(schema: Any, what: str) -> None:
    with pytest.raises(SchemaError, match=what):
        check_strict(schema, COMMON)


def test_openai_takes_more_than_azure() -> None:
    schema = thing(a={"type": "array", "items": {"type": "string", "pattern": "^x"}, "minItems": 1}, b=nested(9))
    check_strict(schema, OPENAI)
    with pytest.raises(SchemaError):
        check_strict(schema, COMMON)
    with pytest.raises(SchemaError, match="11 levels"):
        check_strict(nested(11), OPENAI)


def test_what_is_not_strict_is_an_object_at_least() -> None:
    check_object({"type": "object", "properties": {"a": {"oneOf": [TEXT], "default": 1}}})
    with pytest.raises(SchemaError, match="'oneOf' at the top level"):
        check_object({"type": "object", "oneOf": []})
