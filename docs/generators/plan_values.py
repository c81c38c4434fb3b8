"""The type of a key of a plan in words, and the mistakes that are rejected there."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from biblicus_context.reading.mistakes import Mistake

Schema: TypeAlias = Mapping[str, Any]
Titles: TypeAlias = Mapping[str, str]
"""For the name of a definition, the link to its section."""

_WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "`true` or `false`",
    "array": "list",
    "object": "mapping",
    "null": "`null`",
}
_LIMITS: Mapping[str, Callable[[float], str]] = {
    "minimum": "at least {}".format,
    "exclusiveMinimum": "more than {}".format,
    "maximum": "at most {}".format,
    "exclusiveMaximum": "less than {}".format,
    "minLength": lambda _: "not empty",
    "minItems": lambda _: "not empty",
}
_MISTAKES: Mapping[str, Mistake] = {
    "const": "unknown-kind",
    "enum": "invalid-value",
    "type": "wrong-type",
    "minimum": "value-out-of-range",
    "exclusiveMinimum": "value-out-of-range",
    "maximum": "value-out-of-range",
    "exclusiveMaximum": "value-out-of-range",
    "minLength": "empty-value",
    "minItems": "empty-value",
}


def values(schema: Schema, titles: Titles) -> str:
    """The allowed values, such as "whole number or `null`; at least 1"."""
    choices = " or ".join(_choices(schema, titles)) or "anything"
    limits = [word(schema[limit]) for limit, word in _LIMITS.items() if limit in schema]
    return "; ".join([choices, *dict.fromkeys(limits)])


def mistakes(schema: Schema) -> Iterator[Mistake]:
    """The mistakes that the engine rejects under a key, each once."""
    yield from dict.fromkeys(mistake for keyword, mistake in _MISTAKES.items() if keyword in schema)


def written(value: object) -> str:
    """A value as YAML in one line."""
    return f"`{json.dumps(value, ensure_ascii=False)}`"


def _choices(schema: Schema, titles: Titles) -> Iterator[str]:
    if "const" in schema:
        yield written(schema["const"])
    yield from (written(value) for value in schema.get("enum", ()))
    if not {"const", "enum"} & schema.keys():
        yield from (_kind(kind, schema, titles) for kind in _types(schema))


def _types(schema: Schema) -> list[str]:
    said = schema.get("type", [])
    return sorted([said] if isinstance(said, str) else said, key="null".__eq__)


def _kind(kind: str, schema: Schema, titles: Titles) -> str:
    if kind == "array" and "items" in schema:
        return f"list (each {values(schema['items'], titles)})"
    if kind == "object":
        return _mapping(schema, titles)
    return _WORDS[kind]


def _mapping(schema: Schema, titles: Titles) -> str:
    followed = dict.fromkeys(targets(schema))
    if followed:
        return " or ".join(titles[name] for name in followed)
    by_name = schema.get("additionalProperties")
    if isinstance(by_name, Mapping):
        return f"mapping (each {values(by_name, titles)})"
    return _WORDS["object"]


def targets(schema: Schema) -> Iterator[str]:
    """The definitions that a mapping follows, whatever decides which of them."""
    for choice in schema.get("allOf", ()):
        for branch in (choice, choice.get("then", {})):
            if "$ref" in branch:
                yield branch["$ref"].rpartition("/")[2]
