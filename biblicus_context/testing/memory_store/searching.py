"""Searches in memory: every block is scored, and the best are taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from biblicus_context.base.arrays import Integers, Numbers, Rows
from biblicus_context.stores import (
    NO_FILTERS,
    BlockPlace,
    Bm25,
    Filters,
    Hit,
    Layout,
    Principal,
    Ranked,
    TermCounts,
    Vectors,
    checks,
    filter_checks,
    query_checks,
    refusals,
)
from biblicus_context.stores.store import BM25
from biblicus_context.testing.memory_store.conditions import block_meets, meets
from biblicus_context.testing.memory_store.words import needles, scores, stems
from biblicus_context.testing.memory_store.workspace import IndexedBlock, VisibleVersion
from biblicus_context.testing.memory_store.writing import MemoryWrites


class MemorySearches(MemoryWrites):
    """Each method's contract is that of the Protocols `MemorySearches` and `Ranking`."""

    def rank_text(
        self,
        principal: Principal,
        terms: Sequence[str],
        *,
        filters: Filters = NO_FILTERS,
        among: Integers | None = None,
        limit: int = 100,
        weights: Bm25 = BM25,
        similarity: float | None = None,
        at: int,
    ) -> Ranked:
        """Blocks by BM25."""
        query = query_checks.text(terms, weights, similarity)
        view = self._view(principal, at)
        words = [each.words for each in view.blocks]
        wanted = needles(query.terms, query.similarity, words)
        chosen = _chosen(view, filters)
        counted = [n for n, each in enumerate(view.blocks) if each.block.id in chosen]
        scored = scores([words[n] for n in counted], wanted, query.weights)
        by_number = dict(zip(counted, scored, strict=True))
        every = [by_number.get(n) or None for n in range(len(words))]
        return _ranked(view, every, filters, among, limit)

    def rank_vectors(
        self,
        principal: Principal,
        query: Vectors,
        *,
        filters: Filters = NO_FILTERS,
        among: Integers | None = None,
        limit: int = 100,
        at: int,
    ) -> Ranked:
        """Blocks by cosine."""
        view = self._view(principal, at)
        return _ranked(view, self._cosines(principal, view, query), filters, among, limit)

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
            for id_, document in self._view(principal, at).documents.items()
            if meets(document.document, wanted)
            and (when := document.document.updated or document.document.created)
            for each in document.blocks
            if block_meets(each.block, wanted)
        ]
        return tuple(Hit(place, -ago, "recent") for ago, *_, place in sorted(dated)[page])

    def count_terms(
        self, principal: Principal, terms: Sequence[str], *, at: int | None = None
    ) -> TermCounts:
        """How many blocks contain each term."""
        wanted = query_checks.text(terms, BM25, None).terms
        blocks = self._view(principal, at).blocks
        return TermCounts(
            len(blocks),
            {
                term: sum(each.words.holds(stems(term)) for each in blocks) if stems(term) else 0
                for term in wanted
            },
        )

    def unit_vectors(
        self, principal: Principal, model: str, numbers: Integers, *, at: int
    ) -> tuple[Integers, Rows]:
        """Embeddings of single blocks."""
        name = checks.name(model, "model")
        found = _numbered(self._view(principal, at), numbers)
        there = [n for n, each in enumerate(found) if name in each.vectors]
        rows = [_unit(found[n].vectors[name]) for n in there]
        return numbers[there], np.array(rows, dtype=np.float32)

    def layout(
        self,
        principal: Principal,
        numbers: Integers,
        *,
        reach: int = 0,
        filters: Filters = NO_FILTERS,
        at: int,
    ) -> Layout:
        """Where blocks stand."""
        most = checks.whole(reach, "reach")
        view = self._view(principal, at)
        blocks = [each.block for each in view.blocks]
        wanted = [each.block for each in _numbered(view, numbers)]
        first: dict[tuple[str, str | None], int] = {}
        lengths = Counter((each.document_id, each.session) for each in blocks)
        for number, each in enumerate(blocks):
            first.setdefault((each.document_id, each.session), number)
        own, met = {each.id for each in wanted}, _chosen(view, filters)
        near = [
            number
            for number, each in enumerate(blocks)
            if any(
                (each.document_id, each.session) == (one.document_id, one.session)
                and abs(each.position - one.position) <= most
                for one in wanted
            )
        ]
        around = [number for number in near if blocks[number].id in own | met]
        found = [blocks[number] for number in around]
        return Layout(
            np.array(around, dtype=np.int64),
            np.array([first[each.document_id, each.session] for each in found], dtype=np.int64),
            np.array([each.position for each in found], dtype=np.int64),
            np.array([each.tokens for each in found], dtype=np.int64),
            np.array([each.session is not None for each in found], dtype=np.bool_),
            np.array([lengths[each.document_id, each.session] for each in found], dtype=np.int64),
        )

    def places(self, principal: Principal, numbers: Integers, *, at: int) -> tuple[BlockPlace, ...]:
        """What blocks are called."""
        return tuple(each.place for each in _numbered(self._view(principal, at), numbers))

    def _cosines(
        self, principal: Principal, view: VisibleVersion, query: Vectors
    ) -> list[float | None]:
        wanted = query_checks.query(query)
        with self._lock:
            size = self._space(principal).dimensions.get(wanted.model, wanted.dimensions)
        # A model that only hidden documents use is unknown, and so are its dimensions.
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


def _ranked(
    view: VisibleVersion,
    scored: Sequence[float | None],
    filters: Filters,
    among: Integers | None,
    limit: int,
) -> Ranked:
    """The best of the blocks that have a score."""
    chosen, most = _chosen(view, filters), checks.whole(limit, "limit")
    allowed = range(len(view.blocks)) if among is None else {*among.tolist()}
    if among is not None:
        _numbered(view, among)
    best = sorted(
        (-score, each.block.id, number)
        for number, (each, score) in enumerate(zip(view.blocks, scored, strict=True))
        if score is not None and each.block.id in chosen and number in allowed
    )[:most]
    columns = sorted((number, -score) for score, _, number in best)
    return Ranked(
        np.array([number for number, _ in columns], dtype=np.int64),
        np.array([score for _, score in columns], dtype=np.float64),
    )


def _chosen(view: VisibleVersion, filters: Filters) -> set[str]:
    """The blocks that meet the filters."""
    wanted = filter_checks.checked(filters)
    return {
        each.block.id
        for stored in view.documents.values()
        if meets(stored.document, wanted)
        for each in stored.blocks
        if block_meets(each.block, wanted)
    }


def _page(offset: int, limit: int) -> slice:
    start = checks.whole(offset, "offset")
    return slice(start, start + checks.whole(limit, "limit"))


def _numbered(view: VisibleVersion, numbers: Integers) -> list[IndexedBlock]:
    blocks = view.blocks
    if np.any((numbers < 0) | (numbers >= len(blocks))):
        raise refusals.no_such_number(int(numbers.min()), int(numbers.max()))
    return [blocks[number] for number in numbers.tolist()]


def _unit(row: bytes) -> Numbers:
    numbers = np.frombuffer(row, dtype="<f4").astype(np.float64)
    length = np.linalg.norm(numbers)
    return numbers / length if length else numbers
