"""The ids and positions of blocks, by their rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import partial
from typing import Final

from biblicus_context.stores.results import BlockPlace
from biblicus_context.stores.sqlite.read.reading import WorkspaceReading, among

_PLACES: Final = (
    "SELECT b.row, b.id, d.id, b.session, b.position, b.tokens"
    " FROM blocks b JOIN documents d ON d.row = b.document"
)


def places_of(reading: WorkspaceReading, rows: Sequence[int]) -> dict[int, BlockPlace]:
    """The places of blocks, by their rows."""
    # As `_make` does, but a call for each of hundreds of names.
    made = partial(tuple.__new__, BlockPlace)
    named = {row: made(place) for row, *place in reading.rows(_PLACES, among("b.row", rows))}
    if named.keys() != {*rows}:
        raise sqlite3.DatabaseError("the row of a block is malformed")
    return named
