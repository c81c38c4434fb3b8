"""Fusion by how far each search lifts a block above its usual score: the default."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from biblicus_context.retrieval.fusion.scaling import standard, unit_scores
from biblicus_context.retrieval.fusion.scores import Name, Scores
from biblicus_context.retrieval.fusion.search import Search, fused
from biblicus_context.spec.base import StrictSpec

_REST: Final = 0.001
"""The share of a score that still counts below the mean: it orders blocks that no search lifts."""


class StandardScores(StrictSpec):
    """The weighted sum of standard scores, where a score below the mean takes nothing away.

    >>> scores = StandardScores()([Search("text", {"a": 9.0, "b": 1.0}), Search("vector", {"b": 0.5})])
    >>> [round(total, 3) for total in scores.totals]
    [1.002, 0.001]
    """

    def __call__(self, searches: Sequence[Search[Name]]) -> Scores[Name]:
        """One score for each block that any of the searches found."""
        return fused(searches, _lifted)


def _lifted(search: Search[Name], ids: Sequence[Name]) -> list[float]:
    scores, weight = search.over(ids), search.weight
    return [
        weight * ((lift if lift > 0 else 0.0) + _REST * rest)
        for lift, rest in zip(standard(scores), unit_scores(scores), strict=True)
    ]
