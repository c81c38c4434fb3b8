"""Fusion by scores as they are, for searches whose scores are on one scale already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Final, Literal

from pydantic import Field

from biblicus_context.retrieval.fusion.scores import Name, Scores
from biblicus_context.retrieval.fusion.search import Search, fused
from biblicus_context.spec.base import StrictSpec

_MOST: Final = 1e300
"""Sums of scores stay finite."""


class GivenScores(StrictSpec):
    """The weighted scores as each search gives them: their sum, or the best of them.

    >>> searches = [Search("tree", {"a": 0.9}), Search("found", {"a": 0.2, "b": 0.5})]
    >>> GivenScores()(searches).totals, GivenScores(of_several="best")(searches).totals
    ([1.1, 0.5], [0.9, 0.5])
    """

    of_several: Literal["sum", "best"] = Field(
        default="sum", description="The score of a block that several searches found."
    )

    def __call__(self, searches: Sequence[Search[Name]]) -> Scores[Name]:
        """One score for each block that any of the searches found."""
        return fused(_best(searches) if self.of_several == "best" else searches, _given)


def _best(searches: Sequence[Search[Name]]) -> list[Search[Name]]:
    """Each block in the search that gives it most alone; in the first of several such."""
    best: dict[Name, tuple[float, int]] = {}
    for place, search in enumerate(searches):
        for block, score in search.scores.items():
            given = _finite(search.weight * score)
            if block not in best or given > best[block][0]:
                best[block] = given, place
    return [replace(each, scores=_own(each, place, best)) for place, each in enumerate(searches)]


def _own(
    search: Search[Name], place: int, best: Mapping[Name, tuple[float, int]]
) -> dict[Name, float]:
    return {block: score for block, score in search.scores.items() if best[block][1] == place}


def _given(search: Search[Name], ids: Sequence[Name]) -> list[float]:
    return [_finite(search.weight * search.scores.get(block, 0.0)) for block in ids]


def _finite(score: float) -> float:
    return max(-_MOST, min(_MOST, score)) if isfinite(score) else 0.0
