"""Which blocks a principal can see, and which of them meet filters, as flags by ordinal."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from biblicus_context.base.arrays import Flags, Integers
from biblicus_context.stores.sqlite.arrays import np
from biblicus_context.stores.sqlite.rank.columns import Columns, integers
from biblicus_context.stores.sqlite.read.reading import ALWAYS, Reading, Sql

if TYPE_CHECKING:
    from numpy.typing import NDArray

Item = TypeVar("Item", bound="np.generic")


@dataclass(frozen=True, slots=True)
class Seen:
    """Flags of blocks, those that have one, and their mean length in words."""

    flags: Flags
    ordinals: Integers
    """Those that have their flag, counting up."""
    mean_words: float

    @property
    def blocks(self) -> int:
        """How many there are."""
        return len(self.ordinals)

    @property
    def nbytes(self) -> int:
        """What it takes in memory."""
        return self.flags.nbytes + self.ordinals.nbytes


def seen(reading: Reading, columns: Columns, where: Sql = ALWAYS) -> Seen:
    """The blocks of all documents that may be seen and meet a condition."""
    listed = reading.rows("SELECT group_concat(d.row) FROM documents d", where).fetchone()[0]
    documents = integers(listed)
    (most,) = reading.connection.execute("SELECT documents FROM space").fetchone()
    if documents.min(initial=1) < 1 or documents.max(initial=0) > most:
        raise sqlite3.DatabaseError("the row of a document is malformed")
    last = max(documents.max(initial=0), columns.table.documents.max(initial=0))
    chosen = np.zeros(last + 1, dtype=np.bool_)
    chosen[documents] = True
    flags = chosen[columns.table.documents]
    ordinals = np.flatnonzero(flags)
    words = int(columns.table.words[ordinals].sum())
    return Seen(flags, ordinals, words / len(ordinals) if len(ordinals) else 0.0)


def fitted(values: NDArray[Item], size: int) -> NDArray[Item]:
    """Values from when there were fewer blocks, or more: later ones are of later versions, so not seen."""
    if len(values) >= size:
        return values[:size]
    return np.pad(values, (0, size - len(values)))
