"""Blocks around a block, in the same document and session."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from biblicus_context.stores.results import Nearby, Place
from biblicus_context.stores.model import Block
from biblicus_context.stores.sqlite.read.reading import Reading, Sql, all_of, among
from biblicus_context.stores.sqlite.schema import rows

_NEARBY: Final = (
    "SELECT w.key, b.position - h.position, b.id, d.id, b.session, b.position, b.tokens"
    " FROM json_each w CROSS JOIN blocks h CROSS JOIN documents d CROSS JOIN blocks b"
)
_AROUND: Final = (
    "w.json = ? AND h.id = w.value AND d.row = h.document AND b.document = d.row"
    " AND b.position BETWEEN h.position - ? AND h.position + ?"
    " AND b.session IS h.session AND b.row <> h.row"
)
_NEIGHBOURS: Final = f"{rows.BLOCKS} JOIN blocks h ON h.document = b.document"
_BETWEEN: Final = "b.session IS h.session AND b.position BETWEEN h.position - ? AND h.position + ?"


def nearby(reading: Reading, ids: Sequence[str], reach: int) -> tuple[Nearby, ...]:
    """Places around many blocks at once, in the order of the blocks and then of their documents."""
    where = Sql(_AROUND, (json.dumps(ids), reach, reach))
    # Rows begin with what they are sorted by, and come out of their index nearly sorted.
    found = sorted(reading.rows(_NEARBY, where))
    return tuple(
        Nearby(ids[of], Place(block, document, session, position, tokens), distance)
        for of, distance, block, document, session, position, tokens in found
    )


def neighbours(reading: Reading, ids: Sequence[str], before: int, after: int) -> tuple[Block, ...]:
    """A block with those around it, in their order."""
    where = all_of(among("h.id", ids), Sql(_BETWEEN, (before, after)))
    found = reading.rows(_NEIGHBOURS, where, order="ORDER BY b.position, b.id")
    return tuple(map(rows.block, found))
