"""Blocks that are weighed, thousands at a time, so that all of them are columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from biblicus_context.base.arrays import Integers, Numbers
from biblicus_context.retrieval.fusion import Scores


@dataclass(frozen=True, slots=True)
class Judged:
    """Blocks by number, counting up, with the named parts of which each score is the sum."""

    numbers: Integers
    parts: Mapping[str, Numbers]
    totals: Numbers

    @classmethod
    def of(cls, scores: Scores[int]) -> Self:
        """As a fusion judged them."""
        ids = np.asarray(scores.ids, dtype=np.int64)
        order = np.argsort(ids)
        parts = {name: np.asarray(column)[order] for name, column in scores.parts.items()}
        return cls(ids[order], parts, np.asarray(scores.totals)[order])

    def score_of(self, numbers: Integers) -> Numbers:
        """The scores of these blocks; 0 for one that is not among them."""
        places = np.searchsorted(self.numbers, numbers)
        found = np.append(self.totals, 0.0)[places]
        there = np.append(self.numbers, -1)[places] == numbers
        return np.where(there, found, 0.0)

    def adding(self, name: str, numbers: Integers, given: Numbers) -> Judged:
        """With one more part; blocks that were not there have only this one."""
        together = np.union1d(self.numbers, numbers)
        own = np.searchsorted(together, self.numbers)
        size = len(together)
        parts = {each: _spread(column, own, size) for each, column in self.parts.items()}
        parts[name] = _spread(given, np.searchsorted(together, numbers), size)
        return Judged(together, parts, _spread(self.totals, own, size) + parts[name])

    def times(self, factors: Numbers) -> Judged:
        """Every score and its parts multiplied by the block's factor."""
        parts = {name: column * factors for name, column in self.parts.items()}
        return Judged(self.numbers, parts, self.totals * factors)

    def ranked(self) -> Integers:
        """Where the blocks stand here, best first; in the order of their numbers where equal."""
        return np.argsort(-self.totals, kind="stable")


def _spread(column: Numbers, places: Integers, size: int) -> Numbers:
    wide = np.zeros(size)
    wide[places] = column
    return wide
