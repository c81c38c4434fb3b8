"""From scores to hits: the best ones, in an order that nothing else can change."""

from __future__ import annotations

import json
from typing import Final

from biblicus_context.stores.answers import Hit, Place, Search
from biblicus_context.stores.sqlite.arrays import np
from biblicus_context.stores.sqlite.columns import Columns, Integers, Numbers
from biblicus_context.stores.sqlite.reading import Reading, Sql

_PLACES: Final = (
    "SELECT b.row, b.id, d.id, b.session, b.position, b.tokens"
    " FROM blocks b JOIN documents d ON d.row = b.document"
)
_THESE: Final = "b.row IN (SELECT value FROM json_each(?))"


def best(scores: Numbers, wanted: int) -> Integers:
    """Where the best scores stand, in no order; all those that tie with the last one among them."""
    if wanted >= len(scores):
        return np.arange(len(scores))
    if wanted == 0:
        return np.arange(0)
    least = np.partition(scores, len(scores) - wanted)[len(scores) - wanted]
    return np.flatnonzero(scores >= least)


def hits(
    reading: Reading,
    columns: Columns,
    ordinals: Integers,
    scores: Numbers,
    search: Search,
) -> list[Hit]:
    """Hits for these blocks, the best first, equals by the block's id."""
    rows = columns.rows[ordinals].tolist()
    by_row = dict(zip(rows, scores.tolist(), strict=True))
    places = reading.rows(_PLACES, Sql(_THESE, (json.dumps(rows),)))
    found = [Hit(Place(*each), by_row[row], search) for row, *each in places]
    return sorted(found, key=lambda hit: (-hit.score, hit.place.block_id))
