"""Retrievers of other libraries, each known by its methods."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol


def is_foreign_retriever(value: object) -> bool:
    """Whether it is a retriever of another library."""
    return is_langchain(value) or is_llama_index(value) or _is_haystack(value)


def is_langchain(value: object) -> bool:
    """Whether it is a retriever of LangChain."""
    return _has_methods(value, "invoke", "ainvoke")


def is_llama_index(value: object) -> bool:
    """Whether it is a retriever of LlamaIndex."""
    return _has_methods(value, "retrieve", "aretrieve")


def _is_haystack(value: object) -> bool:
    """Whether it is a retriever component of Haystack."""
    return _has_methods(value, "run") and hasattr(value, "__haystack_input__")


def _has_methods(value: object, *names: str) -> bool:
    """Whether its class has these methods: an object may pretend to have any attribute."""
    return all(callable(getattr(type(value), name, None)) for name in names)


class LangChainRetriever(Protocol):
    """A retriever of LangChain, or another Runnable from a query to documents."""

    def invoke(self, input: str, /) -> Any:  # noqa: A002 - the name is LangChain's
        """The documents of a query."""

    def ainvoke(self, input: str, /) -> Awaitable[Any]:  # noqa: A002 - as above
        """The same, awaited."""


class LlamaIndexRetriever(Protocol):
    """A retriever of LlamaIndex."""

    def retrieve(self, str_or_query_bundle: str, /) -> Any:
        """The nodes of a query."""

    def aretrieve(self, str_or_query_bundle: str, /) -> Awaitable[Any]:
        """The same, awaited."""


class HaystackRetriever(Protocol):
    """A component of Haystack with an input `query` and an output `documents`."""

    @property
    def run(self) -> Callable[..., Any]:
        """Runs the component."""
