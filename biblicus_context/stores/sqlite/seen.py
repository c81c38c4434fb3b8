"""Which blocks a principal can see, and which of them meet filters, as flags by ordinal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from biblicus_context.stores.sqlite.arrays import np
from biblicus_context.stores.sqlite.columns import Columns, integers
from biblicus_context.stores.sqlite.reading import ALWAYS, Reading, Sql

if TYPE_CHECKING:
    from numpy.typing import NDArray

Flags: TypeAlias = "NDArray[np.bool_]"
Item = TypeVar("Item", bound="np.generic")


@dataclass(frozen=True, slots=True)
class Seen:
    """Flags of blocks, with how many there are and their mean length in words."""

    flags: Flags
    blocks: int
    mean_words: float


def seen(reading: Reading, columns: Columns, where: Sql = ALWAYS) -> Seen:
    """The blocks of all documents that may be seen and meet a condition."""
    listed = reading.rows("SELECT group_concat(d.row) FROM documents d", where).fetchone()[0]
    documents = integers(listed)
    last = max(documents.max(initial=0), columns.documents.max(initial=0))
    chosen = np.zeros(last + 1, dtype=np.bool_)
    chosen[documents] = True
    flags = chosen[columns.documents]
    blocks = int(np.count_nonzero(flags))
    words = int(columns.words[flags].sum())
    return Seen(flags, blocks, words / blocks if blocks else 0.0)


def stretched(values: NDArray[Item], size: int) -> NDArray[Item]:
    """Values from when there were fewer blocks: later ones are of later versions, so not seen."""
    return values if len(values) == size else np.pad(values, (0, size - len(values)))
