"""Searches in memory: every block is scored, and the best are taken."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biblicus_context.base.arrays import Integers, Numbers, Rows
from biblicus_context.stores import NO_FILTERS, Bm25, Filters, Hit, Layout, Place, Principal, Ranked, Search, TermCounts, Vectors, checks, filter_checks, refusals
from biblicus_context.stores import query_checks as question_checks
from biblicus_context.stores.query_checks import TextQuestion
from biblicus_context.stores.searching import BM25
from tests.stores.memory.conditions import meets
from tests.stores.memory.words import needles, scores, stems
from tests.stores.memory.workspace import Kept, View
from tests.stores.memory.writing import Writing


class Searching(Writing):
    """Each method's contract is that of the Protocols `Searching` and `Ranking`."""

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
        view = self._view(principal, at)
        return _hits(view, _by_words(view, question), "text", filters, offset, limit)

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
        view = self._view(principal, at)
        return _hits(view, _by_words(view, question), "fuzzy", filters, offset, limit)

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
        view = self._view(principal, at)
        cosines = self._cosines(principal, view, query)
        return _hits(view, cosines, "vector", filters, offset, limit)

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
        page = _page(offset, limit)
        wanted = filter_checks.checked(filters)
        dated = [
            (-when.timestamp(), id_, -each.block.position, each.block.id, each.place)
            for id_, shelf in self._view(principal, at).shelves.items()
            if meets(shelf.document, wanted)
            and (when := shelf.document.updated or shelf.document.created)
            for each in shelf.blocks
        ]
        return tuple(Hit(place, -ago, "recent") for ago, *_, place in sorted(dated)[page])

    def count_terms(
        self, principal: Principal, terms: Sequence[str], *, at: int | None = None
    ) -> TermCounts:
        """In how many blocks each term stands."""
        asked = question_checks.text(terms, BM25, None).terms
        blocks = self._view(principal, at).blocks
        return TermCounts(
            len(blocks),
            {
                term: sum(each.words.holds(stems(term)) for each in blocks) if stems(term) else 0
                for term in asked
            },
        )

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
        """The same as columns."""
        hits = self.search_text(
            principal, terms, filters=filters, limit=limit, weights=weights, at=at
        )
        return _columns(self._view(principal, at), hits)

    def rank_vectors(
        self,
        principal: Principal,
        query: Vectors,
        *,
        filters: Filters = NO_FILTERS,
        limit: int = 100,
        at: int,
    ) -> Ranked:
        """The same as columns."""
        hits = self.search_vectors(principal, query, filters=filters, limit=limit, at=at)
        return _columns(self._view(principal, at), hits)

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
        view = self._view(principal, at)
        _numbered(view, numbers)
        return np.array(_by_words(view, question, 0.0), dtype=np.float64)[numbers]

    def score_vectors(
        self, principal: Principal, query: Vectors, numbers: Integers, *, at: int
    ) -> Numbers:
        """The cosines of single blocks."""
        view = self._view(principal, at)
        _numbered(view, numbers)
        cosines = self._cosines(principal, view, query)
        known = [np.nan if each is None else each for each in cosines]
        return np.array(known, dtype=np.float64)[numbers]

    def unit_vectors(
        self, principal: Principal, model: str, numbers: Integers, *, at: int
    ) -> tuple[Integers, Rows]:
        """Embeddings of single blocks."""
        name = checks.name(model, "model")
        found = _numbered(self._view(principal, at), numbers)
        there = [n for n, each in enumerate(found) if name in each.vectors]
        rows = [_unit(found[n].vectors[name]) for n in there]
        return numbers[there], np.array(rows, dtype=np.float32)

    def layout(self, principal: Principal, numbers: Integers, *, reach: int = 0, at: int) -> Layout:
        """Where blocks stand."""
        most = checks.whole(reach, "reach")
        view = self._view(principal, at)
        blocks = [each.block for each in view.blocks]
        wanted = [each.block for each in _numbered(view, numbers)]
        first: dict[tuple[str, str | None], int] = {}
        for number, each in enumerate(blocks):
            first.setdefault((each.document_id, each.session), number)
        around = [
            number
            for number, each in enumerate(blocks)
            if any(
                (each.document_id, each.session) == (one.document_id, one.session)
                and abs(each.position - one.position) <= most
                for one in wanted
            )
        ]
        found = [blocks[number] for number in around]
        return Layout(
            np.array(around, dtype=np.int64),
            np.array([first[each.document_id, each.session] for each in found], dtype=np.int64),
            np.array([each.position for each in found], dtype=np.int64),
            np.array([each.tokens for each in found], dtype=np.int64),
            np.array([each.session is not None for each in found], dtype=np.bool_),
        )

    def places(self, principal: Principal, numbers: Integers, *, at: int) -> tuple[Place, ...]:
        """What blocks are called."""
        return tuple(each.place for each in _numbered(self._view(principal, at), numbers))

    def _cosines(self, principal: Principal, view: View, query: Vectors) -> list[float | None]:
        wanted = question_checks.query(query)
        with self._lock:
            size = self._space(principal).dimensions.get(wanted.model, wanted.dimensions)
        # A model that only others use, and its size, are as unknown as any other.
        if not any(wanted.model in each.vectors for each in view.blocks):
            return [None for _ in view.blocks]
        if size != wanted.dimensions:
            found = wanted.dimensions
            raise refusals.other_dimensions(wanted.model, size, found, place="query")
        unit = _unit(wanted.data)
        return [
            float(np.vecdot(_unit(row), unit))
            if (row := each.vectors.get(wanted.model)) is not None
            else None
            for each in view.blocks
        ]


def _by_words(view: View, question: TextQuestion, least: float | None = None) -> list[float | None]:
    words = [each.words for each in view.blocks]
    asked = needles(question.terms, question.similarity, words)
    return [each or least for each in scores(words, asked, question.weights)]


def _hits(
    view: View,
    scored: Sequence[float | None],
    search: Search,
    filters: Filters,
    offset: int,
    limit: int,
) -> tuple[Hit, ...]:
    page, wanted = _page(offset, limit), filter_checks.checked(filters)
    chosen = {id_ for id_, each in view.shelves.items() if meets(each.document, wanted)}
    found = [
        (-score, each.block.id, each.place)
        for each, score in zip(view.blocks, scored, strict=True)
        if score is not None and each.block.document_id in chosen
    ]
    return tuple(Hit(place, -score, search) for score, _, place in sorted(found)[page])


def _page(offset: int, limit: int) -> slice:
    start = checks.whole(offset, "offset")
    return slice(start, start + checks.whole(limit, "limit"))


def _columns(view: View, hits: Sequence[Hit]) -> Ranked:
    numbers = {each.block.id: number for number, each in enumerate(view.blocks)}
    found = sorted((numbers[hit.block_id], hit.score) for hit in hits)
    return Ranked(
        np.array([number for number, _ in found], dtype=np.int64),
        np.array([score for _, score in found], dtype=np.float64),
    )


def _numbered(view: View, numbers: Integers) -> list[Kept]:
    blocks = view.blocks
    if np.any((numbers < 0) | (numbers >= len(blocks))):
        raise refusals.no_such_number(int(numbers.min()), int(numbers.max()))
    return [blocks[number] for number in numbers.tolist()]


def _unit(row: bytes) -> Numbers:
    numbers = np.frombuffer(row, dtype="<f4").astype(np.float64)
    length = np.linalg.norm(numbers)
    return numbers / length if length else numbers
