"""Blocks around a block, in the same document and session."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from biblicus_context.stores.answers import Nearby, Place
from biblicus_context.stores.model import Block
from biblicus_context.stores.sqlite import rows
from biblicus_context.stores.sqlite.reading import Reading, Sql

_NEARBY: Final = (
    "SELECT h.id, b.position - h.position, b.id, d.id, b.session, b.position, b.tokens"
    " FROM blocks h CROSS JOIN documents d CROSS JOIN blocks b"
)
_AROUND: Final = (
    "h.id IN (SELECT value FROM json_each(?)) AND d.row = h.document AND b.document = d.row"
    " AND b.position BETWEEN h.position - ? AND h.position + ?"
    " AND b.session IS h.session AND b.row <> h.row"
)
_NEIGHBOURS: Final = f"{rows.BLOCKS} JOIN blocks h ON h.document = b.document"
_BETWEEN: Final = (
    "h.id IN (SELECT value FROM json_each(?)) AND b.session IS h.session"
    " AND b.position BETWEEN h.position - ? AND h.position + ?"
)


def nearby(reading: Reading, ids: Sequence[str], reach: int) -> tuple[Nearby, ...]:
    """Places around many blocks at once, in the order of the blocks and then of their documents."""
    where = Sql(_AROUND, (json.dumps(ids), reach, reach))
    found = [
        Nearby(of, Place(*place), distance) for of, distance, *place in reading.rows(_NEARBY, where)
    ]
    order = {each: number for number, each in enumerate(ids)}
    return tuple(
        sorted(found, key=lambda each: (order[each.of], each.distance, each.place.block_id))
    )


def neighbours(reading: Reading, ids: Sequence[str], before: int, after: int) -> tuple[Block, ...]:
    """A block with those around it, in their order."""
    where = Sql(_BETWEEN, (json.dumps(ids), before, after))
    found = reading.rows(_NEIGHBOURS, where, order="ORDER BY b.position, b.id")
    return tuple(map(rows.block, found))
