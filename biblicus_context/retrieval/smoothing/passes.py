"""The passes of the default ranking that follow fusion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from biblicus_context.retrieval.smoothing.resemblance import ALONE, Resemblance

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from biblicus_context.base.arrays import Integers
    from biblicus_context.retrieval.smoothing.scored_blocks import Judged

LENGTH: Final = 0.15
"""How strongly a long block has to be better than a short one: score / tokens ** LENGTH."""


def lent_by_resemblance(
    judged: Judged, alone: Integers, vectors: ArrayLike, resemblance: Resemblance = ALONE
) -> Judged:
    """With the part `resemblance` for these blocks; `vectors` has one row for each."""
    lent = resemblance.support(judged.score_of(alone), vectors)
    return judged.adding("resemblance", alone, lent)


def for_length(judged: Judged, tokens: Integers, exponent: float = LENGTH) -> Judged:
    """Every score and its parts divided by a power of the block's length in tokens."""
    return judged.times(np.maximum(tokens, 1) ** -exponent)
