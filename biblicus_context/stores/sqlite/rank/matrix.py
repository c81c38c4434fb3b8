"""The embeddings of one model in a workspace, as one matrix of unit rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

import numpy as np

from biblicus_context.base.arrays import Integers, Numbers, Rows
from biblicus_context.stores.model import Vectors
from biblicus_context.stores.sqlite.schema.tables import MODEL_BITS

_CHUNK: Final = 4096


class MatrixPart(NamedTuple):
    """Unit rows, with the rows of the blocks they belong to, in rising order."""

    blocks: Integers
    rows: Rows


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """A model as the workspace knows it."""

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

    def extended(self, connection: sqlite3.Connection) -> Matrix:
        """This matrix and what was written since, as far as this connection can see it."""
        last = int(self.blocks[-1]) if len(self.blocks) else 0
        newer = [*parts(connection, self.model, last)]
        oldest, version = connection.execute("SELECT oldest, version FROM space").fetchone()
        if not newer:
            return replace(self, newest=max(version, self.newest))
        tail = MatrixPart(
            np.concatenate([part.blocks for part in newer]),
            np.concatenate([part.rows for part in newer]),
        )
        blocks = np.concatenate([self.blocks, tail.blocks])
        oldest = max(oldest, self.oldest)
        return Matrix(self.model, (*self.parts, tail), blocks, oldest, version, self.saved)

    def numbers(self, blocks: Integers) -> Integers:
        """The number of each block's row; -1 for a block without an embedding."""
        found = np.searchsorted(self.blocks, blocks)
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

    def cosines_of(self, query: Rows, numbers: Integers) -> Numbers:
        """The cosines of the rows with these numbers."""
        found: Numbers = np.vecdot(self.rows_of(numbers), query).astype(np.float64)
        return found

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


def parts(
    connection: sqlite3.Connection, model: EmbeddingModel, after: int
) -> Iterator[MatrixPart]:
    """The embeddings of blocks after a row, a few thousand at a time."""
    low = model.number << MODEL_BITS
    rows = connection.execute(
        "SELECT row - ?, data FROM vectors WHERE row > ? AND row < ? ORDER BY row",
        (low, low + after, low + (1 << MODEL_BITS)),
    )
    while chunk := rows.fetchmany(_CHUNK):
        blocks, data = zip(*chunk, strict=True)
        if {*map(len, data)} != {4 * model.dimensions}:
            raise sqlite3.DatabaseError("an embedding is malformed")
        yield MatrixPart(np.array(blocks, dtype=np.int64), unit(b"".join(data), model.dimensions))


def has_rows(connection: sqlite3.Connection, model: EmbeddingModel, wanted: int) -> bool:
    """Whether a model has at least this many embeddings."""
    low = model.number << MODEL_BITS
    (found,) = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM vectors WHERE row > ? AND row < ? LIMIT ?)",
        (low, low + (1 << MODEL_BITS), wanted),
    ).fetchone()
    return bool(found == wanted)


def row_of(query: Vectors) -> Rows:
    """The one row of a query."""
    row: Rows = unit(query.data, query.dimensions)[0]
    return row


def unit(data: bytes, dimensions: int) -> Rows:
    """Packed rows, each divided by its length; a row of zeros stays one."""
    rows = np.frombuffer(data, dtype="<f4").reshape(-1, dimensions).astype(np.float64)
    lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    return (rows / np.where(lengths == 0.0, 1.0, lengths)).astype(np.float32)
