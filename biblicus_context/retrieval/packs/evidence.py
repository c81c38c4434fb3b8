"""What a retriever says of a block: in the block's own fields, else in its metadata."""

from __future__ import annotations

from math import isfinite

from biblicus_context.retrieval.packs.pack import ContextPackBlock


def score_of(block: ContextPackBlock | None) -> float | None:
    """The score, where there is a number; JSON has no infinity, and NaN is not a score."""
    if block is None:
        return None
    score = block.score if block.score is not None else (block.metadata or {}).get("score")
    return float(score) if isinstance(score, int | float) and isfinite(score) else None


def source_of(block: ContextPackBlock | None) -> str | None:
    """Where the block comes from."""
    if block is None:
        return None
    source = block.source or (block.metadata or {}).get("source_uri")
    return None if source is None else str(source)
