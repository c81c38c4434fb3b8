"""Retrievers that can be called and awaited."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable

from biblicus_context.retrieval.requests.request import ContextRetrieverRequest


class TwoWays(ABC):
    """Base of a retriever that sync callers call and async callers await."""

    @abstractmethod
    def __call__(self, request: ContextRetrieverRequest) -> object:
        """The page of a request."""

    @property
    @abstractmethod
    def asynchronous(self) -> Callable[[ContextRetrieverRequest], Awaitable[object]] | None:
        """The same as a coroutine function; None if it would block the event loop."""

    @abstractmethod
    def warm_up(self) -> None:
        """Load what the first query needs."""
