"""Documents of one conversation, such as memories and messages, are its turns: neighbours in time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from biblicus_context.base.arrays import Flags, Integers
from biblicus_context.stores.ranking.columns import Columns
from biblicus_context.stores.ranking.sequences import SequenceIndex


@dataclass(frozen=True, slots=True)
class OrderedBlocks:
    """The columns of a search, in which the messages of a conversation follow each other as turns do.

    Only those that the search may return are counted: the place of a message must not tell how many
    others there are between it and the next.
    """

    columns: Columns
    index: SequenceIndex

    @classmethod
    def of(cls, columns: Columns, flags: Flags) -> Self:
        """The columns as the search sees them."""
        messages = _messages(columns, flags)
        if not len(messages.ordinals):
            return cls(columns, SequenceIndex.of(columns))
        table = columns.table
        sequences, positions, turns = (
            each.copy() for each in (table.sequences, table.positions, table.turns)
        )
        sequences[messages.ordinals] = table.rows[messages.ordinals[messages.firsts]]
        positions[messages.ordinals] = np.arange(len(messages.ordinals)) - messages.firsts
        turns[messages.ordinals] = 1
        ordered = table._replace(sequences=sequences, positions=positions, turns=turns)
        columns = replace(columns, table=ordered)
        return cls(columns, SequenceIndex.of(columns))

    @property
    def nbytes(self) -> int:
        """Bytes in memory, without those of the columns that are shared."""
        return self.index.nbytes + 3 * self.columns.table.rows.nbytes


@dataclass(frozen=True, slots=True)
class _Messages:
    """The messages of conversations with several, by conversation and time."""

    ordinals: Integers
    firsts: Integers
    """For each the place of the first one of its conversation."""


def _messages(columns: Columns, flags: Flags) -> _Messages:
    documents, conversations, times = columns.messages
    table = columns.table
    # A text of several blocks has an order of its own, and so have the turns of a transcript.
    alone = np.bincount(table.documents, minlength=columns.documents + 1) == 1
    of = np.zeros(columns.documents + 1, dtype=np.int64)
    of[documents] = np.arange(1, len(documents) + 1)
    numbers = of[table.documents]
    there = np.flatnonzero((numbers > 0) & alone[table.documents] & (table.turns == 0) & flags)
    numbers = numbers[there] - 1
    order = np.lexsort((there, times[numbers], conversations[numbers]))
    ordinals, talks = there[order], conversations[numbers[order]]
    starts = np.flatnonzero(np.diff(talks, prepend=talks[:1] - 1) != 0)
    sizes = np.diff(starts, append=len(talks))
    several = np.repeat(sizes > 1, sizes)
    ordinals = ordinals[several]
    sizes = sizes[sizes > 1]
    return _Messages(ordinals, np.repeat(np.cumsum(sizes) - sizes, sizes))
