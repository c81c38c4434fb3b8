"""Blocks with their scores, and the named parts of which each score is the sum."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self, TypeAlias

Column: TypeAlias = Sequence[float]


@dataclass(frozen=True, slots=True)
class Scores:
    """One row for each block, in the order of ids; the parts are kept as columns, which is fast.

    >>> scores = Scores.of(["a", "b"], {"text": [1.0, 0.5], "vector": [0.0, 1.0]})
    >>> scores.ranked(), scores.parts_of("b")
    (['b', 'a'], {'text': 0.5, 'vector': 1.0})
    """

    ids: Sequence[str]
    parts: Mapping[str, Column]
    totals: Column

    @classmethod
    def of(cls, ids: Sequence[str], parts: Mapping[str, Column]) -> Self:
        """Rows whose ids are sorted, with a number for each of them in every column."""
        return cls(ids, parts, _summed(len(ids), parts))

    def by_id(self) -> dict[str, float]:
        """The score of each block."""
        return dict(zip(self.ids, self.totals, strict=True))

    def ranked(self) -> list[str]:
        """Best first; by id where scores are equal."""
        rows = sorted(range(len(self.ids)), key=self.totals.__getitem__, reverse=True)
        return [self.ids[row] for row in rows]

    def parts_of(self, block: str) -> dict[str, float]:
        """What the score of one block is made of."""
        row = bisect_left(self.ids, block)
        if row == len(self.ids) or self.ids[row] != block:
            raise KeyError(block)
        return {name: column[row] for name, column in self.parts.items()}

    def adding(self, name: str, given: Mapping[str, float]) -> Self:
        """With one more part; blocks that were not there have only this one."""
        known = {*self.ids}
        new = [block for block in given if block not in known]
        rows = self._with_rows(new) if new else self
        column = [given.get(block, 0.0) for block in rows.ids]
        return self.of(rows.ids, {**rows.parts, name: column})

    def times(self, factors: Column) -> Self:
        """Every row multiplied by its factor."""
        return self.of(
            self.ids, {name: _product(column, factors) for name, column in self.parts.items()}
        )

    def _with_rows(self, new: Sequence[str]) -> Self:
        ids = [*self.ids, *new]
        order = sorted(range(len(ids)), key=ids.__getitem__)
        padding = [0.0] * len(new)
        wide = {name: [*column, *padding] for name, column in self.parts.items()}
        return self.of(
            [ids[row] for row in order],
            {name: [column[row] for row in order] for name, column in wide.items()},
        )


def _summed(rows: int, parts: Mapping[str, Column]) -> list[float]:
    return [sum(row) for row in zip(*parts.values(), strict=True)] if parts else [0.0] * rows


def _product(column: Column, factors: Column) -> list[float]:
    return [part * factor for part, factor in zip(column, factors, strict=True)]
