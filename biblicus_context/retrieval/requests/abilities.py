"""What a retriever may be able to do besides being called; the engine asks for each by its class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import Protocol, runtime_checkable

from biblicus_context.base.effects import Effectful
from biblicus_context.retrieval.packs.pack import ContextPack
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


class InTwoSteps(ABC):
    """Base of a retriever that finds blocks first, and then has slow calls made for them.

    The engine makes these calls as any other: in the event loop of the caller, side by side. Only
    whoever calls the retriever itself waits for them in its own thread.
    """

    @abstractmethod
    def __call__(self, request: ContextRetrieverRequest) -> ContextPack:
        """The finished page of a request."""

    @property
    @abstractmethod
    def computes(self) -> bool:
        """Whether the first step computes, and never waits for another machine."""

    @property
    def joins(self) -> bool:
        """Whether the first step waits for nothing but what it reads from another machine."""
        return False

    @abstractmethod
    def unfinished(self, request: ContextRetrieverRequest) -> ContextPack:
        """The page as it is found, without slow calls."""

    @abstractmethod
    def finished(
        self, pack: ContextPack, request: ContextRetrieverRequest
    ) -> Effectful[ContextPack]:
        """The page with what the slow calls make of it."""


class FillsShare:
    """Base of a retriever that returns what `max_tokens` holds, and reads no further.

    Without a `limit` in the plan it is asked once, for one block per token of the share: a limit
    that never binds. Any other callable is asked for three blocks, as it may return all of them
    whatever their size.
    """

    def fills_share(self, *, over_corpus: bool) -> bool:
        """Whether it does so for a pack; `over_corpus`: the plan declares it over a corpus of ours."""
        del over_corpus
        return True


@runtime_checkable
class CanWarmUp(Protocol):
    """A retriever with a method `warm_up`."""

    def warm_up(self) -> object:
        """Load what the first query needs."""
        ...
