"""Retrievers whose answers are finished by slow calls, which are the engine's to make."""

from __future__ import annotations

from abc import ABC, abstractmethod

from biblicus_context.base.effects import Effectful
from biblicus_context.retrieval.packs.pack import ContextPack
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest


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
