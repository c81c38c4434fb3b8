"""Rankings by a single search of the store, in its order."""

from __future__ import annotations

from collections.abc import Sequence

from biblicus_context.corpora.evidence import RankedBlock
from biblicus_context.corpora.search.query import WEIGHTS, SearchQuery
from biblicus_context.corpora.search.waiting import searched
from biblicus_context.errors import PlanError
from biblicus_context.retrieval.analysis.query_analysis import phrases_of
from biblicus_context.spec.retriever_settings import (
    FuzzySpec,
    KeywordSpec,
    RecentSpec,
    VectorSpec,
)
from biblicus_context.stores import Hit, SearchRequest, named, text_hits


def keyword(query: SearchQuery, spec: KeywordSpec, most: int) -> list[RankedBlock]:
    """By the words of the query, and by its phrases if the plan wants that."""
    if not query.words:
        return []
    phrases = phrases_of(query.text) if spec.phrases else ()
    request = SearchRequest(
        words=query.words,
        terms=tuple(phrases),
        filters=query.filters,
        limit=most,
        weights=WEIGHTS,
    )
    return _found(text_hits(query.view, request, query.ahead))


def fuzzy(query: SearchQuery, spec: FuzzySpec, most: int) -> list[RankedBlock]:
    """By words with a similar spelling to those of the query."""
    if not query.words:
        return []
    request = SearchRequest(
        words=query.words,
        filters=query.filters,
        limit=most,
        weights=WEIGHTS,
        similarity=spec.similarity,
    )
    return _found(text_hits(query.view, request, query.ahead))


def vector(query: SearchQuery, spec: VectorSpec, most: int) -> list[RankedBlock]:
    """By similarity of vectors."""
    del spec
    if query.embedder is None:
        raise PlanError(
            "a vector retriever needs a corpus with an embedder",
            fix="Remove `embedder: null` from the config of the corpus, and index it again.",
        )
    if query.vector is None:
        return []
    found = searched(query, SearchRequest(vector=query.vector, filters=query.filters, limit=most))
    rows, scores = found.by_vector, found.cosines
    hits = named(query.view, found, rows, scores, "vector", query.ahead)
    return _found(hits)[:most]


def recent(query: SearchQuery, spec: RecentSpec, most: int) -> list[RankedBlock]:
    """By the time of the last change."""
    del spec
    return _found(query.view.recent(filters=query.filters, limit=most))


def _found(hits: Sequence[Hit]) -> list[RankedBlock]:
    scores: dict[str, dict[str, float]] = {hit.block_id: {hit.search: hit.score} for hit in hits}
    return [
        RankedBlock(hit.block_id, hit.place.document_id, hit.score, scores.__getitem__)
        for hit in hits
    ]
