"""A page of a combined retriever: what it may hold, what it holds, and what it leaves out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from biblicus_context.retrieval.combined.pool import Pooled
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.text.counters import Counter

Cause: TypeAlias = Literal[
    "min_score", "duplicate", "limit", "share", "maximum_total_characters", "select", "failed"
]


class PageLimits(NamedTuple):
    """What one page may hold."""

    blocks: int
    tokens: int | None
    characters: int | None
    counter: Counter
    written: Callable[[ContextPackBlock], str] | None = None
    """How the pack writes a block; None: as it is."""


class LeftOut(NamedTuple):
    """A block that was offered, and is not placed."""

    pooled: Pooled
    cause: Cause
    figure: int | None = None
    detail: str = ""


class Merged(NamedTuple):
    """A page, and everything that was offered and is on no page so far."""

    chosen: tuple[Pooled, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...] = ()
    """What was corrected in the answers of compactors."""

    @property
    def has_more(self) -> bool:
        """Whether something was left out that a larger share may hold."""
        return any(each.cause == "share" for each in self.left_out)

    @property
    def is_full(self) -> bool:
        """Whether something was left out that a further page may hold."""
        return any(each.cause == "limit" and not each.detail for each in self.left_out)
