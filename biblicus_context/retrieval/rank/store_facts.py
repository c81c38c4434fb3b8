"""What a ranking asks of the store of a corpus."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest


class Counted(Protocol):
    """How many blocks there are, and how many contain each term."""

    @property
    def blocks(self) -> int:
        """The blocks that the principal may read."""
        ...

    @property
    def found(self) -> Mapping[str, int]:
        """Of these the ones with each term."""
        ...


class Use(Protocol):
    """How often a block was placed, and what feedback it got."""

    @property
    def used(self) -> int: ...
    @property
    def helpful(self) -> int: ...
    @property
    def unhelpful(self) -> int: ...


class Around(Protocol):
    """Where documents are in the tree, and what the asking user did with them."""

    def distance(self, document: str, starts: Sequence[str]) -> int | None:
        """Steps in the tree to the nearest of these documents."""
        ...

    def actions(self, document: str) -> Collection[str]:
        """What the asking user did with a document."""
        ...


class StoreFacts(NamedTuple):
    """What the store of one corpus answers, in the version that a request reads."""

    count_terms: Callable[[Sequence[str]], Counted]
    usage: Callable[[Sequence[str]], Mapping[str, Use]]
    around: Callable[[Collection[str]], Around]
    travels: bool = False
    """Whether what is asked of it travels to another machine."""
    ahead: Callable[[Sequence[Candidate]], object] | None = None
    """Asks for what else will be read of candidates, so that it travels with what they are ranked by."""


class HasStoreFacts(ABC):
    """Base of a retriever over a store that can answer what a ranking asks."""

    @abstractmethod
    def store_facts(self, request: ContextRetrieverRequest) -> StoreFacts:
        """For blocks that this request found."""
