"""How alike a query and its hits are, whatever ranked them."""

from __future__ import annotations

from collections.abc import Sequence

from biblicus_context.corpora.evidence import Evidence, RankedBlock
from biblicus_context.corpora.index import Index
from biblicus_context.corpora.search.query import CurrentView, SearchQuery
from biblicus_context.corpora.search.similarity import similarities
from biblicus_context.stores import NO_FILTERS, Vectors


def likeness(
    index: Index, query: str, found: Sequence[Evidence], vector: Vectors | None = None
) -> list[float]:
    """The similarity of each hit and the query, as `min_score` measures it."""
    if not found:
        return []
    embedder = index.query_embedder
    ranked = [RankedBlock(e.block.id, e.document.id, e.score, lambda _: {}) for e in found]
    with index.shared_view() as view:
        asked = SearchQuery(
            reading=CurrentView(view),
            embedder=embedder,
            text=query,
            filters=NO_FILTERS,
            now=index.pinned(view).now,
            given=vector,
            quick=index.quick_vectors,
        )
        return similarities(asked, ranked, "vectors" if embedder else "words", lambda _: found)
