"""How alike a query and its hits are, whatever ranked them."""

from __future__ import annotations

from collections.abc import Sequence

from biblicus_context.corpora.evidence import Evidence, RankedBlock
from biblicus_context.corpora.index import Index
from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.corpora.search.similarity import similarities
from biblicus_context.stores import NO_FILTERS, Vectors


def likeness(
    index: Index, query: str, found: Sequence[Evidence], vector: Vectors | None = None
) -> list[float]:
    """The similarity of each hit and the query, as `min_score` measures it."""
    if not found:
        return []
    with index.reading():  # so that no removal meanwhile ends the version
        return _likeness(index, query, found, vector)


def _likeness(
    index: Index, query: str, found: Sequence[Evidence], vector: Vectors | None
) -> list[float]:
    pin, embedder = index.newest(), index.query_embedder
    asked = SearchQuery(
        store=index.store,
        principal=index.principal,
        embedder=embedder,
        text=query,
        filters=NO_FILTERS,
        at=pin.version,
        now=pin.now,
        given=vector,
    )
    ranked = [RankedBlock(e.block.id, e.document.id, e.score, lambda _: {}) for e in found]
    return similarities(asked, ranked, "vectors" if embedder else "words", lambda _: found)
