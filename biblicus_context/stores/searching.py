"""The part of a store that is asked for what is alike: by words, by embeddings, by time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from biblicus_context.stores.answers import Bm25, Hit, TermCounts
from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.model import Vectors
from biblicus_context.stores.principal import Principal

BM25: Final = Bm25()


class Searching(Protocol):
    """Searches of blocks, whose hits are ordered by score, then by block id."""

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
        """Blocks that hold any of the terms, by BM25 over what the principal can see.

        Words are compared without their case, accents and endings. Terms are words, never syntax;
        one of several words stands for these words in a row, and one that is given twice counts
        twice. What a block is searched by is its `indexed_text`, else its text, with its document's
        title and its headings.
        """
        ...

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
        """As `search_text`, with words of the corpus that are spelt like a term standing in for it.

        Two stems of n letters that differ by one wrong, missing, additional or swapped letter are
        1 - 1/n alike; a word counts as much as it is alike, if by at least `similarity`.
        """
        ...

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
        """Blocks whose embedding by the query's model is nearest to its one row, by cosine."""
        ...

    def recent(
        self,
        principal: Principal,
        *,
        filters: Filters = NO_FILTERS,
        limit: int = 100,
        offset: int = 0,
        at: int | None = None,
    ) -> tuple[Hit, ...]:
        """Blocks of the documents last updated (else created), newest document first.

        Inside a document the last block comes first; documents without either time are left out.
        The score is the time in seconds since 1970.
        """
        ...

    def count_terms(
        self, principal: Principal, terms: Sequence[str], *, at: int | None = None
    ) -> TermCounts:
        """In how many blocks each of these terms stands, so that common ones may be left out."""
        ...
