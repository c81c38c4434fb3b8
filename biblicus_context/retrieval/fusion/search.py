"""The scores of one search, and what a fusion makes of several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Generic, TypeAlias

from biblicus_context.errors import InputError
from biblicus_context.retrieval.fusion.scores import Column, Name, Scores


@dataclass(frozen=True, slots=True)
class Search(Generic[Name]):
    """The raw scores of one search, by block; higher is better, and the scale is its own."""

    name: str
    scores: Mapping[Name, float]
    weight: float = 1.0
    missing: float | None = None
    """The score of a block that this search did not find; None: the lowest score that it found."""

    def over(self, ids: Sequence[Name]) -> list[float]:
        """A score for each id; a score that is not a finite number counts as not found."""
        scores, missing = self.scores, self.missing
        if missing is None:
            missing = min(filter(isfinite, scores.values()), default=0.0)
        given = [scores.get(block, missing) for block in ids]
        return [score if isfinite(score) else missing for score in given]


Fusion: TypeAlias = Callable[[Sequence[Search[int]]], Scores[int]]
"""Makes one score for each block that any of the searches found; each search gives one part."""


def fused(
    searches: Sequence[Search[Name]], given: Callable[[Search[Name], Sequence[Name]], Column]
) -> Scores[Name]:
    """The scores of every block that a search found, where `given` is one search's part of them."""
    names: list[str] = [search.name for search in searches]
    if len({*names}) < len(names):
        raise InputError("two searches to fuse have the same name", found=", ".join(names))
    # Sorted, so that ties do not depend on the order of a set or of the searches.
    ids = sorted({block for search in searches for block in search.scores})
    return Scores.of(ids, {search.name: given(search, ids) for search in searches})
