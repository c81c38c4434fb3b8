"""Shorter spellings that the models accept: a word for a mapping, a list of names."""

from __future__ import annotations

from functools import partial

from generators.schemas.shapes import Definitions, Schema, with_property


def with_shorthands(definitions: Definitions) -> Definitions:
    """Every shorter spelling next to its long form."""
    inputs = partial(_inputs, definitions["InputSpec"])
    longer = with_property(definitions, "ContextDeclaration", "inputs", inputs)
    longer = with_property(longer, "ContextDeclaration", "packs", _packs)
    return with_property(longer, "FirstSpec", "first", _first)


def _inputs(described: Schema, schema: Schema) -> Schema:
    """By name, an input or only its type; or a list of inputs and names."""
    only_type = {"if": {"type": "string"}, "then": described["properties"]["type"]}
    by_name = {**schema["additionalProperties"], "type": ["string", "object", "null"], **only_type}
    entry = {
        **described,
        "type": ["string", "object"],
        "required": ["name"],
        "properties": {
            "name": {"description": "The name that callers use.", "type": "string"},
            **described["properties"],
        },
    }
    return {
        **schema,
        "type": ["object", "array", "null"],
        "additionalProperties": by_name,
        "items": entry,
    }


def _packs(schema: Schema) -> Schema:
    """One name, or a list of names and packs."""
    entry = {**schema["items"], "type": ["string", "object"], "minLength": 1}
    return {**schema, "type": ["string", "array", "null"], "minLength": 1, "items": entry}


def _first(schema: Schema) -> Schema:
    """A plain text stands for a system message."""
    return {**schema, "items": {**schema["items"], "type": ["string", "object"]}}
