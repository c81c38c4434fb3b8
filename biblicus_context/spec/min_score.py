"""How similar to the query a block has to be."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Discriminator, Field, Tag

from biblicus_context.spec.base import StrictSpec

Similarity = Annotated[float, Field(ge=0, le=1)]
Auto: TypeAlias = Literal["auto"]


class MinScoreSpec(StrictSpec):
    """How similar to the query a block, or the most similar one, has to be."""

    each: Similarity = Field(
        default=0.0, description="Blocks below this similarity are left out.", examples=[0.2]
    )
    best: Annotated[
        Annotated[Similarity, Tag("<number>")] | Annotated[Auto, Tag("auto")],
        Discriminator(lambda value: "auto" if value == "auto" else "<number>"),
    ] = Field(
        default=0.0,
        description="If no block among the first ten is at least this similar, nothing is found. "
        "`auto` decides by words and meaning together: whether the best block is more similar than "
        "queries about something else are to these blocks, and has the rare words of the query.",
        examples=["auto", 0.15],
    )

    @property
    def judges(self) -> bool:
        """Whether words and meaning together decide if anything is relevant."""
        return self.best == "auto"


def _branch(value: object) -> str:
    if value == "auto":
        return "auto"
    return "<number>" if isinstance(value, int | float | str) else "<settings>"


MinScore = Annotated[
    Annotated[Similarity, Tag("<number>")]
    | Annotated[Auto, Tag("auto")]
    | Annotated[MinScoreSpec, Tag("<settings>")],
    Discriminator(_branch),
]
"""A similarity that each block needs, `auto`, or a mapping with one for the best block."""


def min_score_spec(written: MinScore | None) -> MinScoreSpec | None:
    """Both limits: a number is that of each block.

    >>> min_score_spec(0.3), min_score_spec("auto")
    (MinScoreSpec(each=0.3, best=0.0), MinScoreSpec(each=0.0, best='auto'))
    """
    if written is None or isinstance(written, MinScoreSpec):
        return written
    return MinScoreSpec(best=written) if written == "auto" else MinScoreSpec(each=written)
