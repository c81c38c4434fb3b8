"""The embeddings of one model in a collection, as one matrix of unit rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from biblicus_context.base.arrays import Integers, Numbers, Rows
from biblicus_context.stores.model import Vectors
from biblicus_context.stores.source import ReadState


class MatrixPart(NamedTuple):
    """Unit rows, with the rows of the blocks they belong to, in rising order."""

    blocks: Integers
    rows: Rows


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """A model as the source knows it."""

    number: int
    dimensions: int


@dataclass(frozen=True, slots=True)
class Matrix:
    """Parts in the order of their blocks; the first may be a file that is mapped into memory."""

    model: EmbeddingModel
    parts: tuple[MatrixPart, ...]
    blocks: Integers
    """The block of every row."""
    oldest: int
    """Of versions from this one on, all embeddings are here."""
    newest: int = -1
    """Of versions up to this one, too: a read of them need not look for more."""
    saved: int = 0
    """Rows of the first part, if it is a file."""
    lineage: object = field(default_factory=object)
    """A new one for every matrix: caches by row number must not outlive it."""

    @property
    def last(self) -> int:
        """The last block with an embedding."""
        return int(self.blocks[-1]) if len(self.blocks) else 0

    @property
    def nbytes(self) -> int:
        """Bytes in memory; what is mapped from a file is not ours."""
        unsaved = self.parts[1:] if self.saved else self.parts
        return self.blocks.nbytes + sum(each.rows.nbytes for each in unsaved)

    def extended(self, newer: Sequence[MatrixPart], pin: ReadState) -> Matrix:
        """This matrix and what was written since."""
        if not newer:
            return replace(self, newest=max(pin.newest, self.newest))
        tail = MatrixPart(
            np.concatenate([part.blocks for part in newer]),
            np.concatenate([part.rows for part in newer]),
        )
        blocks = np.concatenate([self.blocks, tail.blocks])
        oldest = max(pin.oldest, self.oldest)
        return Matrix(self.model, (*self.parts, tail), blocks, oldest, pin.newest, self.saved)

    def numbers(self, blocks: Integers) -> Integers:
        """The number of each block's row; -1 for a block without an embedding."""
        found = self.blocks.searchsorted(blocks)
        inside = found < len(self.blocks)
        there = np.zeros(len(blocks), dtype=np.bool_)
        there[inside] = self.blocks[found[inside]] == blocks[inside]
        return np.where(there, found, -1)

    def cosines(self, query: Rows) -> Numbers:
        """The cosine of every row.

        `vecdot` goes row by row, so that a row's last bit does not depend on what else is in the
        matrix, as it does where a product works on several rows at once; and it is faster.
        """
        found = [np.vecdot(part.rows, query) for part in self.parts] or [np.zeros(0)]
        return np.concatenate(found).astype(np.float64)

    def rows_of(self, numbers: Integers) -> Rows:
        """The rows with these numbers."""
        found = np.empty((len(numbers), self.model.dimensions), dtype=np.float32)
        first = 0
        for part in self.parts:
            inside = (numbers >= first) & (numbers < first + len(part.blocks))
            found[inside] = part.rows[numbers[inside] - first]
            first += len(part.blocks)
        return found


def empty_matrix(model: EmbeddingModel) -> Matrix:
    """A matrix without rows."""
    return Matrix(model, (), np.arange(0), 0)


def row_of(query: Vectors) -> Rows:
    """The one row of a query."""
    row: Rows = unit(query.data, query.dimensions)[0]
    return row


def unit(data: bytes, dimensions: int) -> Rows:
    """Packed rows, each divided by its length; a row of zeros stays one."""
    rows = np.frombuffer(data, dtype="<f4").reshape(-1, dimensions).astype(np.float64)
    lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    return (rows / np.where(lengths == 0.0, 1.0, lengths)).astype(np.float32)
