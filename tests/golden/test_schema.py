"""The schema of golden tests: generated, complete, and of one mind with the models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from jsonschema import Draft7Validator
from pydantic import BaseModel, ValidationError

from biblicus_context import errors
from biblicus_context.assembly.history.selection import ROLES
from biblicus_context.assembly.result.receipt import Action as ReceiptAction
from biblicus_context.errors import ContextError, LoadError
from biblicus_context.golden.suite.suite import proven_test, read_suite
from biblicus_context.reading.schema_errors import LIMITS
from biblicus_context.reading.validator import SchemaName
from biblicus_context.spec.base import Spec
from biblicus_context.spec.contexts_test import TEST_KIND, ContextsTest
from biblicus_context.spec.expectation import Action, ErrorName
from biblicus_context.spec.recorded import Role
from generators.schemas.documents import schemas
from tests.golden.mutations import DOCUMENTS, with_one_mistake
from tests.reading.mutations import WRONG_VALUES
from tests.reading.test_fast_validation import CONVERTED
from tests.reading.test_schema import UNDERSTOOD, _keywords

SCHEMA = schemas()[TEST_KIND]
DEFINITIONS = SCHEMA["definitions"]
VALIDATOR = Draft7Validator(SCHEMA)


def _models() -> list[type[Spec]]:
    found: dict[str, type[Spec]] = {}
    waiting: list[Any] = [ContextsTest]
    while waiting:
        each = waiting.pop()
        if isinstance(each, type) and issubclass(each, BaseModel):
            if each.__name__ not in found:
                found[each.__name__] = each
                waiting += [field.annotation for field in each.model_fields.values()]
        else:
            waiting += getattr(each, "__args__", ())
    return list(found.values())


def test_the_schema_is_one_that_editors_understand() -> None:
    Draft7Validator.check_schema(SCHEMA)
    assert set(_keywords(SCHEMA)) <= UNDERSTOOD


def test_every_bound_in_the_schema_has_words_for_its_violation() -> None:
    bounds = {key for key in _keywords(SCHEMA) if key.startswith(("min", "max", "exclusive"))}
    assert bounds <= set(LIMITS)
    lengths = {("minLength", "minItems")}
    assert all(_only_ones(DEFINITIONS, key) for keys in lengths for key in keys)


def _only_ones(schema: Any, keyword: str) -> bool:
    """Whether the words "must not be empty" are true wherever this keyword stands."""
    if isinstance(schema, list):
        return all(_only_ones(part, keyword) for part in schema)
    if not isinstance(schema, dict):
        return True
    return schema.get(keyword, 1) == 1 and all(
        _only_ones(each, keyword) for each in schema.values()
    )


@pytest.mark.parametrize("model", _models(), ids=lambda model: model.__name__)
def test_every_field_of_a_model_is_in_the_schema_with_a_description(model: type[Spec]) -> None:
    properties = DEFINITIONS[model.__name__]["properties"]
    for name, field in model.model_fields.items():
        assert properties[name]["description"].endswith(".")
        if field.examples:
            assert properties[name]["examples"] == field.examples
        if field.default not in (None, ...) and not field.is_required():
            default = list(field.default) if isinstance(field.default, tuple) else field.default
            assert properties[name]["default"] == default


def test_every_model_is_in_the_schema_and_nothing_else() -> None:
    assert {model.__name__ for model in _models()} == set(DEFINITIONS)


def test_the_kind_has_one_name() -> None:
    assert TEST_KIND in get_args(SchemaName)
    assert SCHEMA["properties"]["kind"]["enum"] == [TEST_KIND]


def test_roles_and_actions_are_those_of_the_engine() -> None:
    assert set(get_args(Role)) == set(ROLES)
    assert get_args(Action) == get_args(ReceiptAction)


def test_an_expected_error_is_one_that_an_assembly_can_end_with() -> None:
    known = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, ContextError)
    }
    assert set(get_args(ErrorName)) <= known
    of_files = {name for name in known if issubclass(getattr(errors, name), LoadError)}
    assert known - set(get_args(ErrorName)) - of_files <= {"EmbedderError", "FormatError"}


@settings(max_examples=2 * settings().max_examples)
@given(with_one_mistake())
def test_the_schema_and_the_models_accept_the_same(document: dict[str, Any]) -> None:
    assert VALIDATOR.is_valid(document) == _fits_models(document)


@settings(max_examples=4 * settings().max_examples)
@given(with_one_mistake((*WRONG_VALUES, *CONVERTED)))
def test_a_proven_document_fits_the_schema_and_means_the_same(document: dict[str, Any]) -> None:
    known = proven_test(document)
    if known is not None:
        assert VALIDATOR.is_valid(document)
        fields = {key: value for key, value in document.items() if key != "kind"}
        assert known == ContextsTest.model_validate(fields)


def test_nearly_all_good_examples_are_proven() -> None:
    assert sum(proven_test(each) is None for each in DOCUMENTS) <= len(DOCUMENTS) / 10


@settings(max_examples=2 * settings().max_examples)
@given(with_one_mistake(WRONG_VALUES))
def test_one_mistake_gives_one_message(document: dict[str, Any]) -> None:
    try:
        read_suite(json.dumps(document), Path("x.test.yaml"))
    except errors.ProjectError as error:
        pytest.fail(str(error))
    except LoadError:
        pass


def _fits_models(document: dict[str, Any]) -> bool:
    fields = dict(document)
    if fields.pop("kind", None) != TEST_KIND:
        return False
    try:
        ContextsTest.model_validate(fields)
    except ValidationError:
        return False
    return True
