"""Retrievers that compare vectors."""

from __future__ import annotations

from typing import Final, Literal, Self

from pydantic import Field, model_validator

from biblicus_context.spec.base import NameOrSettings
from biblicus_context.spec.retriever_settings.search import SearchSpec

MOST_WEIGHT: Final = 1e6
"""What a search may count at most: sums of scores stay finite."""


class VectorSpec(SearchSpec):
    """Blocks whose meaning is closest to the query."""

    retriever_id: Literal["vector"] = Field(description="Kind of retriever.")

    @property
    def compares_vectors(self) -> bool:
        """It does nothing else."""
        return True


class HybridSpec(SearchSpec):
    """Words and meaning together, with support from neighbouring and similar blocks."""

    retriever_id: Literal["hybrid"] = Field(description="Kind of retriever.")
    candidates: int = Field(
        default=200,
        ge=1,
        description="Maximum number of blocks from each of the two searches; if it is set, no "
        "further ones follow for a large share.",
    )
    turn_candidates: int = Field(
        default=500, ge=1, description="Like candidates, if they include turns of conversations."
    )
    text_weight: float = Field(
        default=1.0, ge=0, le=MOST_WEIGHT, description="Weight of the words."
    )
    vector_weight: float | None = Field(
        default=None,
        ge=0,
        le=MOST_WEIGHT,
        description="Weight of the meaning. Default: chosen for the embedder.",
    )
    fusion: NameOrSettings = Field(
        default="standard_scores",
        description="How the two scores are combined: standard_scores, weighted_scores, reciprocal_rank or given_scores.",
        examples=["reciprocal_rank", {"type": "reciprocal_rank", "constant": 20}],
    )

    @model_validator(mode="after")
    def _something_counts(self) -> Self:
        if self.text_weight == self.vector_weight == 0:
            raise ValueError(
                "text_weight and vector_weight are both 0: one of them must be above 0"
            )
        return self

    @property
    def limits_candidates(self) -> bool:
        """Whether the author says how many blocks are ranked; else a large share gets further ones."""
        return not self.model_fields_set.isdisjoint({"candidates", "turn_candidates"})

    @property
    def compares_vectors(self) -> bool:
        """It is one of its two searches."""
        return True
