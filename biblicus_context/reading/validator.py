"""Checks one document's values against a published schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from biblicus_context.reading.shipped import shipped
from biblicus_context.reading.yaml.tree import Step, Value

if TYPE_CHECKING:
    from jsonschema_rs import Draft7Validator

Schema: TypeAlias = dict[str, Any]
SchemaName: TypeAlias = Literal["project", "contexts-test"]
"""The schema of a whole file: any document of a project, or a golden test."""


class SchemaViolation(NamedTuple):
    """A keyword of the schema that a value does not satisfy, and its schema."""

    path: tuple[Step, ...]
    keyword: str
    rule: Schema


def violations(value: Value, schema_name: SchemaName = "project") -> Iterator[SchemaViolation]:
    """Every place where a document departs from the schema, each keyword once."""
    validator, schema = _validator(schema_name)
    seen = set()
    for error in validator.iter_errors(value):
        path, location = tuple(error.instance_path), tuple(error.schema_path)
        if (path, location) not in seen:
            seen.add((path, location))
            *steps, keyword = location
            yield SchemaViolation(path, str(keyword), _rule(schema, steps))


@cache
def _validator(schema_name: SchemaName) -> tuple[Draft7Validator, Schema]:
    from jsonschema_rs import Draft7Validator  # loaded with the first document

    file = shipped("schemas") / f"{schema_name}.schema.json"
    schema = json.loads(file.read_text(encoding="utf-8"))
    return Draft7Validator(schema), schema


def _rule(schema: Schema, steps: list[Step]) -> Schema:
    rule: Any = schema
    for step in steps:
        rule = rule[step]
    return dict(rule)
