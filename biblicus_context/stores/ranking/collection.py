"""All blocks of a collection as one search sees them: what its answer is cut from."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np

from biblicus_context.base.arrays import Flags, Integers, Numbers, Rows
from biblicus_context.retrieval.smoothing import distinct
from biblicus_context.stores.found import Found, FoundAround
from biblicus_context.stores.ranking.columns import BlockTable, Columns
from biblicus_context.stores.ranking.matrix import Matrix
from biblicus_context.stores.ranking.memory import MEMORY
from biblicus_context.stores.ranking.sequences import SequenceIndex

Value = TypeVar("Value")
_BYTES: Final = 200
"""What a value of a few numbers takes."""


@dataclass(frozen=True, slots=True)
class CollectionBlocks:
    """The columns of a version, and which of its blocks the search may return."""

    columns: Columns
    index: SequenceIndex
    flags: Flags
    scores: Numbers | None
    """BM25 by ordinal; None for a search without words."""
    matrix: Matrix | None
    """The embeddings by the model of the query."""
    key: Hashable | None
    """Equal for searches of which any finds what the other could; None where time changes that."""

    @property
    def table(self) -> BlockTable:
        """The short columns by ordinal."""
        return self.columns.table

    def turns(self, ordinals: Integers) -> Flags:
        """Whether blocks belong to a session."""
        return self.table.turns[ordinals].astype(np.bool_)

    def text(self, ordinals: Integers) -> Numbers:
        """The BM25 of blocks."""
        return np.zeros(len(ordinals)) if self.scores is None else self.scores[ordinals]

    def sequences(self, ordinals: Integers) -> Integers:
        """Small numbers for the sequences of blocks: their own would tell how many others there are."""
        own = self.table.sequences[ordinals]
        return distinct(own).searchsorted(own)

    def around(self, found: Found, groups: Sequence[tuple[Integers, int]]) -> FoundAround:
        """With what is within the reach of each group."""
        near = [self._near(found.ordinals[rows], reach) for rows, reach in groups]
        together = distinct(found.ordinals, *near)
        moved = together.searchsorted(found.ordinals)
        cosines = np.full(len(together), np.nan)
        cosines[moved] = found.cosines
        wide = Found(
            self,
            together,
            found.terms,
            self.text(together),
            cosines,
            moved[found.by_text],
            moved[found.by_vector],
        )
        return FoundAround(wide, moved, tuple(together.searchsorted(each) for each in near))

    def with_cosines(self, found: Found, ordinals: Integers, cosines: Numbers) -> Found:
        """With these blocks, whose cosines the search did not know."""
        together = distinct(found.ordinals, ordinals)
        moved, added = (together.searchsorted(each) for each in (found.ordinals, ordinals))
        known = np.full(len(together), np.nan)
        known[moved] = found.cosines
        known[added] = cosines
        return Found(
            self,
            together,
            found.terms,
            self.text(together),
            known,
            moved[found.by_text],
            distinct(moved[found.by_vector], added),
            found.unembedded,
        )

    def _near(self, ordinals: Integers, reach: int) -> Integers:
        table = self.table
        around = self.index.around(table.sequences[ordinals], table.positions[ordinals], reach)
        met = self.flags[around]
        # Of a document that meets filters all blocks do, unless they are on the blocks themselves.
        return around if met.all() else distinct(around[met], ordinals)

    def unit_vectors(self, ordinals: Integers, rows: Integers) -> tuple[Integers, Rows]:
        """The embeddings of single blocks, and the rows that have one."""
        if self.matrix is None:
            return rows[:0], np.empty((0, 0), dtype=np.float32)
        embedded = self.matrix.numbers(self.table.rows[ordinals[rows]])
        there = embedded >= 0
        # A width would reveal that somebody else in the workspace uses this model.
        if not there.any():
            return rows[:0], np.empty((0, 0), dtype=np.float32)
        return rows[there], self.matrix.rows_of(embedded[there])

    def sample(self, most: int) -> tuple[int, Rows]:
        """How many blocks there are, and the embeddings of up to `most` of them, evenly spread."""
        ordinals = np.flatnonzero(self.flags)
        spread = np.linspace(0, len(ordinals) - 1, min(most, len(ordinals))).astype(np.int64)
        _, rows = self.unit_vectors(ordinals[spread], np.arange(len(spread)))
        return len(ordinals), rows

    def remembered(self, name: str, compute: Callable[[], Value]) -> Value:
        """A few numbers about these blocks and their embeddings, computed if they are not remembered."""
        if self.key is None or self.matrix is None:
            return compute()
        key = (self.key, self.matrix.lineage, name)
        known: tuple[Value] | None = MEMORY.get(key)
        if known is None:
            known = (compute(),)
            MEMORY.note(key, known, _BYTES)
        return known[0]
