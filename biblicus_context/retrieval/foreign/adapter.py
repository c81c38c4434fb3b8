"""What the adapters of retrievers of other libraries have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Callable
from typing import Any

from biblicus_context.retrieval.foreign.answers import entries_of
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest
from biblicus_context.retrieval.requests.two_ways import TwoWays


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
