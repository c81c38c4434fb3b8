"""All blocks in the order of their sequences: neighbours are found without a query of the database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from biblicus_context.base.arrays import Integers
from biblicus_context.retrieval.smoothing import distinct
from biblicus_context.stores.ranking.columns import Columns


@dataclass(frozen=True, slots=True)
class SequenceIndex:
    """Blocks, sorted by sequence and then by position."""

    ordinals: Integers
    places: Integers
    """`sequence * width + position` of each, in rising order."""
    lengths: Integers
    """How many blocks the sequence of each block has, by ordinal."""
    width: int
    """More than any position."""

    @classmethod
    def of(cls, columns: Columns) -> Self:
        """The index of all blocks of these columns."""
        table = columns.table
        width = int(table.positions.max(initial=0)) + 1
        places = table.sequences * width + table.positions
        order = np.argsort(places, kind="stable")
        firsts = columns.ordinals[table.sequences]
        counts = np.bincount(firsts, minlength=len(columns))
        return cls(order, places[order], counts[firsts], width)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.ordinals.nbytes + self.places.nbytes + self.lengths.nbytes

    def around(self, sequences: Integers, positions: Integers, reach: int) -> Integers:
        """The ordinals of the blocks within `reach` of these places, each once, in rising order."""
        starts = sequences * self.width
        lows = self.places.searchsorted(starts + np.maximum(positions - reach, 0))
        last = starts + np.minimum(positions + reach, self.width - 1)
        sizes = self.places.searchsorted(last, side="right") - lows
        ends = sizes.cumsum()
        total = int(ends[-1]) if len(ends) else 0
        inside = (lows - ends + sizes).repeat(sizes) + np.arange(total)
        return distinct(self.ordinals[inside])
