"""Checks one document's values against a published schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from biblicus_context.reading.shipped import shipped
from biblicus_context.reading.yaml.tree import Step, Value

if TYPE_CHECKING:
    from jsonschema import Draft7Validator

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
    seen = set()
    for error in _validator(schema_name).iter_errors(value):
        path = tuple(error.absolute_path)
        # A rule is known by its identity: the schema is read once, and never changed.
        if (path, error.validator, id(error.schema)) not in seen:
            seen.add((path, error.validator, id(error.schema)))
            yield SchemaViolation(path, str(error.validator), dict(error.schema))


def definition(name: str) -> Schema:
    """A part of a plan by its name in the schema; empty if there is none."""
    found: Schema = _schema("project")["definitions"].get(name, {})
    return found


@cache
def _validator(schema_name: SchemaName) -> Draft7Validator:
    # Most files never need it, as typed reading proves that they fit.
    from jsonschema import Draft7Validator

    return Draft7Validator(_schema(schema_name))


@cache
def _schema(schema_name: SchemaName) -> Schema:
    file = shipped("schemas") / f"{schema_name}.schema.json"
    schema: Schema = json.loads(file.read_text(encoding="utf-8"))
    return schema
