"""What it takes to ask one source of a combined retriever, and the block that comes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from biblicus_context.assembly.steps.parts import RetrieverSource
from biblicus_context.errors import RetrieverError
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.packs.pack import ContextPackBlock

if TYPE_CHECKING:
    from biblicus_context.retrieval.choosing.combination import Combination
    from biblicus_context.spec.combined import SourceSpec


class SourceCall(NamedTuple):
    """What it takes to ask one source, or a combined retriever as a whole."""

    name: str
    source: RetrieverSource
    query: str
    metadata: Mapping[str, Any]
    now: datetime
    """The moment of the call, for recency."""
    timeout: float | None = None
    spec: SourceSpec | None = None
    """None for the combined retriever of a pack."""
    sources: tuple[SourceCall, ...] = ()
    """Of a combined retriever."""
    written: Callable[[ContextPackBlock], str] | None = None
    """How the pack writes a block; None: as it is."""
    elsewhere: Mapping[str, str] = MappingProxyType({})
    """Blocks that another pack has, by id, with what says so: they take no place on a page."""

    @property
    def combination(self) -> Combination:
        """How its sources become one ranking."""
        assert self.source.combined is not None
        return self.source.combined.combination


def failure_of(error: RetrieverError, name: str) -> str:
    """Why the retriever of this name failed; the source is named if it was one of them."""
    return error.reason if error.pack == name else f"source '{error.pack}' {error.reason}"


def block_of(placed: Candidate) -> ContextPackBlock:
    """The block as it is placed, with the facts that name its sources."""
    block = placed.offered
    assert block is not None
    parts = {name: round(part, 4) for name, part in placed.parts.items()}
    changed = {
        "evidence_item_id": placed.id,
        "text": placed.text,
        "score": placed.score,
        "metadata": {**(block.metadata or {}), "parts": parts},
    }
    return block.model_copy(update=changed).carrying(placed._replace(offered=None, places={}))
