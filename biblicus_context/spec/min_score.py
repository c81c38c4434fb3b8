"""How similar to the query a block has to be."""

from __future__ import annotations

from typing import Annotated

from pydantic import Discriminator, Field, Tag

from biblicus_context.spec.base import StrictSpec, number_or_settings

Similarity = Annotated[float, Field(ge=0, le=1)]


class MinScoreSpec(StrictSpec):
    """How similar to the query a block, or the most similar one, has to be."""

    each: Similarity = Field(
        default=0.0, description="Blocks below this similarity are left out.", examples=[0.2]
    )
    best: Similarity = Field(
        default=0.0,
        description="If no block among the first ten is at least this similar, nothing is found.",
        examples=[0.15],
    )


MinScore = Annotated[
    Annotated[Similarity, Tag("<number>")] | Annotated[MinScoreSpec, Tag("<settings>")],
    Discriminator(number_or_settings),
]
"""A similarity that each block needs, or a mapping with one for the best block."""


def min_score_spec(written: MinScore | None) -> MinScoreSpec | None:
    """Both limits: a number is that of each block.

    >>> min_score_spec(0.3)
    MinScoreSpec(each=0.3, best=0.0)
    """
    return (
        written
        if written is None or isinstance(written, MinScoreSpec)
        else MinScoreSpec(each=written)
    )
