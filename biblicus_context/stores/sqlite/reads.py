"""The reading side of the store: arguments are checked, a read begins, another file answers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime

from biblicus_context.arrays import Integers, Numbers, Rows
from biblicus_context.stores import checks, filter_checks, question_checks
from biblicus_context.stores.answers import (
    Bm25,
    Direction,
    Hit,
    Info,
    Layout,
    Nearby,
    Place,
    Ranked,
    Related,
    TermCounts,
    Usage,
)
from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.model import Block, Document, Vectors
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.question_checks import TextQuestion
from biblicus_context.stores.sqlite import numbers, reader, relations, sequence, use
from biblicus_context.stores.sqlite.page import Page
from biblicus_context.stores.sqlite.reading import Reading
from biblicus_context.stores.sqlite.space import Space
from biblicus_context.stores.sqlite.spaces import Spaces
from biblicus_context.stores.store import BM25


class SqliteReads:
    """Each method's contract is that of the Protocol."""

    def __init__(self, spaces: Spaces) -> None:
        self._spaces = spaces

    def version(self, principal: Principal) -> int:
        """The newest version of the workspace."""
        with self._reading(principal) as reading:
            return reading.at

    def changed(self, principal: Principal) -> datetime | None:
        """When the newest version was written."""
        with self._reading(principal) as reading:
            return numbers.changed(reading)

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

    def count_terms(
        self, principal: Principal, terms: Sequence[str], *, at: int | None = None
    ) -> TermCounts:
        """In how many blocks each term stands."""
        question = question_checks.text(terms, BM25, None)
        with self._searching(principal, at) as (space, reading):
            return space.searches.count(reading, question.terms)

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

    def blocks(
        self, principal: Principal, ids: Sequence[str], *, at: int | None = None
    ) -> tuple[Block, ...]:
        """Blocks by id."""
        with self._reading(principal, at) as reading:
            return reader.blocks(reading, checks.ids(ids, "ids"))

    def documents(
        self, principal: Principal, ids: Sequence[str], *, at: int | None = None
    ) -> tuple[Document, ...]:
        """Documents by id."""
        with self._reading(principal, at) as reading:
            return reader.documents(reading, checks.ids(ids, "ids"))

    def blocks_of(
        self, principal: Principal, document_id: str, *, at: int | None = None
    ) -> tuple[Block, ...]:
        """All blocks of a document."""
        with self._reading(principal, at) as reading:
            return reader.blocks_of(reading, checks.ids([document_id], "document_id"))

    def list_documents(
        self,
        principal: Principal,
        *,
        filters: Filters = NO_FILTERS,
        after: str | None = None,
        limit: int = 100,
        at: int | None = None,
    ) -> tuple[Document, ...]:
        """Documents in the order of their ids."""
        start = checks.optional_name(after, "after")
        most = checks.whole(limit, "limit")
        with self._reading(principal, at) as reading:
            return reader.listed(reading, filter_checks.checked(filters), start, most)

    def neighbours(
        self,
        principal: Principal,
        block_id: str,
        *,
        before: int = 1,
        after: int = 1,
        at: int | None = None,
    ) -> tuple[Block, ...]:
        """A block and those around it."""
        reach = checks.whole(before, "before"), checks.whole(after, "after")
        with self._reading(principal, at) as reading:
            return sequence.neighbours(reading, checks.ids([block_id], "block_id"), *reach)

    def nearby(
        self,
        principal: Principal,
        block_ids: Sequence[str],
        *,
        reach: int = 4,
        at: int | None = None,
    ) -> tuple[Nearby, ...]:
        """The places around many blocks."""
        most = checks.whole(reach, "reach")
        with self._reading(principal, at) as reading:
            return sequence.nearby(reading, checks.ids(block_ids, "block_ids"), most)

    def related(
        self,
        principal: Principal,
        document_id: str,
        *,
        types: Collection[str] = (),
        direction: Direction = "out",
        depth: int = 1,
        limit: int = 100,
        at: int | None = None,
    ) -> tuple[Related, ...]:
        """Documents around a document."""
        way = relations.Way(
            frozenset(checks.sequence(types, "types")),
            question_checks.direction(direction),
            checks.whole(depth, "depth"),
            checks.whole(limit, "limit"),
        )
        with self._reading(principal, at) as reading:
            return relations.related(reading, checks.ids([document_id], "document_id"), way)

    def usage(self, principal: Principal, block_ids: Sequence[str]) -> Mapping[str, Usage]:
        """How blocks have been used."""
        with self._reading(principal) as reading:
            return use.usage(reading, checks.ids(block_ids, "block_ids"))

    def known_vectors(
        self, principal: Principal, model: str, keys: Sequence[str]
    ) -> Mapping[str, bytes]:
        """Embeddings by their key."""
        with self._reading(principal) as reading:
            name = checks.name(model, "model")
            return reader.known_vectors(reading, name, checks.ids(keys, "keys"))

    def vectors(
        self,
        principal: Principal,
        model: str,
        block_ids: Sequence[str],
        *,
        at: int | None = None,
    ) -> Mapping[str, bytes]:
        """Embeddings by the ids of their blocks."""
        with self._reading(principal, at) as reading:
            name = checks.name(model, "model")
            return reader.vectors(reading, name, checks.ids(block_ids, "block_ids"))

    def fingerprints(self, principal: Principal) -> Mapping[str, str]:
        """The text hash of every document."""
        with self._reading(principal) as reading:
            return reader.fingerprints(reading)

    def info(self, principal: Principal, *, at: int | None = None) -> Info:
        """What can be seen, in numbers."""
        with self._reading(principal, at) as reading:
            return numbers.info(reading)

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

    @contextmanager
    def _reading(self, principal: Principal, at: int | None = None) -> Iterator[Reading]:
        with self._searching(principal, at) as (_, reading):
            yield reading

    @contextmanager
    def _searching(self, principal: Principal, at: int | None) -> Iterator[tuple[Space, Reading]]:
        space = self._spaces.get(principal)
        with space.reading(principal, at) as reading:
            yield space, reading
