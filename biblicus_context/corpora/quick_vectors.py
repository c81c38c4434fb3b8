"""What is known of the first vectors of an index, until those of its slow embedder are there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.embedders import Embedder

_QUERIES: Final = 256


class MadeNow(NamedTuple):
    """The blocks whose vectors were made for a query, and how many waited before that."""

    blocks: frozenset[str]
    waiting: int


@dataclass(slots=True)
class QuickVectors:
    """What made the first vectors of an index, and what searches by them found out."""

    embedder: Embedder
    waiting: int = 0
    """Blocks of the last search that waited for their vectors."""
    asked_for: set[str] = field(default_factory=set)
    """Documents with vectors that were made for searches, and are not stored yet."""
    made: BoundedMemory[object, MadeNow] = field(default_factory=lambda: BoundedMemory(_QUERIES))
    """By query: it pays for its best blocks once."""

    def taken(self) -> set[str]:
        """The documents to store; the next call returns later ones."""
        documents, self.asked_for = self.asked_for, set()
        return documents
