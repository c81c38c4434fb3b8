"""Every field that an author may write is described, and read by something."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

import biblicus_context
import biblicus_context.spec
from biblicus_context.spec.base import Spec
from biblicus_context.spec.combined import SourceSpec
from biblicus_context.spec.embedder import EmbedderSpec
from biblicus_context.spec.retriever import RetrieverSettings
from biblicus_context.stores.filters import WRITTEN

ROOT = Path(biblicus_context.__file__).parent
FOR_READERS = {"description", "example"}
"""Written for people; they reach editors and documentation through the schemas."""

PASSING_ON = (EmbedderSpec, RetrieverSettings, SourceSpec)
"""What other packages add has settings of its own."""


def models() -> list[type[BaseModel]]:
    found: list[type[BaseModel]] = []
    for module in pkgutil.iter_modules(biblicus_context.spec.__path__):
        loaded = importlib.import_module(f"biblicus_context.spec.{module.name}")
        found += [
            value
            for value in vars(loaded).values()
            if isinstance(value, type) and issubclass(value, Spec) and value is not Spec
        ]
    return sorted(set(found), key=lambda model: model.__name__)


def reads(tree: ast.AST) -> Iterator[str]:
    """Attributes that are read, names a pattern matches on, and keys that a row of a table is `written` as."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "written":
            yield from (each.value for each in [node.value] if isinstance(each, ast.Constant))
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield node.attr
        elif isinstance(node, ast.MatchClass):
            yield from node.kwd_attrs


@pytest.fixture(scope="module")
def names_read_outside_spec() -> set[str]:
    files = [path for path in ROOT.rglob("*.py") if "spec" not in path.relative_to(ROOT).parts]
    by_name = {name for path in files for name in reads(ast.parse(path.read_text("utf-8")))}
    return by_name.union(*(key.split(".") for key in WRITTEN.values()))


FIELDS = [
    pytest.param(model, name, id=f"{model.__name__}.{name}")
    for model in models()
    for name in model.model_fields
]


def test_the_walk_finds_the_models():
    names = {model.__name__ for model in models()}
    assert {"ContextDeclaration", "ContextPolicySpec", "HistoryInsertSpec", "FramingSpec"} <= names


@pytest.mark.parametrize(("model", "name"), FIELDS)
def test_a_field_that_an_author_may_write_is_read_outside_the_models(
    model: type[BaseModel], name: str, names_read_outside_spec: set[str]
):
    assert name in names_read_outside_spec or name in FOR_READERS


@pytest.mark.parametrize(("model", "name"), FIELDS)
def test_a_field_that_an_author_may_write_is_described(model: type[BaseModel], name: str):
    field = model.model_fields[name]
    is_tag = name == "type" and "Literal" in str(field.annotation)
    assert field.description or is_tag or is_model(field.annotation)


def is_model(annotation: object) -> bool:
    """A field that holds a whole model is described by that model."""
    return isinstance(annotation, type) and issubclass(annotation, Spec)


@pytest.mark.parametrize("model", models(), ids=lambda model: model.__name__)
def test_a_model_says_in_one_sentence_what_it_is(model: type[BaseModel]):
    first = (model.__doc__ or "").strip().splitlines()[0]
    assert first.endswith(".")


@pytest.mark.parametrize("model", models(), ids=lambda model: model.__name__)
def test_a_model_is_frozen_and_knows_every_key(model: type[BaseModel]):
    assert model.model_config["frozen"] is True
    assert model.model_config["extra"] == ("allow" if model in PASSING_ON else "forbid")
