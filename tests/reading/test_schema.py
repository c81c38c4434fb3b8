"""The published schemas: generated, complete, and of one mind with the models."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft7Validator
from pydantic import BaseModel, ValidationError

from biblicus_context.errors import PlanError
from biblicus_context.reading import read_documents
from biblicus_context.reading.kinds import MODELS, declare
from biblicus_context.reading.schema_errors import LIMITS
from biblicus_context.retrieval.requests.settings import ShapingSettings
from biblicus_context.spec.base import Spec
from biblicus_context.text.compaction import COMPACTORS
from generators.schemas.compactors import DEFINITIONS as COMPACTOR_DEFINITIONS
from generators.schemas.documents import published, schemas
from tests.reading.mutations import WRONG_VALUES, with_one_mistake

SCHEMAS = schemas()
SETTINGS = {
    *("ChunksSpec", "CorpusSettings", "QuerySpec"),
    *("EmbedderSpec", "GraniteEmbedderSpec", "OpenAIEmbedderSpec"),
}
"""Definitions of what is under `config`, which the models of documents keep as it is."""
PROJECT = SCHEMAS["project"]["definitions"]
VALIDATOR = Draft7Validator(SCHEMAS["project"])
# What yaml-language-server, VS Code and JetBrains know of draft 7; unions by trial are left out.
UNDERSTOOD = {
    *("$schema", "$ref", "definitions", "title", "description", "default", "examples"),
    *("type", "enum", "const", "not", "if", "then", "else", "allOf"),
    *("properties", "required", "additionalProperties", "items", "minItems", "maxItems"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength"),
    *("enumDescriptions", "errorMessage", "pattern", "patternErrorMessage"),
    "writeOnly",  # a note, which editors skip: a wrong value may be a secret
}


def _models() -> list[type[Spec]]:
    """Every spec model that a document may contain."""
    found: dict[str, type[Spec]] = {}
    waiting: list[Any] = [*MODELS.values()]
    while waiting:
        each = waiting.pop()
        if isinstance(each, type) and issubclass(each, BaseModel):
            if each.__name__ not in found:
                found[each.__name__] = each
                waiting += [field.annotation for field in each.model_fields.values()]
        else:
            waiting += getattr(each, "__args__", ())
    return list(found.values())


def _keywords(schema: Any) -> Iterator[str]:
    if isinstance(schema, list):
        for part in schema:
            yield from _keywords(part)
    if isinstance(schema, dict):
        yield from schema
        for keyword, part in schema.items():
            if keyword in ("properties", "definitions"):
                yield from _keywords(list(part.values()))
            elif keyword not in ("default", "examples", "enum", "const"):
                yield from _keywords(part)


def test_there_is_one_schema_for_each_kind_one_for_any_and_one_for_golden_tests():
    kinds = {"context", "policy", "format", "retriever", "corpus", "compactor"}
    assert set(SCHEMAS) == {*kinds, "project", "contexts-test"}


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_a_schema_that_editors_understand(name):
    Draft7Validator.check_schema(SCHEMAS[name])
    assert set(_keywords(SCHEMAS[name])) <= UNDERSTOOD


def test_every_bound_in_a_schema_has_words_for_its_violation():
    bounds = {key for key in _keywords(PROJECT) if key.startswith(("min", "max", "exclusive"))}
    assert bounds - {"maxItems"} <= set(LIMITS)


@pytest.mark.parametrize("model", _models(), ids=lambda model: model.__name__)
def test_every_field_of_a_model_is_in_the_schema_with_a_description(model):
    if model.__name__ in ("PolicyDeclaration", "FormatDeclaration"):
        properties = PROJECT[model.__name__]["properties"]
        kind = model.__name__.removesuffix("Declaration").lower()
        model = model.model_fields[kind].annotation
    else:
        properties = PROJECT[model.__name__]["properties"]
    for name, field in model.model_fields.items():
        described = properties[name]
        assert described["description"]
        if (
            field.default not in (None, ...)
            and not field.is_required()
            and not field.default_factory
        ):
            default = field.default
            assert described["default"] == ([*default] if isinstance(default, tuple) else default)
        if field.examples:
            assert described["examples"] == field.examples


def test_every_model_was_walked():
    names = {model.__name__ for model in _models()}
    assert {"ContextBudgetSpec", "FirstSpec", "InputSpec", "FramingSpec"} <= names
    assert set(PROJECT) - {"CompactorSettings", *COMPACTOR_DEFINITIONS.values(), *SETTINGS} <= names


def test_the_settings_of_a_retriever_are_those_the_engine_reads():
    described = PROJECT["RetrieverDeclaration"]["properties"]["config"]["properties"]
    for name, field in ShapingSettings.model_fields.items():
        if name != "corpus":
            assert described[name].get("default") == field.default


@settings(max_examples=3 * settings().max_examples)
@given(with_one_mistake())
def test_the_schema_and_the_models_accept_the_same(document):
    assert _fits_schema(document) == _fits_models(document)


@given(with_one_mistake(lambda path: path[0] == "config" and len(path) > 1, kind="compactor"))
def test_the_schema_and_the_models_accept_the_same_compactors(document):
    assert _fits_schema(document) == _fits_compactors(document["config"])


@settings(max_examples=3 * settings().max_examples)
@given(with_one_mistake(lambda path: "vars" not in path, WRONG_VALUES))
def test_one_mistake_gives_one_message(document):
    found = read_documents(json.dumps(document), "plan.yaml")
    assert len(found) == 1, found


def _fits_schema(document: dict[str, Any]) -> bool:
    return VALIDATOR.is_valid(document)


def _fits_models(document: dict[str, Any]) -> bool:
    try:
        declare(document)
    except (ValidationError, TypeError, KeyError):
        return False
    return True


def _fits_compactors(config: object) -> bool:
    if not isinstance(config, dict) or "type" not in config:
        return False
    try:
        COMPACTORS.build(config)
    except PlanError:
        return False
    inner = [config.get("fallback"), *config.get("steps", ())]
    return all(_fits_compactors(each) for each in inner if isinstance(each, dict))


@pytest.mark.parametrize("name", SCHEMAS)
def test_editors_show_words_of_the_plan_language_and_never_the_names_of_classes(name):
    text = json.dumps(published()[name])
    classes = [*SCHEMAS[name]["definitions"], *(model.__name__ for model in _models())]
    assert [each for each in classes if f'"{each}"' in text or f"/{each}" in text] == []
    assert all("title" in each for each in published()[name]["definitions"].values())
