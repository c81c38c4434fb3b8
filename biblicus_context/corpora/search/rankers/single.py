"""Rankings by a single search of the store, in its order."""

from __future__ import annotations

from collections.abc import Sequence

from biblicus_context.corpora.evidence import RankedBlock
from biblicus_context.corpora.search.query import WEIGHTS, SearchQuery
from biblicus_context.errors import PlanError
from biblicus_context.retrieval.analysis.query_analysis import phrases_of
from biblicus_context.spec.retriever_settings import (
    FuzzySpec,
    KeywordSpec,
    RecentSpec,
    VectorSpec,
)
from biblicus_context.stores import Hit, search_text, search_vectors


def keyword(query: SearchQuery, spec: KeywordSpec, most: int) -> list[RankedBlock]:
    """By the words of the query, and by its phrases if the plan wants that."""
    if not query.terms:
        return []
    phrases = phrases_of(query.text) if spec.phrases else ()
    return _found(
        search_text(
            query.store,
            query.principal,
            [*query.terms, *phrases],
            filters=query.filters,
            limit=most,
            weights=WEIGHTS,
            at=query.at,
        )
    )


def fuzzy(query: SearchQuery, spec: FuzzySpec, most: int) -> list[RankedBlock]:
    """By words with a similar spelling to those of the query."""
    if not query.terms:
        return []
    return _found(
        search_text(
            query.store,
            query.principal,
            query.terms,
            filters=query.filters,
            limit=most,
            weights=WEIGHTS,
            similarity=spec.similarity,
            at=query.at,
        )
    )


def vector(query: SearchQuery, spec: VectorSpec, most: int) -> list[RankedBlock]:
    """By similarity of vectors."""
    del spec
    if query.embedder is None:
        raise PlanError(
            "a vector retriever needs a corpus with an embedder",
            fix="Set `embedder: wordllama` in the config of the corpus, and index it again.",
        )
    if query.vector is None:
        return []
    return _found(
        search_vectors(
            query.store,
            query.principal,
            query.vector,
            filters=query.filters,
            limit=most,
            at=query.at,
        )
    )


def recent(query: SearchQuery, spec: RecentSpec, most: int) -> list[RankedBlock]:
    """By the time of the last change."""
    del spec
    return _found(
        query.store.recent(query.principal, filters=query.filters, limit=most, at=query.at)
    )


def _found(hits: Sequence[Hit]) -> list[RankedBlock]:
    scores: dict[str, dict[str, float]] = {hit.block_id: {hit.search: hit.score} for hit in hits}
    return [
        RankedBlock(hit.block_id, hit.place.document_id, hit.score, scores.__getitem__)
        for hit in hits
    ]
