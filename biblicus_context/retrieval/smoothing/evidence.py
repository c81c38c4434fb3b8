"""The passes of the default ranking that follow fusion; each adds its part to the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from biblicus_context.retrieval.fusion.scores import Scores
from biblicus_context.retrieval.smoothing.kernel import BLOCKS, TURNS, Kernel
from biblicus_context.retrieval.smoothing.likeness import ALONE, Resemblance
from biblicus_context.retrieval.smoothing.place import Spot, support_from_neighbours

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

LENGTH: Final = 0.15
"""How strongly a long block has to be better than a short one: score / tokens ** LENGTH."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How long a block is, and where it stands; without a spot it stands alone."""

    tokens: int
    spot: Spot | None = None
    is_turn: bool = False


def lent_by_neighbours(
    scores: Scores,
    standing: Mapping[str, Standing],
    *,
    turns: Kernel = TURNS,
    blocks: Kernel = BLOCKS,
) -> Scores:
    """With the part `neighbours`; a block no search found is in the answer if one in reach lends.

    `standing` has to know every block of the scores, and may know their neighbours.
    """
    by_id = scores.by_id()
    lent: dict[str, float] = {}
    for kernel, is_turn in ((turns, True), (blocks, False)):
        spots = {
            block: each.spot
            for block, each in standing.items()
            if each.spot is not None and each.is_turn == is_turn
        }
        given = {spot: by_id[block] for block, spot in spots.items() if block in by_id}
        support = support_from_neighbours(given, kernel)
        lent.update({block: support[spot] for block, spot in spots.items() if spot in support})
    return scores.adding("neighbours", lent) if lent else scores


def standing_alone(
    scores: Scores, standing: Mapping[str, Standing], most: int = ALONE.among
) -> list[str]:
    """The best of the blocks without neighbours, whose vectors `lent_by_resemblance` needs."""
    return [block for block in scores.ranked() if standing[block].spot is None][:most]


def lent_by_resemblance(
    scores: Scores, alone: Sequence[str], vectors: ArrayLike, resemblance: Resemblance = ALONE
) -> Scores:
    """With the part `resemblance` for these blocks; `vectors` has one row for each."""
    by_id = scores.by_id()
    lent = resemblance.support([by_id[block] for block in alone], vectors)
    return scores.adding("resemblance", dict(zip(alone, lent, strict=True)))


def for_length(
    scores: Scores, standing: Mapping[str, Standing], exponent: float = LENGTH
) -> Scores:
    """Every score and its parts divided by a power of the block's length in tokens."""
    return scores.times(
        [float(max(1, standing[block].tokens) ** -exponent) for block in scores.ids]
    )
