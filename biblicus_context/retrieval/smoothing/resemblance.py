"""Support from resemblance, for blocks that have no neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from biblicus_context.base.arrays import Integers, Numbers
from biblicus_context.errors import InputError
from biblicus_context.retrieval.smoothing.scored_blocks import ScoredBlocks

_FEWEST: Final = 3
"""With two blocks, each would only lend to the other."""
_NOTHING_OWN: Final = 1e-6
"""A shorter rest of a vector is a rounding error: the vector is what all have in common."""


@dataclass(frozen=True, slots=True)
class Resemblance:
    """`weight` x the mean score of the `nearest` blocks, weighted by cosine ** `power`.

    The mean of all vectors is subtracted first: in a corpus about one subject all blocks resemble
    each other, and only the differences tell which are about the same part of it.
    """

    weight: float = 0.8
    nearest: int = 10
    among: int = 100
    """Only this many of the best blocks take part: their vectors must be read."""
    power: float = 2.0

    def support(self, scores: Numbers, vectors: ArrayLike) -> Numbers:
        """What the others lend each of these blocks; `vectors` has one row for each."""
        rows = np.asarray(vectors, dtype=np.float64)
        if rows.ndim != 2 or len(rows) != len(scores):
            raise InputError(
                f"{len(scores)} scores need one vector each",
                found=" x ".join(map(str, rows.shape)),
            )
        if len(rows) < _FEWEST:
            return np.zeros(len(scores))
        own = rows - rows.mean(axis=0)
        lengths = np.linalg.norm(own, axis=1, keepdims=True)
        unit = np.where(lengths > _NOTHING_OWN, own / np.maximum(lengths, _NOTHING_OWN), 0.0)
        # Not `unit @ unit.T`: its threads wait for each other, 8 ms of two cores for 0.4 ms of work,
        # and far more on a busy machine.
        weights = np.maximum(np.vecdot(unit[:, np.newaxis], unit), 0.0) ** self.power
        np.fill_diagonal(weights, 0.0)
        nearest = np.argsort(-weights, axis=1, kind="stable")[:, : self.nearest]
        near = np.take_along_axis(weights, nearest, axis=1)
        total = near.sum(axis=1)
        lent: Numbers = (near * scores[nearest]).sum(axis=1) / np.where(total == 0, 1, total)
        return self.weight * lent


ALONE: Final = Resemblance()


def add_resemblance(
    blocks: ScoredBlocks, alone: Integers, vectors: ArrayLike, resemblance: Resemblance = ALONE
) -> ScoredBlocks:
    """With the part `resemblance` for these blocks; `vectors` has one row for each."""
    lent = resemblance.support(blocks.score_of(alone), vectors)
    return blocks.adding("resemblance", alone, lent)
