"""Results of searches, by the ids of blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from biblicus_context import stores
from biblicus_context.base.arrays import Integers
from biblicus_context.stores import Found, Principal, SearchRequest, Store, Vectors, View

EVERYTHING = 2**31


def text_scores(
    store: Store, who: Principal, terms: Sequence[str], at: int | None = None
) -> dict[str, float]:
    """What every block scores by words; 0.0 if it contains none of them."""
    with store.view(who, at=at) as view:
        documents = [each.id for each in view.list_documents(limit=EVERYTHING)]
        nothing = {place.block_id: 0.0 for place in view.places_of(documents)}
        hits = stores.search_text(view, terms, limit=EVERYTHING)
        return nothing | {hit.block_id: hit.score for hit in hits}


def vector_scores(
    store: Store, who: Principal, query: Vectors, at: int | None = None
) -> dict[str, float]:
    """What every block that is embedded scores by meaning."""
    with store.view(who, at=at) as view:
        hits = stores.search_vectors(view, query, limit=EVERYTHING)
        return {hit.block_id: hit.score for hit in hits}


def ids_of(view: View, found: Found, rows: Integers | None = None) -> list[str]:
    """What rows are called, by default all of them."""
    chosen = np.arange(len(found)) if rows is None else rows
    return [each.block_id for each in view.places(found, chosen)]


def columns(found: Found) -> list[object]:
    """All that is known of every row, as lists, which can be compared."""
    return [
        found.terms,
        found.text.tolist(),
        [None if np.isnan(each) else each for each in found.cosines.tolist()],
        found.by_text.tolist(),
        found.by_vector.tolist(),
        *layout(found),
    ]


def layout(found: Found) -> list[object]:
    """Where the blocks are, as lists."""
    return [
        found.sequences.tolist(),
        found.positions.tolist(),
        found.tokens.tolist(),
        found.turns.tolist(),
        found.lengths.tolist(),
    ]


def searched(store: Store, who: Principal, **request: Any) -> list[object]:
    """All that a search tells: columns, names, what is around the best, and unit vectors."""
    with store.view(who) as view:
        found = view.search(SearchRequest(**request))
        wide, moved, near = found.around([(np.arange(len(found))[:2], 3), (found.by_text, 0)])
        units, rows = found.unit_vectors(np.arange(len(found)))
        return [
            columns(found),
            ids_of(view, found),
            columns(wide),
            ids_of(view, wide),
            moved.tolist(),
            [each.tolist() for each in near],
            units.tolist(),
            rows.tolist(),
        ]
