"""The JSON Schemas of what files may say, made from the spec models.

`python -m generators.schemas.documents` writes them into `schemas/`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from pydantic.json_schema import models_json_schema

from biblicus_context.reading.kinds import MODELS
from biblicus_context.spec.base import Spec
from biblicus_context.spec.contexts_test import TEST_KIND, ContextsTest
from biblicus_context.spec.format import FormatSpec
from biblicus_context.spec.policy import ContextPolicySpec
from generators.schemas.across_fields import with_rules
from generators.schemas.compactors import with_compactors
from generators.schemas.golden_tests import (
    contexts_test,
    with_expected_errors,
    with_test_kind,
)
from generators.schemas.settings import with_settings
from generators.schemas.shapes import (
    Definitions,
    Schema,
    one_of_kinds,
    references,
    simple_definition,
)
from generators.schemas.shorthands import with_shorthands
from generators.schemas.words import in_words

# Editors know this draft best; at a newer one some of them warn or guess.
_DRAFT = "http://json-schema.org/draft-07/schema#"

_NEXT_TO_NAME: Mapping[str, type[Spec]] = {"policy": ContextPolicySpec, "format": FormatSpec}

_PASSES: Sequence[Callable[[Definitions], Definitions]] = (
    with_compactors,
    with_shorthands,
    with_settings,
    with_rules,
    with_expected_errors,
    with_test_kind,
)


def schemas() -> dict[str, Schema]:
    """One schema for each kind of document, `project` for any of them, and one for golden tests."""
    definitions = _definitions()
    documents = {kind: _document(kind, definitions) for kind in MODELS}
    names = {kind: model.__name__ for kind, model in MODELS.items()}
    definitions = {**definitions, **{names[kind]: documents[kind] for kind in MODELS}}
    project = {
        "title": "Any document of a project",
        "description": "A context, policy, format, retriever, corpus or compactor, depending on `kind`.",
        **one_of_kinds("kind", names, definitions),
    }
    tests = contexts_test(definitions)
    single = {kind: {"title": f"A {kind}", "type": "object", **documents[kind]} for kind in MODELS}
    return {
        name: _complete(schema, definitions)
        for name, schema in {**single, "project": project, TEST_KIND: tests}.items()
    }


def published() -> dict[str, Schema]:
    """The schemas as they are in their files, in the words of the plan language."""
    return {name: in_words(schema) for name, schema in schemas().items()}


def as_json(schema: Schema) -> str:
    """A schema as its file contains it."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _definitions() -> Definitions:
    models = [*MODELS.values(), ContextsTest]
    _, generated = models_json_schema([(model, "validation") for model in models])
    definitions: Definitions = {
        name: simple_definition(name, generated["$defs"]) for name in generated["$defs"]
    }
    for further in _PASSES:
        definitions = further(definitions)
    return definitions


def _document(kind: str, definitions: Definitions) -> Schema:
    definition = definitions[MODELS[kind].__name__]
    properties = definition["properties"]
    if kind in _NEXT_TO_NAME:  # in a file, the fields are next to the name
        fields = definitions[_NEXT_TO_NAME[kind].__name__]["properties"]
        properties = {"name": properties["name"], **fields}
    return {
        **definition,
        "required": ["kind", *(key for key in definition["required"] if key in properties)],
        "properties": {
            "kind": {"description": "Kind of this document.", "const": kind},
            **properties,
        },
    }


def _complete(schema: Schema, definitions: Definitions) -> Schema:
    used: set[str] = set()
    waiting = set(references(schema))
    while waiting:
        name = waiting.pop()
        used.add(name)
        waiting |= set(references(definitions[name])) - used
    return {
        "$schema": _DRAFT,
        **schema,
        "definitions": {name: definitions[name] for name in sorted(used)},
    }
