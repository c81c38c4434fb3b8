"""From scores to results: the best blocks, in an order that nothing else can change."""

from __future__ import annotations

import sqlite3
from typing import Final, NamedTuple

import numpy as np

from biblicus_context.base.arrays import Integers, Numbers
from biblicus_context.stores.results import BlockPlace
from biblicus_context.stores.sqlite.read.reading import WorkspaceReading, among

_PLACES: Final = (
    "SELECT b.row, b.id, d.id, b.session, b.position, b.tokens"
    " FROM blocks b JOIN documents d ON d.row = b.document"
)


class ScoredRows(NamedTuple):
    """Rows of blocks in no order, each with its score."""

    rows: Integers
    scores: Numbers


def best(reading: WorkspaceReading, scored: ScoredRows, wanted: int) -> ScoredRows:
    """The best of them; of those that tie with the last one, the lower block ids are kept.

    Only blocks that tie at the end are looked up by id: there are few, and names are slow.
    """
    places = _best_and_ties(scored.scores, wanted)
    kept = ScoredRows(scored.rows[places], scored.scores[places])
    surplus = len(kept.scores) - wanted
    if surplus <= 0:
        return kept
    flags = np.ones(len(kept.scores), dtype=np.bool_)
    tied = np.flatnonzero(kept.scores == kept.scores.min(initial=np.inf))
    named = places_of(reading, kept.rows[tied])
    by_id = sorted(tied.tolist(), key=lambda place: named[int(kept.rows[place])].block_id)
    flags[by_id[len(by_id) - surplus :]] = False
    return ScoredRows(kept.rows[flags], kept.scores[flags])


def _best_and_ties(scores: Numbers, wanted: int) -> Integers:
    """The indices of the best scores, in no order, with all that tie with the last of them."""
    if wanted >= len(scores):
        return np.arange(len(scores))
    if wanted == 0:
        return np.arange(0)
    least = np.partition(scores, len(scores) - wanted)[len(scores) - wanted]
    return np.flatnonzero(scores >= least)


def places_of(reading: WorkspaceReading, rows: Integers) -> dict[int, BlockPlace]:
    """The places of blocks, by their rows."""
    wanted = rows.tolist()
    named = {
        row: BlockPlace._make(place)
        for row, *place in reading.rows(_PLACES, among("b.row", wanted))
    }
    if named.keys() != {*wanted}:
        raise sqlite3.DatabaseError("the row of a block is malformed")
    return named
