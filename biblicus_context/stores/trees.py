"""Reads of the tree of documents, each of many documents at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from biblicus_context.stores.model import Document
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.results import Sibling

MOST_LEVELS: Final = 50
"""How far upwards a tree is followed."""


class Trees(Protocol):
    """Children of a document are in the order of their positions, then of their ids.

    Those without a position come last. What a principal cannot see is not there: a chain of parents
    ends at a hidden one, and siblings around a hidden one are next to each other.
    """

    def lineage(
        self,
        principal: Principal,
        ids: Sequence[str],
        *,
        levels: int = MOST_LEVELS,
        at: int | None = None,
    ) -> tuple[Document, ...]:
        """These documents and what they are inside, up to so many levels above, ordered by id."""
        ...

    def children(
        self,
        principal: Principal,
        parents: Sequence[str],
        *,
        limit: int = 100,
        at: int | None = None,
    ) -> tuple[Document, ...]:
        """The first children of each of these, in the order of the parents: up to `limit` of each.

        A parent need not be a document, or one that the principal can see.
        """
        ...

    def siblings(
        self,
        principal: Principal,
        ids: Sequence[str],
        *,
        reach: int,
        at: int | None = None,
    ) -> tuple[Sibling, ...]:
        """The nearest siblings of each of these, up to `reach` on each side, in their order."""
        ...
