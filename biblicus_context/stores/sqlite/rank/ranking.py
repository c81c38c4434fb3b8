"""From scores to results: the best blocks, in an order that nothing else can change."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biblicus_context.base.arrays import Integers, Numbers
from biblicus_context.stores.sqlite.rank.places import places_of
from biblicus_context.stores.sqlite.read.reading import WorkspaceReading


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
    named = places_of(reading, kept.rows[tied].tolist())
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
