"""Which blocks a principal sees and filters let through, as flags by ordinal."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from biblicus_context.base.arrays import Flags, Integers
from biblicus_context.stores.errors import MalformedError
from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.ranking.columns import Columns
from biblicus_context.stores.source import ReadState

if TYPE_CHECKING:
    from numpy.typing import NDArray

Item = TypeVar("Item", bound="np.generic")


@dataclass(frozen=True, slots=True)
class VisibleBlocks:
    """Blocks as flags by ordinal and as ordinals."""

    flags: Flags
    ordinals: Integers
    """In rising order."""
    mean_words: float
    """BM25 weighs by length: the mean must be of what can be seen, or it would tell of the rest."""

    @classmethod
    def of(cls, columns: Columns, flags: Flags) -> VisibleBlocks:
        """The flagged blocks."""
        ordinals = np.flatnonzero(flags)
        words = int(columns.table.words[ordinals].sum())
        return cls(flags, ordinals, words / len(ordinals) if len(ordinals) else 0.0)

    @property
    def blocks(self) -> int:
        """How many there are."""
        return len(self.ordinals)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.flags.nbytes + self.ordinals.nbytes

    def resized(self, size: int) -> VisibleBlocks:
        """The same blocks among this number of all blocks."""
        if len(self.flags) == size:
            return self
        return VisibleBlocks(resized(self.flags, size), self.ordinals, self.mean_words)


def flags_of_documents(columns: Columns, documents: Integers, pin: ReadState) -> Flags:
    """The blocks of these documents."""
    if documents.min(initial=1) < 1 or documents.max(initial=0) > pin.documents:
        raise MalformedError("the row of a document is malformed")
    chosen = np.zeros(
        max(pin.documents, columns.table.documents.max(initial=0)) + 1, dtype=np.bool_
    )
    chosen[documents] = True
    return chosen[columns.table.documents]


def flags_of_blocks(columns: Columns, rows: Integers) -> Flags:
    """The blocks with these rows."""
    ordinals = columns.ordinals_of(rows)
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


def view_key(principal: Principal) -> object:
    """Equal for principals that see the same: part of the key of everything that is cached."""
    if principal.sees_all:
        return True
    # A hash, because it is part of every key and there may be thousands of groups.
    return sha256(repr((principal.user, sorted(principal.groups))).encode()).digest()


def filters_key(filters: Filters) -> str:
    """Equal for equal filters only: of two that are compared with ==, True equals 1."""
    return "" if filters is NO_FILTERS else repr(filters)
