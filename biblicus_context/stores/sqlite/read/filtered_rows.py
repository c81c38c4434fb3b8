"""Which documents and blocks meet filters."""

from __future__ import annotations

from typing import Final

import numpy as np

from biblicus_context.base.arrays import Integers
from biblicus_context.stores.filters import Filters
from biblicus_context.stores.sql import all_of
from biblicus_context.stores.sqlite.read.conditions import block_condition, condition
from biblicus_context.stores.sqlite.read.reading import WorkspaceReading

_DOCUMENTS: Final = "SELECT group_concat(d.row) FROM documents d"
_BLOCKS: Final = (
    "SELECT group_concat(b.row) FROM documents d"
    " JOIN blocks b ON b.document = d.row JOIN texts x ON x.block = b.row"
)


def rows_meeting(reading: WorkspaceReading, filters: Filters) -> Integers:
    """The rows of the documents that filters let through, or of the blocks if they are on blocks."""
    if filters.block_metadata:
        where = all_of(condition(filters), block_condition(filters))
        return integers(reading.rows(_BLOCKS, where).fetchone()[0])
    return integers(reading.rows(_DOCUMENTS, condition(filters)).fetchone()[0])


def integers(listed: str | None) -> Integers:
    """The numbers in a text from group_concat: one long text leaves SQLite faster than many rows."""
    return np.fromstring(listed or "", dtype=np.int64, sep=",")
