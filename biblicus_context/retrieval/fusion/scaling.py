"""Scores of different searches on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt


def unit_scores(scores: Sequence[float]) -> list[float]:
    """The lowest is 0 and the highest 1; all are 1 if they are equal.

    >>> unit_scores([2.0, 4.0, 3.0])
    [0.0, 1.0, 0.5]
    """
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    width = high - low
    return [(score - low) / width if width > 0 else 1.0 for score in scores]


def standard(scores: Sequence[float]) -> list[float]:
    """How many standard deviations each is above the mean; 0 if all are equal.

    >>> standard([1.0, 3.0])
    [-1.0, 1.0]
    """
    if min(scores, default=0.0) == max(scores, default=0.0):
        return [0.0] * len(scores)  # a rounded mean may differ from all of them
    # Exact sums: the order of the blocks must not change a result.
    mean = fsum(scores) / len(scores)
    spread = sqrt(fsum([(score - mean) ** 2 for score in scores]) / len(scores))
    return [(score - mean) / spread if spread > 0 else 0.0 for score in scores]
