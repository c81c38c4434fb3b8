"""From scores to hits: the best ones, in an order that nothing else can change."""

from __future__ import annotations

import json
from typing import Final, NamedTuple

from biblicus_context.stores.answers import Hit, Place, Search
from biblicus_context.stores.sqlite.arrays import np
from biblicus_context.stores.sqlite.columns import Integers, Numbers
from biblicus_context.stores.sqlite.handed import Handed
from biblicus_context.stores.sqlite.page import Page
from biblicus_context.stores.sqlite.reading import Reading, Sql

_PLACES: Final = (
    "SELECT b.row, b.id, d.id, b.session, b.position, b.tokens"
    " FROM blocks b JOIN documents d ON d.row = b.document"
)
_THESE: Final = "b.row IN (SELECT value FROM json_each(?))"


class Scored(NamedTuple):
    """Rows of blocks in no order, and what each scores."""

    rows: Integers
    scores: Numbers


def best(scores: Numbers, wanted: int) -> Integers:
    """Where the best scores stand, in no order; all those that tie with the last one among them."""
    if wanted >= len(scores):
        return np.arange(len(scores))
    if wanted == 0:
        return np.arange(0)
    least = np.partition(scores, len(scores) - wanted)[len(scores) - wanted]
    return np.flatnonzero(scores >= least)


def hits(
    reading: Reading, found: Scored, search: Search, page: Page, handed: Handed
) -> tuple[Hit, ...]:
    """A page of hits out of these blocks, the best first, equals by the block's id."""
    if page.offset >= len(found.scores):
        return ()
    before, rest = _from(found, page.offset)
    rows = rest.rows.tolist()
    scores = dict(zip(rows, rest.scores.tolist(), strict=True))
    places = reading.rows(_PLACES, Sql(_THESE, (json.dumps(rows),))).fetchall()
    handed.note(reading, {block: row for row, block, *_ in places})
    ranked = sorted((-scores[row], *place) for row, *place in places)
    return tuple(
        Hit(Place._make(place), -score, search)
        for score, *place in ranked[page.offset - before : page.end - before]
    )


def _from(found: Scored, offset: int) -> tuple[int, Scored]:
    """What may stand at this place of the ranking or after it, and how many stand before that.

    Which of equals stands where their ids decide, so those are either all in or all out.
    """
    first = np.partition(found.scores, -1 - offset)[-1 - offset]
    rest = found.scores <= first
    return int(np.count_nonzero(~rest)), Scored(found.rows[rest], found.scores[rest])
