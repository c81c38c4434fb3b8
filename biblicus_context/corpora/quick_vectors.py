"""What is known of the first vectors of an index, until those of its slow embedder are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import process_time
from typing import TYPE_CHECKING, Final, NamedTuple

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.embedders import CachedEmbedder, Embedder

if TYPE_CHECKING:
    from biblicus_context.embedders import Vectors

_QUERIES: Final = 256
_ROWS: Final = 2_000
BOUND: Final = 0.5
"""Seconds of processor that a query spends on vectors of blocks that wait."""
_FIRST: Final = 8
"""Texts of a batch whose time nobody knows yet."""
_LARGEST: Final = 32
"""Texts of a batch: texts differ in length, so a larger one could take longer than foreseen."""


class MadeNow(NamedTuple):
    """The blocks whose vectors were made for a query, and how many waited before that."""

    blocks: frozenset[str]
    waiting: int


@dataclass(slots=True)
class MadeForQuery:
    """What one query has made of blocks that wait, and what that took."""

    rows: dict[str, bytes] = field(default_factory=dict)
    """By block."""
    seconds: float = 0.0


@dataclass(slots=True)
class MissingVectors:
    """What searches by meaning cannot find."""

    blocks: int = 0
    """Blocks of the last search that were written without the embedder, or with another one."""


@dataclass(slots=True)
class QuickVectors:
    """What made the first vectors of an index, and what searches by them found out."""

    embedder: Embedder
    waiting: int = 0
    """Blocks of the last search that waited for their vectors."""
    embedded: int = 0
    """How many of them it embedded."""
    asked_for: set[str] = field(default_factory=set)
    """Documents with vectors that were made for searches, and are not stored yet."""
    rows: BoundedMemory[str, bytes] = field(default_factory=lambda: BoundedMemory(_ROWS))
    """These vectors, by the keys of their texts."""
    seconds_a_text: float | None = None
    """What the embedder took for a text when it was measured last; None: it was not yet."""
    made: BoundedMemory[object, MadeNow] = field(default_factory=lambda: BoundedMemory(_QUERIES))
    """By query: it pays for its best blocks once."""

    def fitting(self, spent: float) -> int:
        """How many texts to embed next for a query that has spent so many seconds; 0: it has to stop.

        A query embeds one text at least: what was measured once, on a busy machine, need not hold.
        """
        left = BOUND - spent
        if left <= 0:
            return 0
        if self.seconds_a_text is None:
            return _FIRST
        if left >= _LARGEST * self.seconds_a_text:
            return _LARGEST
        return max(int(left / self.seconds_a_text), 0 if spent else 1)

    def timed(self, embedder: CachedEmbedder, texts: Sequence[str]) -> tuple[Vectors, float]:
        """The vectors of texts, and the seconds of processor that they took."""
        began, known = process_time(), embedder.statistics.misses
        rows = embedder.embed(texts)
        seconds = process_time() - began
        if fresh := embedder.statistics.misses - known:
            self.seconds_a_text = seconds / fresh
        return rows, seconds

    def taken(self) -> set[str]:
        """The documents to store; the next call returns later ones."""
        documents, self.asked_for = self.asked_for, set()
        return documents
