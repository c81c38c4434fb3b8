"""How long answers are remembered."""

from __future__ import annotations

from pydantic import Field

from biblicus_context.spec.base import StrictSpec


class CacheSpec(StrictSpec):
    """How long answers are remembered; a write to the corpus is never missed."""

    ttl_seconds: float = Field(
        default=300, gt=0, le=31_536_000, description="How long an answer is remembered."
    )
    max_entries: int = Field(
        default=100, ge=1, le=1_000_000, description="Number of answers at most."
    )
    similar: float | None = Field(
        default=None,
        gt=0,
        le=1,
        description="Also take the answer of a query whose vector is at least this similar; needs a "
        "corpus with an embedder.",
        examples=[0.97],
    )
