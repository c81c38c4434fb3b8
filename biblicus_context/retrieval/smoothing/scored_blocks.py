"""Thousands of scored blocks, as columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from biblicus_context.base.arrays import Integers, Numbers
from biblicus_context.retrieval.fusion import Scores
from biblicus_context.retrieval.smoothing.distinct import distinct

LENGTH: Final = 0.2
"""How much better a long block must be than a short one: score / tokens ** LENGTH."""


@dataclass(frozen=True, slots=True)
class ScoredBlocks:
    """Blocks by number, counting up, with the named parts of which each score is the sum."""

    numbers: Integers
    parts: Mapping[str, Numbers]
    totals: Numbers

    @classmethod
    def of(cls, scores: Scores[int]) -> Self:
        """The result of a fusion."""
        ids = np.asarray(scores.ids, dtype=np.int64)
        order = np.argsort(ids)
        parts = {name: np.asarray(column)[order] for name, column in scores.parts.items()}
        return cls(ids[order], parts, np.asarray(scores.totals)[order])

    def score_of(self, numbers: Integers) -> Numbers:
        """The scores of these blocks; 0 for one that is not here."""
        places = self.numbers.searchsorted(numbers)
        found = np.append(self.totals, 0.0)[places]
        there = np.append(self.numbers, -1)[places] == numbers
        return np.where(there, found, 0.0)

    def adding(self, name: str, numbers: Integers, added: Numbers) -> ScoredBlocks:
        """With one more part of every score; blocks that were not here have only this part."""
        together = distinct(self.numbers, numbers)
        own = together.searchsorted(self.numbers)
        size = len(together)
        parts = {each: _spread(column, own, size) for each, column in self.parts.items()}
        parts[name] = _spread(added, together.searchsorted(numbers), size)
        return ScoredBlocks(together, parts, _spread(self.totals, own, size) + parts[name])

    def times(self, factors: Numbers) -> ScoredBlocks:
        """Every score and its parts, multiplied by the factor of the block."""
        parts = {name: column * factors for name, column in self.parts.items()}
        return ScoredBlocks(self.numbers, parts, self.totals * factors)

    def for_length(self, tokens: Integers, exponent: float = LENGTH) -> ScoredBlocks:
        """Every score and its parts, divided by a power of the length of the block in tokens."""
        return self.times(np.maximum(tokens, 1) ** -exponent)

    def ranked(self) -> Integers:
        """The rows, best first; ties in the order of the numbers, which depends on no hash and no clock."""
        return np.argsort(-self.totals, kind="stable")


def _spread(column: Numbers, places: Integers, size: int) -> Numbers:
    wide = np.zeros(size)
    wide[places] = column
    return wide
