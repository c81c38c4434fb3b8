"""All blocks in the order of their sequences: neighbours are found without a query of the database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from biblicus_context.base.arrays import Integers
from biblicus_context.retrieval.smoothing.distinct import distinct
from biblicus_context.stores.sqlite.rank.columns import Columns


@dataclass(frozen=True, slots=True)
class SequenceIndex:
    """Columns of blocks, sorted by sequence and then by position."""

    ordinals: Integers
    sequences: Integers
    positions: Integers

    @classmethod
    def of(cls, columns: Columns) -> Self:
        """The index of all blocks of these columns."""
        table = columns.table
        order = np.lexsort((table.positions, table.sequences))
        return cls(order, table.sequences[order], table.positions[order])

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.ordinals.nbytes + self.sequences.nbytes + self.positions.nbytes

    def lengths(self, sequences: Integers) -> Integers:
        """How many blocks each of these sequences has."""
        ends = np.searchsorted(self.sequences, sequences, side="right")
        return ends - np.searchsorted(self.sequences, sequences, side="left")

    def around(self, sequences: Integers, positions: Integers, reach: int) -> Integers:
        """The ordinals of the blocks within `reach` of these places, each once, in rising order."""
        starts = np.searchsorted(self.sequences, sequences, side="left")
        ends = np.searchsorted(self.sequences, sequences, side="right")
        spans = [np.empty(0, dtype=np.int64)]
        for start, end, position in zip(
            starts.tolist(), ends.tolist(), positions.tolist(), strict=True
        ):
            own = self.positions[start:end]
            low, high = np.searchsorted(own, (position - reach, position + reach + 1))
            spans.append(self.ordinals[start + low : start + high])
        return distinct(*spans)
