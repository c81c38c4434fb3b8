"""Rankings that are one search of the store, in the order it answers."""

from __future__ import annotations

from collections.abc import Sequence

from biblicus_context.corpora.search.evidence import Found
from biblicus_context.corpora.search.query import WEIGHTS, Question
from biblicus_context.errors import PlanError
from biblicus_context.spec.retriever_settings import (
    FuzzySpec,
    KeywordSpec,
    RecentSpec,
    VectorSpec,
)
from biblicus_context.stores import Hit


def keyword(question: Question, spec: KeywordSpec, most: int) -> list[Found]:
    """By the words of the query."""
    del spec
    if not question.terms:
        return []
    return _found(
        question.store.search_text(
            question.principal,
            question.terms,
            filters=question.filters,
            limit=most,
            weights=WEIGHTS,
            at=question.at,
        )
    )


def fuzzy(question: Question, spec: FuzzySpec, most: int) -> list[Found]:
    """By words that are spelt like those of the query."""
    if not question.terms:
        return []
    return _found(
        question.store.search_fuzzy(
            question.principal,
            question.terms,
            filters=question.filters,
            limit=most,
            weights=WEIGHTS,
            similarity=spec.similarity,
            at=question.at,
        )
    )


def vector(question: Question, spec: VectorSpec, most: int) -> list[Found]:
    """By nearness of meaning."""
    del spec
    if question.embedder is None:
        raise PlanError(
            "a vector retriever needs a corpus with an embedder",
            fix="Say embedder: wordllama in the corpus' config, and index it again.",
        )
    if question.vector is None:
        return []
    return _found(
        question.store.search_vectors(
            question.principal,
            question.vector,
            filters=question.filters,
            limit=most,
            at=question.at,
        )
    )


def recent(question: Question, spec: RecentSpec, most: int) -> list[Found]:
    """By the time of the last change."""
    del spec
    return _found(
        question.store.recent(
            question.principal, filters=question.filters, limit=most, at=question.at
        )
    )


def _found(hits: Sequence[Hit]) -> list[Found]:
    scores: dict[str, dict[str, float]] = {hit.block_id: {hit.search: hit.score} for hit in hits}
    return [
        Found(hit.block_id, hit.place.document_id, hit.score, scores.__getitem__) for hit in hits
    ]
