"""Retrievers of other libraries, as type checkers know them: by the methods that are called here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol


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
