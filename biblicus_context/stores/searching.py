"""A search by one kind of score, as hits with names, best first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from biblicus_context.base.doors import door
from biblicus_context.stores import checks
from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.found import BM25, Ahead, Found, SearchRequest
from biblicus_context.stores.model import Vectors
from biblicus_context.stores.results import Bm25, Hit, Search
from biblicus_context.stores.view import View

if TYPE_CHECKING:
    from biblicus_context.base.arrays import Integers, Numbers


@door
def search_text(
    view: View,
    terms: Sequence[str],
    *,
    filters: Filters = NO_FILTERS,
    limit: int = 100,
    offset: int = 0,
    weights: Bm25 = BM25,
    similarity: float | None = None,
) -> tuple[Hit, ...]:
    """A page of the blocks that contain any of the terms, ordered by score, then by block id."""
    end = checks.whole(offset, "offset") + checks.whole(limit, "limit")
    request = SearchRequest(
        terms=checks.sequence(terms, "terms"),
        filters=filters,
        limit=end,
        weights=weights,
        similarity=similarity,
    )
    return text_hits(view, request)[offset:end]


@door
def search_vectors(
    view: View,
    query: Vectors,
    *,
    filters: Filters = NO_FILTERS,
    limit: int = 100,
    offset: int = 0,
) -> tuple[Hit, ...]:
    """A page of the blocks whose embedding is nearest to this one, ordered by cosine, then by id."""
    end = checks.whole(offset, "offset") + checks.whole(limit, "limit")
    found = view.search(SearchRequest(vector=query, filters=filters, limit=end))
    return named(view, found, found.by_vector, found.cosines, "vector")[offset:end]


@door
def text_hits(view: View, request: SearchRequest, ahead: Ahead | None = None) -> tuple[Hit, ...]:
    """What a search by words finds, best first, and `ahead` what will be read of it."""
    found = view.search(request)
    search: Search = "text" if request.similarity is None else "fuzzy"
    return named(view, found, found.by_text, found.text, search, ahead)


def named(
    view: View,
    found: Found,
    rows: Integers,
    scores: Numbers,
    search: Search,
    ahead: Ahead | None = None,
) -> tuple[Hit, ...]:
    """These rows as hits, ordered by score, then by block id, and `ahead` what will be read of them."""
    if not len(rows):
        return ()
    ranked = rows[(-scores[rows]).argsort(kind="stable")]
    places = view.places(found, ranked, ahead=ahead)
    scored = sorted(zip((-scores[ranked]).tolist(), places, strict=True))
    return tuple(Hit(place, -score, search) for score, place in scored)
