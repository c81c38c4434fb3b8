"""Retrievers that compare vectors."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from biblicus_context.spec.base import NameOrSettings, StrictSpec, number_or_settings
from biblicus_context.spec.retriever_settings.search import SearchSpec

_MOST_WEIGHT: Final = 1e6
"""What a search may count at most: sums of scores stay finite."""

Weight = Annotated[float, Field(ge=0, le=_MOST_WEIGHT)]


class VectorWeightSpec(StrictSpec):
    """The weight of the meaning, by kind of block; what is absent is chosen for the embedder."""

    blocks: Weight | None = Field(
        default=None, description="Weight for prose and code.", examples=[2.5]
    )
    turns: Weight | None = Field(
        default=None, description="Weight for turns of conversations.", examples=[1.0]
    )


VectorWeight = Annotated[
    Annotated[Weight, Tag("<number>")] | Annotated[VectorWeightSpec, Tag("<settings>")],
    Discriminator(number_or_settings),
]
"""One weight for every kind of block, or one for each."""


def vector_weight_spec(written: VectorWeight | None) -> VectorWeightSpec:
    """The weights by kind: a number is that of both.

    >>> vector_weight_spec(2.0)
    VectorWeightSpec(blocks=2.0, turns=2.0)
    """
    if isinstance(written, VectorWeightSpec):
        return written
    return VectorWeightSpec(blocks=written, turns=written)


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
    text_weight: Weight = Field(default=1.0, description="Weight of the words.")
    vector_weight: VectorWeight | None = Field(
        default=None,
        description="Weight of the meaning, or {blocks: ..., turns: ...}: one for prose and code, one "
        "for turns of conversations. Default: chosen for the embedder.",
        examples=[2.0, {"turns": 1.0}],
    )
    fusion: NameOrSettings = Field(
        default="standard_scores",
        description="How the two scores are combined: standard_scores, weighted_scores, reciprocal_rank or given_scores.",
        examples=["reciprocal_rank", {"type": "reciprocal_rank", "constant": 20}],
    )

    @model_validator(mode="after")
    def _something_counts(self) -> Self:
        own = self.vector_weights
        if self.text_weight == 0 and 0 in (own.blocks, own.turns):
            raise ValueError(
                "text_weight and vector_weight are both 0: one of them must be above 0"
            )
        return self

    @property
    def vector_weights(self) -> VectorWeightSpec:
        """The weights of the meaning that the author set, by kind of block."""
        return vector_weight_spec(self.vector_weight)

    @property
    def limits_candidates(self) -> bool:
        """Whether the author says how many blocks are ranked; else a large share gets further ones."""
        return not self.model_fields_set.isdisjoint({"candidates", "turn_candidates"})

    @property
    def compares_vectors(self) -> bool:
        """It is one of its two searches."""
        return True
