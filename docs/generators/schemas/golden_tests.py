"""The schema of golden tests, made from their models as those of plans are."""

from __future__ import annotations

from collections.abc import Sequence

from biblicus_context.spec.contexts_test import TEST_KIND, ContextsTest
from biblicus_context.spec.expectation import ERROR_ALONE
from generators.schemas.shapes import (
    Definitions,
    Schema,
    one_of_kinds,
    reference,
    with_property,
)


def with_expected_errors(definitions: Definitions) -> Definitions:
    """The error a test expects: its class or a mapping, and nothing else."""
    named = with_property(definitions, "Expectation", "error", _name_or_mapping)
    expectation = named["Expectation"]
    others = [key for key in expectation["properties"] if key != "error"]
    names = expectation["properties"]["error"]["allOf"][0]["then"]
    return {**named, "Expectation": {**expectation, "allOf": [_alone("error", names, others)]}}


def with_test_kind(definitions: Definitions) -> Definitions:
    """A golden test says its kind before everything else."""
    name = ContextsTest.__name__
    kind: Schema = {"description": "Kind of this document.", "const": TEST_KIND}
    definition = definitions[name]
    properties = {"kind": kind, **definition["properties"]}
    return {**definitions, name: {**definition, "properties": properties}}


def contexts_test(definitions: Definitions) -> Schema:
    """A golden test as a whole; a document of another kind is reported as such only."""
    return {
        "title": "Golden tests",
        "description": definitions[ContextsTest.__name__]["description"],
        **one_of_kinds("kind", {TEST_KIND: ContextsTest.__name__}, definitions),
    }


def _alone(key: str, names: Schema, others: Sequence[str]) -> Schema:
    """No other key is next to one that says what a text is; a mistake in it is reported alone."""
    said = {"if": {"type": "string"}, "then": names, "else": {"type": "object"}}
    none = {"not": {}, "errorMessage": ERROR_ALONE}
    return {
        "if": {"required": [key], "properties": {key: said}},
        "then": {"properties": dict.fromkeys(others, none)},
    }


def _name_or_mapping(schema: Schema) -> Schema:
    return {
        "description": schema["description"],
        "type": ["string", "object", "null"],
        "examples": schema["examples"],
        "allOf": [
            {
                "if": {"type": "string"},
                "then": {"enum": schema["enum"]},
                "else": reference("ErrorExpectation"),
            }
        ],
    }
