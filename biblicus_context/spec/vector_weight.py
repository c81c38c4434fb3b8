"""How much the meaning counts in a hybrid search, against 1 for the words."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Discriminator, Field, Tag

from biblicus_context.spec.base import StrictSpec, number_or_settings

MOST_WEIGHT: Final = 1e6
"""What a search may count at most: sums of scores stay finite."""

Weight = Annotated[float, Field(ge=0, le=MOST_WEIGHT)]


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
