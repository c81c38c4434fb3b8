"""Every type in a public signature can be imported from the package or from a room."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

import biblicus_context
from biblicus_context import (
    assembly,
    base,
    corpora,
    embedders,
    errors,
    formats,
    ingest,
    reading,
    retrieval,
    spec,
    stores,
    text,
)

OWN = "biblicus_context"
INSIDE = {
    # Columns of numpy, and what a filter is made of below the stores.
    *("Bound", "Condition", "Flags", "Integers", "Numbers", "Rows", "Scalar"),
    # The named arguments of an error at a place.
    "ErrorDetails",
    # What authors of databases implement: `biblicus_context.stores.source` is theirs.
    *("Source", "Expected"),
    # An image of a message, as the engine passes it to a rule; what an ingest does with recalled texts.
    *("Size", "Quotations"),
    # How the engine runs compactors; authors override `compact`.
    "Effectful",
    # Results are made by an assembler, and corpora by `Corpus.open`.
    *("Draft", "CorpusSettings", "HistorySettings"),
}
ROOMS = (assembly, corpora, embedders, formats, ingest, reading, retrieval, spec, stores, text)
CALLED = {*biblicus_context.__all__}.union(*(room.__all__ for room in ROOMS))
PUBLIC = CALLED | {*base.__all__, *vars(errors)}
MADE = {
    # A room makes these, and passes them to who has to know no more than their methods.
    *("CorpusRetriever", "Found", "PlanDocument", "SearchQuery", "TableContents", "View"),
}


def public_functions() -> Iterator[tuple[str, FunctionType]]:
    for name in CALLED:
        value = next(
            getattr(room, name) for room in (biblicus_context, *ROOMS) if name in dir(room)
        )
        if inspect.isfunction(value):
            yield name, value
        elif inspect.isclass(value):
            yield from methods(name, value)


def methods(name: str, kind: type) -> Iterator[tuple[str, FunctionType]]:
    for attribute, value in vars(kind).items():
        if attribute.startswith("_") and (attribute != "__init__" or name in MADE):
            continue
        function = written_function(value)
        if function is not None:
            yield f"{name}.{attribute}", function


def written_function(value: object) -> FunctionType | None:
    """The function in a method, a property or a cached property."""
    for wrapped in ("__func__", "fget", "func"):
        value = getattr(value, wrapped, value)
    return value if isinstance(value, FunctionType) else None


@cache
def imported_for_types(module: str) -> dict[str, str]:
    """The module that each name of a module comes from, imports for type checkers included."""
    tree = ast.parse(Path(str(sys.modules[module].__file__)).read_text(encoding="utf-8"))
    return {
        alias.asname or alias.name: str(node.module)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def own_names(function: FunctionType) -> set[str]:
    """The types of this package that the annotations of a function name."""
    found: set[str] = set()
    for annotation in function.__annotations__.values():
        for node in ast.walk(ast.parse(str(annotation), mode="eval")):
            if not isinstance(node, ast.Name) or node.id.startswith("_"):
                continue
            source = imported_for_types(function.__module__).get(node.id)
            own = inspect.getmodule(function)
            if (source or "").startswith(OWN) or (
                source is None and not inspect.ismodule(getattr(own, node.id, sys))
            ):
                found.add(node.id)
    return found


FUNCTIONS = sorted(public_functions(), key=lambda each: each[0])


@pytest.mark.parametrize(("name", "function"), FUNCTIONS, ids=[name for name, _ in FUNCTIONS])
def test_the_types_of_a_signature_are_public(name: str, function: Any):
    missing = own_names(function) - INSIDE - PUBLIC
    missing = {each for each in missing if not is_type_variable(function, each)}
    assert missing == set()


def is_type_variable(function: FunctionType, name: str) -> bool:
    return type(getattr(inspect.getmodule(function), name, None)).__name__ == "TypeVar"


def test_there_are_signatures_to_look_at():
    names = {name for name, _ in FUNCTIONS}
    assert {"ContextAssembler.__init__", "ContextAssembler.assemble", "load_project"} <= names
    assert "Retriever" in own_names(biblicus_context.ContextAssembler.assemble)
