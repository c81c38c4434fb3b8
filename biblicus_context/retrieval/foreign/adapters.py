"""The adapter around a retriever of another library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from biblicus_context.errors import InputError
from biblicus_context.retrieval.foreign.adapter import ForeignRetriever
from biblicus_context.retrieval.foreign.haystack import HaystackAdapter
from biblicus_context.retrieval.foreign.langchain import LangChainAdapter
from biblicus_context.retrieval.foreign.llama_index import LlamaIndexAdapter
from biblicus_context.retrieval.foreign.recognition import (
    is_foreign_retriever,
    is_langchain,
    is_llama_index,
)

_RETRIEVERS: Final = (
    "a callable",
    "a retriever of LangChain or LlamaIndex",
    "a retriever component of Haystack",
)


def adapted(value: object, *, place: str) -> ForeignRetriever:
    """The adapter; anything else than a retriever of another library is an InputError."""
    if not is_foreign_retriever(value):
        raise InputError(
            "this is not a retriever",
            place=place,
            found=type(value).__name__,
            valid=_RETRIEVERS,
            fix="Pass its as_retriever()." if hasattr(value, "as_retriever") else None,
        )
    try:
        return _adapter_for(value)(value)
    except InputError as error:
        raise error.at(place) from None


def _adapter_for(value: object) -> Callable[[Any], ForeignRetriever]:
    if is_langchain(value):
        return LangChainAdapter
    return LlamaIndexAdapter if is_llama_index(value) else HaystackAdapter
