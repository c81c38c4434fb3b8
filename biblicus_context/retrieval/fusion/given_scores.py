"""Fusion by scores as they are, for searches whose scores are on one scale already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Final

from biblicus_context.retrieval.fusion.scores import Name, Scores
from biblicus_context.retrieval.fusion.search import Search, fused

_MOST: Final = 1e300
"""Sums of scores stay finite."""


@dataclass(frozen=True, slots=True)
class GivenScores:
    """The weighted sum of the scores as each search gives them; 0 for what it did not find.

    >>> GivenScores()([Search("tree", {"a": 0.9}), Search("found", {"a": 0.2, "b": 0.5})]).totals
    [1.1, 0.5]
    """

    def __call__(self, searches: Sequence[Search[Name]]) -> Scores[Name]:
        """One score for each block that any of the searches found."""
        return fused(searches, _given)


def _given(search: Search[Name], ids: Sequence[Name]) -> list[float]:
    found = (search.weight * search.scores.get(block, 0.0) for block in ids)
    return [max(-_MOST, min(_MOST, score)) if isfinite(score) else 0.0 for score in found]
