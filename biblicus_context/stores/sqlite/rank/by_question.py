"""Searches of blocks: arguments are checked, a read begins, another file answers."""

from __future__ import annotations

from collections.abc import Sequence

from biblicus_context.stores import filter_checks
from biblicus_context.stores import query_checks as question_checks
from biblicus_context.stores.results import Bm25, Hit, TermCounts
from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.model import Vectors
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.query_checks import TextQuestion
from biblicus_context.stores.searching import BM25
from biblicus_context.stores.sqlite.rank.page import Page
from biblicus_context.stores.sqlite.read import lookups as reader
from biblicus_context.stores.sqlite.read.asked import Asked


class ByQuestion(Asked):
    """Each method's contract is that of the Protocol `Searching`."""

    def search_text(
        self,
        principal: Principal,
        terms: Sequence[str],
        *,
        filters: Filters = NO_FILTERS,
        limit: int = 100,
        offset: int = 0,
        weights: Bm25 = BM25,
        at: int | None = None,
    ) -> tuple[Hit, ...]:
        """Blocks by BM25."""
        question = question_checks.text(terms, weights, None)
        return self._by_words(principal, question, filters, Page(offset, limit), at)

    def search_fuzzy(
        self,
        principal: Principal,
        terms: Sequence[str],
        *,
        filters: Filters = NO_FILTERS,
        limit: int = 100,
        offset: int = 0,
        weights: Bm25 = BM25,
        similarity: float = 0.75,
        at: int | None = None,
    ) -> tuple[Hit, ...]:
        """Blocks by BM25, misspelt words included."""
        question = question_checks.text(terms, weights, similarity)
        return self._by_words(principal, question, filters, Page(offset, limit), at)

    def search_vectors(
        self,
        principal: Principal,
        query: Vectors,
        *,
        filters: Filters = NO_FILTERS,
        limit: int = 100,
        offset: int = 0,
        at: int | None = None,
    ) -> tuple[Hit, ...]:
        """Blocks by cosine."""
        embedding = question_checks.query(query)
        page = Page(offset, limit)
        with self._searching(principal, at) as (space, reading):
            wanted = filter_checks.checked(filters)
            return space.searches.vectors(reading, embedding, wanted, page)

    def recent(
        self,
        principal: Principal,
        *,
        filters: Filters = NO_FILTERS,
        limit: int = 100,
        offset: int = 0,
        at: int | None = None,
    ) -> tuple[Hit, ...]:
        """Blocks of the documents last changed."""
        page = Page(offset, limit)
        with self._reading(principal, at) as reading:
            return reader.recent(reading, filter_checks.checked(filters), page)

    def count_terms(
        self, principal: Principal, terms: Sequence[str], *, at: int | None = None
    ) -> TermCounts:
        """In how many blocks each term stands."""
        question = question_checks.text(terms, BM25, None)
        with self._searching(principal, at) as (space, reading):
            return space.searches.count(reading, question.terms)

    def _by_words(
        self,
        principal: Principal,
        question: TextQuestion,
        filters: Filters,
        page: Page,
        at: int | None,
    ) -> tuple[Hit, ...]:
        with self._searching(principal, at) as (space, reading):
            return space.searches.text(reading, question, filter_checks.checked(filters), page)
