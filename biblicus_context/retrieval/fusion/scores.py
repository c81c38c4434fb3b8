"""Scores of blocks, each the sum of named parts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Self, TypeAlias, TypeVar

Column: TypeAlias = Sequence[float]
Name = TypeVar("Name", str, int)
"""The id of a block, or the number that a store gave it."""


@dataclass(frozen=True, slots=True)
class Scores(Generic[Name]):
    """One row per block, in the order of ids; the parts are columns, which is fast.

    >>> scores = Scores.of(["a", "b"], {"text": [1.0, 0.5], "vector": [0.0, 1.0]})
    >>> scores.ranked(), scores.parts_of("b")
    (['b', 'a'], {'text': 0.5, 'vector': 1.0})
    """

    ids: Sequence[Name]
    parts: Mapping[str, Column]
    totals: Column

    @classmethod
    def of(cls, ids: Sequence[Name], parts: Mapping[str, Column]) -> Self:
        """Scores of sorted ids, with one number for each of them in every column."""
        return cls(ids, parts, _summed(len(ids), parts))

    def by_id(self) -> dict[Name, float]:
        """The score of each block."""
        return dict(zip(self.ids, self.totals, strict=True))

    def ranked(self) -> list[Name]:
        """Best first; by id where scores are equal."""
        rows = sorted(range(len(self.ids)), key=self.totals.__getitem__, reverse=True)
        return [self.ids[row] for row in rows]

    def parts_of(self, block: Name) -> dict[str, float]:
        """The parts of the score of one block."""
        row = bisect_left(self.ids, block)
        if row == len(self.ids) or self.ids[row] != block:
            raise KeyError(block)
        return {name: column[row] for name, column in self.parts.items()}


def _summed(rows: int, parts: Mapping[str, Column]) -> list[float]:
    return [sum(row) for row in zip(*parts.values(), strict=True)] if parts else [0.0] * rows
