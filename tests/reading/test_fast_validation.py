"""What strict typed reading accepts, the schema accepts: so most documents need no schema check."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft7Validator

from biblicus_context.reading import PlanDocument, read_documents
from biblicus_context.reading.fast_validation import proven
from biblicus_context.reading.kinds import declare
from biblicus_context.reading.yaml.documents import read_trees
from biblicus_context.reading.yaml.tree import Tree
from generators.schemas.documents import schemas
from tests.reading.examples import BAD, GOOD
from tests.reading.mutations import WRONG_VALUES, with_one_mistake

VALIDATOR = Draft7Validator(schemas()["project"])
CONVERTED = (True, "5", "true", 1.0, [], {}, "", 0, [5], [None], {"type": "tail"}, {"name": 5})
"""Values that models convert for Python, or take in some places only."""


def _trees(files: list[Any]) -> list[Tree]:
    return [
        tree
        for file in files
        for tree in read_trees(file.read_bytes(), str(file))
        if isinstance(tree, Tree)
    ]


@pytest.mark.parametrize("tree", _trees([*GOOD, *BAD]), ids=lambda tree: tree.file[-40:])
def test_a_proven_example_fits_the_schema_and_means_the_same(tree: Tree):
    known = proven(tree.root.value)
    if known is not None:
        assert VALIDATOR.is_valid(tree.root.value)
        assert isinstance(tree.root.value, dict)
        assert known == declare(tree.root.value)


def test_nearly_all_good_examples_are_proven():
    trees = _trees(GOOD)
    assert sum(proven(tree.root.value) is None for tree in trees) < len(trees) / 20


@settings(max_examples=4 * settings().max_examples)
@given(with_one_mistake(lambda path: True, (*WRONG_VALUES, *CONVERTED)))
def test_a_proven_document_fits_the_schema_and_means_the_same(document: dict[str, Any]):
    known = proven(document)
    if known is not None:
        assert VALIDATOR.is_valid(document)
        assert known == declare(document)


@given(with_one_mistake(lambda path: True, (*WRONG_VALUES, *CONVERTED)))
def test_a_document_is_read_if_and_only_if_it_fits_the_schema(document: dict[str, Any]):
    found = read_documents(json.dumps(document), "plan.yaml")
    if isinstance(found[0], PlanDocument):
        assert VALIDATOR.is_valid(document)
