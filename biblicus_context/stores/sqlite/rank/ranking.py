"""From scores to answers: the best ones, in an order that nothing else can change."""

from __future__ import annotations

import sqlite3
from typing import Final, NamedTuple

from biblicus_context.base.arrays import Integers, Numbers
from biblicus_context.stores.results import Hit, Place, Search
from biblicus_context.stores.sqlite.arrays import np
from biblicus_context.stores.sqlite.rank.page import Page
from biblicus_context.stores.sqlite.read.reading import Reading, among

_PLACES: Final = (
    "SELECT b.row, b.id, d.id, b.session, b.position, b.tokens"
    " FROM blocks b JOIN documents d ON d.row = b.document"
)


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


def hits(reading: Reading, found: Scored, search: Search, page: Page) -> tuple[Hit, ...]:
    """A page of hits out of these blocks, the best first, equals by the block's id."""
    if page.offset >= len(found.scores):
        return ()
    before, rest = _from(found, page.offset)
    named = places(reading, rest.rows)
    scores = zip(rest.rows.tolist(), rest.scores.tolist(), strict=True)
    ranked = sorted((-score, named[row]) for row, score in scores)
    return tuple(
        Hit(place, -score, search)
        for score, place in ranked[page.offset - before : page.end - before]
    )


def exactly(reading: Reading, found: Scored, wanted: int) -> Scored:
    """So many of the best and no more; of those that tie with the last one the ids decide."""
    surplus = len(found.scores) - wanted
    if surplus <= 0:
        return found
    kept = np.ones(len(found.scores), dtype=np.bool_)
    tied = np.flatnonzero(found.scores == found.scores.min(initial=np.inf))
    named = places(reading, found.rows[tied])
    by_id = sorted(tied.tolist(), key=lambda place: named[int(found.rows[place])].block_id)
    kept[by_id[len(by_id) - surplus :]] = False
    return Scored(found.rows[kept], found.scores[kept])


def places(reading: Reading, rows: Integers) -> dict[int, Place]:
    """Where blocks stand, by their rows."""
    wanted = rows.tolist()
    found = reading.rows(_PLACES, among("b.row", wanted))
    named = {row: Place._make(place) for row, *place in found}
    if named.keys() != {*wanted}:
        raise sqlite3.DatabaseError("the row of a block is malformed")
    return named


def _from(found: Scored, offset: int) -> tuple[int, Scored]:
    """What may stand at this place of the ranking or after it, and how many stand before that.

    Which of equals stands where their ids decide, so those are either all in or all out.
    """
    first = np.partition(found.scores, -1 - offset)[-1 - offset]
    rest = found.scores <= first
    return int(np.count_nonzero(~rest)), Scored(found.rows[rest], found.scores[rest])
