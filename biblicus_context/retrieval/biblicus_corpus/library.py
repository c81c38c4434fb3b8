"""What is taken from the `biblicus` package, imported when it is needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from biblicus_context.errors import MissingExtraError, UnknownNameError
from biblicus_context.retrieval.biblicus_corpus.protocols import Retriever


def retriever_named(retriever_id: str) -> Retriever:
    """The retriever of this name."""
    known = _module("retrievers").available_retrievers()
    if retriever_id not in known:
        raise UnknownNameError("Retriever", retriever_id, known)
    made: Retriever = known[retriever_id]()
    return made


def query_budget(**limits: int | None) -> object:
    """What a retriever is told of the size of an answer."""
    made: object = _module("models").QueryBudget(**limits)
    return made


def _module(name: str) -> Any:
    try:
        return import_module(f"biblicus.{name}")
    except ImportError as error:
        raise MissingExtraError("biblicus", "biblicus") from error
