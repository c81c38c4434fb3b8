"""Fusion by scores, each search brought to 0..1."""

from __future__ import annotations

from collections.abc import Sequence

from biblicus_context.retrieval.fusion.scaling import unit_scores
from biblicus_context.retrieval.fusion.scores import Name, Scores
from biblicus_context.retrieval.fusion.search import Search, fused
from biblicus_context.spec.base import StrictSpec


class WeightedScores(StrictSpec):
    """The weighted sum of scores, where the best of each search counts 1 and its least 0.

    >>> WeightedScores()([Search("text", {"a": 9.0, "b": 5.0, "c": 1.0}, weight=2.0)]).totals
    [2.0, 1.0, 0.0]
    """

    def __call__(self, searches: Sequence[Search[Name]]) -> Scores[Name]:
        """One score for each block that any of the searches found."""
        return fused(searches, _weighted)


def _weighted(search: Search[Name], ids: Sequence[Name]) -> list[float]:
    return [search.weight * score for score in unit_scores(search.over(ids))]
