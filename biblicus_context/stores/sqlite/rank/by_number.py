"""Blocks by number: arguments are checked, a read begins, another file answers."""

from __future__ import annotations

from collections.abc import Sequence

from biblicus_context.base.arrays import Integers, Numbers, Rows
from biblicus_context.stores import checks, filter_checks
from biblicus_context.stores import query_checks as question_checks
from biblicus_context.stores.results import Bm25, Layout, Place, Ranked
from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.model import Vectors
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.searching import BM25
from biblicus_context.stores.sqlite.read.asked import Asked


class ByNumber(Asked):
    """Each method's contract is that of the Protocol `Ranking`."""

    def rank_text(
        self,
        principal: Principal,
        terms: Sequence[str],
        *,
        filters: Filters = NO_FILTERS,
        limit: int = 100,
        weights: Bm25 = BM25,
        at: int,
    ) -> Ranked:
        """Blocks by BM25, as columns."""
        question = question_checks.text(terms, weights, None)
        most = checks.whole(limit, "limit")
        with self._searching(principal, at) as (space, reading):
            wanted = filter_checks.checked(filters)
            return space.searches.text_ranked(reading, question, wanted, most)

    def rank_vectors(
        self,
        principal: Principal,
        query: Vectors,
        *,
        filters: Filters = NO_FILTERS,
        limit: int = 100,
        at: int,
    ) -> Ranked:
        """Blocks by cosine, as columns."""
        embedding = question_checks.query(query)
        most = checks.whole(limit, "limit")
        with self._searching(principal, at) as (space, reading):
            wanted = filter_checks.checked(filters)
            return space.searches.vectors_ranked(reading, embedding, wanted, most)

    def score_text(
        self,
        principal: Principal,
        terms: Sequence[str],
        numbers: Integers,
        *,
        weights: Bm25 = BM25,
        at: int,
    ) -> Numbers:
        """The BM25 of single blocks."""
        question = question_checks.text(terms, weights, None)
        with self._searching(principal, at) as (space, reading):
            return space.searches.text_scores(reading, question, numbers)

    def score_vectors(
        self, principal: Principal, query: Vectors, numbers: Integers, *, at: int
    ) -> Numbers:
        """The cosines of single blocks."""
        embedding = question_checks.query(query)
        with self._searching(principal, at) as (space, reading):
            return space.searches.vector_scores(reading, embedding, numbers)

    def unit_vectors(
        self, principal: Principal, model: str, numbers: Integers, *, at: int
    ) -> tuple[Integers, Rows]:
        """Embeddings by the numbers of their blocks."""
        name = checks.name(model, "model")
        with self._searching(principal, at) as (space, reading):
            return space.searches.unit_vectors(reading, name, numbers)

    def layout(self, principal: Principal, numbers: Integers, *, reach: int = 0, at: int) -> Layout:
        """Where blocks stand."""
        most = checks.whole(reach, "reach")
        with self._searching(principal, at) as (space, reading):
            return space.searches.layout(reading, numbers, most)

    def places(self, principal: Principal, numbers: Integers, *, at: int) -> tuple[Place, ...]:
        """What blocks are called."""
        with self._searching(principal, at) as (space, reading):
            return space.searches.places(reading, numbers)
