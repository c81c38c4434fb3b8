"""Fusion by places in each ranking, whatever the scores are."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from biblicus_context.retrieval.fusion.scores import Name, Scores
from biblicus_context.retrieval.fusion.search import Search, fused
from biblicus_context.spec.base import StrictSpec


class ReciprocalRank(StrictSpec):
    """The weighted sum of 1 / (constant + place); blocks of equal score share the better place.

    A block has no place in a search that did not find it.

    >>> ReciprocalRank(constant=1)([Search("text", {"a": 9.0, "b": 1.0})]).by_id()["a"]
    0.5
    """

    constant: float = Field(
        default=60.0,
        ge=0,
        description="Added to each place: the higher, the less the first counts.",
    )

    def __call__(self, searches: Sequence[Search[Name]]) -> Scores[Name]:
        """One score for each block that any of the searches found."""
        return fused(searches, self._given)

    def _given(self, search: Search[Name], ids: Sequence[Name]) -> list[float]:
        scores = {block: score for block, score in search.scores.items() if score != search.missing}
        places: dict[float, int] = {}
        for place, score in enumerate(sorted(scores.values(), reverse=True), start=1):
            places.setdefault(score, place)
        found = {
            block: search.weight / (self.constant + places[score])
            for block, score in scores.items()
        }
        return [found.get(block, 0.0) for block in ids]
