"""Retrievers of other libraries: how each is asked."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from biblicus_context.errors import InputError
from biblicus_context.retrieval.foreign.answers import entries_of
from biblicus_context.retrieval.foreign.known import (
    is_foreign_retriever,
    is_langchain,
    is_llama_index,
)
from biblicus_context.retrieval.requests.abilities import TwoWays
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest

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


class ForeignRetriever(TwoWays):
    """Asks a retriever of another library, which knows no offset: once for `offset + limit`, then sliced."""

    def __call__(self, request: ContextRetrieverRequest) -> object:
        """The page of a request."""
        return _page(self.found(request.query, request.offset + request.limit), request)

    @property
    def asynchronous(self) -> Callable[[ContextRetrieverRequest], Awaitable[object]] | None:
        """The same as a coroutine function; None if the library would block the event loop."""
        return self._apage if self.is_async else None

    @property
    def is_async(self) -> bool:
        """Whether `afound` waits without blocking."""
        return True

    @abstractmethod
    def found(self, query: str, most: int) -> Any:
        """The best `most` documents, or more or fewer where the library takes no number."""

    @abstractmethod
    async def afound(self, query: str, most: int) -> Any:
        """The same without blocking."""

    def warm_up(self) -> None:
        """Load what the first query needs, where the library has a way to say so."""
        return

    async def _apage(self, request: ContextRetrieverRequest) -> object:
        return _page(await self.afound(request.query, request.offset + request.limit), request)


def _page(found: object, request: ContextRetrieverRequest) -> object:
    entries = entries_of(found)
    if entries is None:
        return None if request.offset else found
    return [*entries[request.offset : request.offset + request.limit]]


@dataclass(frozen=True)
class LangChainAdapter(ForeignRetriever):
    """Passes the number of documents to retrievers over vector stores; others have one of their own."""

    retriever: Any

    def found(self, query: str, most: int) -> Any:
        """What `invoke` returns."""
        return self.retriever.invoke(query, **self._number(most))

    async def afound(self, query: str, most: int) -> Any:
        """What `ainvoke` returns."""
        return await self.retriever.ainvoke(query, **self._number(most))

    def _number(self, most: int) -> dict[str, int]:
        # `search_kwargs` is the documented field of retrievers over vector stores, and arguments of
        # `invoke` take precedence over it. Other Runnables may refuse an argument they do not know.
        return {"k": most} if hasattr(self.retriever, "search_kwargs") else {}


@dataclass(frozen=True)
class LlamaIndexAdapter(ForeignRetriever):
    """Sets `similarity_top_k`, where the retriever has it, on a copy: the caller's stays as it is."""

    retriever: Any

    @property
    def is_async(self) -> bool:
        """Whether its author wrote `_aretrieve`; that of the base class blocks the event loop."""
        kind = type(self.retriever)
        return _definer(kind, "_aretrieve") is not _definer(kind, "aretrieve")

    def found(self, query: str, most: int) -> Any:
        """What `retrieve` returns."""
        return self._returning(most).retrieve(query)

    async def afound(self, query: str, most: int) -> Any:
        """What `aretrieve` returns."""
        return await self._returning(most).aretrieve(query)

    def _returning(self, most: int) -> Any:
        if getattr(self.retriever, "similarity_top_k", None) in (None, most):
            return self.retriever
        own = copy.copy(self.retriever)
        own.similarity_top_k = most
        return own


def _definer(kind: type, method: str) -> type | None:
    return next((each for each in kind.__mro__ if method in vars(each)), None)


@dataclass(frozen=True)
class HaystackAdapter(ForeignRetriever):
    """Passes `top_k` to components that have this input."""

    retriever: Any

    def __post_init__(self) -> None:
        if "query" not in self.retriever.__haystack_input__:
            raise InputError(
                "this component of Haystack has no input 'query'",
                found=type(self.retriever).__name__,
                fix="Put an embedding retriever and its text embedder into a TextEmbeddingRetriever.",
            )

    @property
    def is_async(self) -> bool:
        """Whether the component has `run_async`."""
        return bool(getattr(self.retriever, "__haystack_supports_async__", False))

    def found(self, query: str, most: int) -> Any:
        """What `run` returns."""
        return self.retriever.run(**self._inputs(query, most))

    async def afound(self, query: str, most: int) -> Any:
        """What `run_async` returns."""
        return await self.retriever.run_async(**self._inputs(query, most))

    def warm_up(self) -> None:
        """Load what the component needs, if it says so."""
        if hasattr(self.retriever, "warm_up"):
            self.retriever.warm_up()

    def _inputs(self, query: str, most: int) -> dict[str, Any]:
        number = {"top_k": most} if "top_k" in self.retriever.__haystack_input__ else {}
        return {"query": query, **number}
