"""The short columns of all blocks of a collection, in memory, in the order of their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from biblicus_context.base.arrays import Integers
from biblicus_context.stores.errors import MalformedError
from biblicus_context.stores.source import WIDTH, Message, ReadState


class BlockTable(NamedTuple):
    """The short columns of blocks, in the order in which sources pack them."""

    rows: Integers
    documents: Integers
    words: Integers
    positions: Integers
    tokens: Integers
    sequences: Integers
    """The row of the first block of the same document and session."""
    turns: Integers
    """1 for a block of a session, else 0."""


@dataclass(frozen=True, slots=True)
class Columns:
    """All blocks, each known by its ordinal here.

    Blocks that are gone from the database may still be here: nobody can see their documents.
    """

    table: BlockTable
    ordinals: Integers
    """The ordinal of each row; -1 for a row that is not here."""
    oldest: int
    """Of versions from this one on, all blocks are here."""
    newest: int
    """Of versions up to this one, too: a read of them need not look for more."""
    lineage: object
    """Columns with the same lineage give a block the same ordinal, so caches by ordinal stay valid."""
    messages: Integers
    """Document, conversation and time of each document that is a part of a conversation, by row."""
    documents: int = 0
    """The last row of a document among which messages were looked for."""

    @classmethod
    def empty(cls) -> Columns:
        """The beginning of a new lineage."""
        nothing = np.empty(0, dtype=np.int64)
        messages = np.empty((3, 0), dtype=np.int64)
        return cls(BlockTable._make([nothing] * WIDTH), nothing, 0, -1, object(), messages)

    def __len__(self) -> int:
        return len(self.table.rows)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        table = sum(each.nbytes for each in self.table)
        return self.ordinals.nbytes + table + self.messages.nbytes

    @property
    def last(self) -> int:
        """The last row that is known, or known to be missing."""
        return len(self.ordinals) - 1

    def ordinals_of(self, rows: Integers) -> Integers:
        """The ordinals of these rows; -1 for one that is not here, or was written later."""
        if np.maximum.reduce(rows, initial=-1) < len(self.ordinals):
            return self.ordinals[rows]
        here = rows < len(self.ordinals)
        found = np.full(len(rows), -1, dtype=np.int64)
        found[here] = self.ordinals[rows[here]]
        return found

    def extended(self, pin: ReadState, packs: bytes, messages: Sequence[Message] = ()) -> Columns:
        """These and the blocks that were written since, as far as this transaction can see them."""
        last = self.last
        if pin.blocks <= last:
            return replace(self, newest=max(pin.newest, self.newest))
        newer = np.frombuffer(packs, dtype="<i8").reshape(-1, WIDTH).T.astype(np.int64)
        newer = newer[:, newer[0] > last]  # packs that vacuum rebuilt may begin with known blocks
        _require_sound(newer, last, pin)
        ordinals = np.full(pin.blocks + 1, -1, dtype=np.int64)
        ordinals[: last + 1] = self.ordinals
        ordinals[newer[0]] = np.arange(len(self), len(self) + newer.shape[1])
        table = BlockTable._make(map(np.concatenate, zip(self.table, newer, strict=True)))
        return Columns(
            table,
            ordinals,
            max(pin.oldest, self.oldest),
            pin.newest,
            self.lineage,
            np.concatenate([self.messages, _numbered(messages)], axis=1),
            max(pin.documents, self.documents),
        )


def _numbered(messages: Sequence[Message]) -> Integers:
    """Conversations as numbers, which are only compared with each other, in this process."""
    rows = [(each.document, hash(each.conversation), each.when) for each in messages]
    return np.array(rows, dtype=np.int64).reshape(-1, 3).T


def _require_sound(newer: Integers, last: int, pin: ReadState) -> None:
    """Refuse rows that do not rise or belong to no document: only a damaged source has them."""
    rows, sequences = newer[0], newer[5]
    counts_up = np.all(np.diff(rows, prepend=last) > 0) and np.all(rows <= pin.blocks)
    owned = np.all((newer[1] > 0) & (newer[1] <= pin.documents))
    if not counts_up or not owned or not np.all(np.isin(sequences, rows)):
        raise MalformedError("a pack of blocks is malformed")
