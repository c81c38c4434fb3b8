"""Which blocks a principal can see, which of them meet filters, and the numbers they go by."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import numpy as np

from biblicus_context.base.arrays import Flags, Integers
from biblicus_context.errors import InputError
from biblicus_context.stores.filters import Filters
from biblicus_context.stores.refusals import no_such_number
from biblicus_context.stores.sqlite.rank.columns import Columns, integers
from biblicus_context.stores.sqlite.read.conditions import block_condition, condition
from biblicus_context.stores.sqlite.read.reading import WorkspaceReading, all_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

Item = TypeVar("Item", bound="np.generic")


@dataclass(frozen=True, slots=True)
class VisibleBlocks:
    """The blocks that can be seen, as flags by ordinal and as ordinals."""

    flags: Flags
    ordinals: Integers
    """In rising order."""
    mean_words: float
    """BM25 weighs by length: the mean must be of what can be seen, or it would tell of the rest."""

    @property
    def blocks(self) -> int:
        """How many there are."""
        return len(self.ordinals)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.flags.nbytes + self.ordinals.nbytes


_DOCUMENTS: Final = "SELECT group_concat(d.row) FROM documents d"
_BLOCKS: Final = (
    "SELECT group_concat(b.row) FROM documents d"
    " JOIN blocks b ON b.document = d.row JOIN texts x ON x.block = b.row"
)


def visible_blocks(reading: WorkspaceReading, columns: Columns, filters: Filters) -> VisibleBlocks:
    """The blocks that can be seen and meet the filters, with those of their documents."""
    of = _of_blocks if filters.block_metadata else _of_documents
    flags = of(reading, columns, filters)
    ordinals = np.flatnonzero(flags)
    words = int(columns.table.words[ordinals].sum())
    return VisibleBlocks(flags, ordinals, words / len(ordinals) if len(ordinals) else 0.0)


def _of_documents(reading: WorkspaceReading, columns: Columns, filters: Filters) -> Flags:
    documents = integers(reading.rows(_DOCUMENTS, condition(filters)).fetchone()[0])
    (most,) = reading.connection.execute("SELECT documents FROM space").fetchone()
    if documents.min(initial=1) < 1 or documents.max(initial=0) > most:
        raise sqlite3.DatabaseError("the row of a document is malformed")
    last = max(documents.max(initial=0), columns.table.documents.max(initial=0))
    chosen = np.zeros(last + 1, dtype=np.bool_)
    chosen[documents] = True
    return chosen[columns.table.documents]


def _of_blocks(reading: WorkspaceReading, columns: Columns, filters: Filters) -> Flags:
    where = all_of(condition(filters), block_condition(filters))
    ordinals = columns.ordinals_of(integers(reading.rows(_BLOCKS, where).fetchone()[0]))
    flags = np.zeros(len(columns), dtype=np.bool_)
    flags[ordinals[ordinals >= 0]] = True
    return flags


def resized(values: NDArray[Item], size: int) -> NDArray[Item]:
    """Cached values for this number of blocks.

    Columns grow while answers of an older version stay cached. Blocks that came since belong to
    later versions, which this version does not see: zero and False are right for them.
    """
    if len(values) >= size:
        return values[:size]
    return np.pad(values, (0, size - len(values)))


class BlockNumbers(NamedTuple):
    """The numbers of blocks: their places among all that a principal can see of a version.

    A hidden block has no number, so numbers do not reveal whether anything is hidden.
    """

    columns: Columns
    visible: VisibleBlocks

    def ordinals(self, numbers: Integers) -> Integers:
        """The blocks with these numbers."""
        if not isinstance(numbers, np.ndarray) or numbers.dtype.kind not in "iu":
            fix = "Pass the numbers that a ranking or a layout returned."
            raise InputError("an array of numbers of blocks is expected", place="numbers", fix=fix)
        if np.any((numbers < 0) | (numbers >= self.visible.blocks)):
            raise no_such_number(int(numbers.min()), int(numbers.max()))
        return self.visible.ordinals[numbers]

    def rows(self, numbers: Integers) -> Integers:
        """The rows of the blocks with these numbers."""
        return self.columns.table.rows[self.ordinals(numbers)]

    def of_ordinals(self, ordinals: Integers) -> Integers:
        """The numbers of blocks that can be seen."""
        return np.searchsorted(self.visible.ordinals, ordinals)

    def of_rows(self, rows: Integers) -> Integers:
        """The numbers of blocks that can be seen, by their rows."""
        return self.of_ordinals(self.columns.ordinals_of(rows))
