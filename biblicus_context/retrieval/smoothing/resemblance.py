"""Support from resemblance: a block that stands alone is judged with those it resembles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from biblicus_context.base.arrays import Numbers
from biblicus_context.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_FEWEST: Final = 3
"""Of two blocks each would only repeat the other."""
_NOTHING_OWN: Final = 1e-6
"""What is shorter than this is left by rounding, where a vector is what all have in common."""


@dataclass(frozen=True, slots=True)
class Resemblance:
    """`weight` of the mean score of the `nearest` candidates, weighed by cosine to the power `power`.

    What all candidates have in common is taken off their vectors first.
    """

    weight: float = 0.6
    nearest: int = 10
    among: int = 100
    """Only so many of the best candidates take part: their vectors have to be read."""
    power: float = 2.0

    def support(self, scores: Numbers, vectors: ArrayLike) -> Numbers:
        """What each of these candidates is lent by the others; `vectors` has one row for each."""
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
        # Not `unit @ unit.T`, whose threads wait for each other: 8 ms of two processors for 0.4 ms
        # of work, and far more on the clock where cores are busy.
        weights = np.maximum(np.vecdot(unit[:, np.newaxis], unit), 0.0) ** self.power
        np.fill_diagonal(weights, 0.0)
        nearest = np.argsort(-weights, axis=1, kind="stable")[:, : self.nearest]
        near = np.take_along_axis(weights, nearest, axis=1)
        total = near.sum(axis=1)
        lent: Numbers = (near * scores[nearest]).sum(axis=1) / np.where(total == 0, 1, total)
        return self.weight * lent


ALONE: Final = Resemblance()
