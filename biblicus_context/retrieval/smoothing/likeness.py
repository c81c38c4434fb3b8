"""Support from resemblance: a block that stands alone is judged with those it resembles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field

from biblicus_context.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from types import ModuleType

    from numpy.typing import ArrayLike

_FEWEST: Final = 3
"""Of two blocks each would only repeat the other."""


@dataclass(frozen=True, slots=True)
class Resemblance:
    """`weight` of the mean score of the `nearest` candidates, weighed by cosine to the power `power`.

    What all candidates have in common is taken off their vectors first.
    """

    weight: Annotated[float, Field(ge=0)] = 0.6
    nearest: Annotated[int, Field(ge=1)] = 10
    among: Annotated[int, Field(ge=1)] = 100
    """Only so many of the best candidates take part: their vectors have to be read."""
    power: Annotated[float, Field(gt=0)] = 2.0

    def support(self, scores: Sequence[float], vectors: ArrayLike) -> list[float]:
        """What each of these candidates is lent by the others; `vectors` has one row for each."""
        np = _numpy()
        rows = np.asarray(vectors, dtype=np.float64)
        if rows.ndim != 2 or len(rows) != len(scores):
            raise InputError(
                f"{len(scores)} scores need one vector each",
                found=" x ".join(map(str, rows.shape)),
            )
        if len(rows) < _FEWEST:
            return [0.0] * len(scores)
        own = rows - rows.mean(axis=0)
        lengths = np.linalg.norm(own, axis=1, keepdims=True)
        unit = own / np.where(lengths == 0, 1, lengths)
        # Not `unit @ unit.T`, whose threads wait for each other: 8 ms of two processors for 0.4 ms
        # of work, and far more on the clock where cores are busy.
        weights = np.maximum(np.vecdot(unit[:, np.newaxis], unit), 0.0) ** self.power
        np.fill_diagonal(weights, 0.0)
        nearest = np.argsort(-weights, axis=1, kind="stable")[:, : self.nearest]
        near = np.take_along_axis(weights, nearest, axis=1)
        given = (near * np.asarray(scores, dtype=np.float64)[nearest]).sum(axis=1)
        total = near.sum(axis=1)
        lent = self.weight * given / np.where(total == 0, 1, total)
        return [float(share) for share in lent]


ALONE: Final = Resemblance()


def _numpy() -> ModuleType:
    try:
        import numpy as np  # noqa: PLC0415 - optional, and slow to load
    except ImportError:
        raise MissingExtraError("numpy", "corpus") from None
    return np
