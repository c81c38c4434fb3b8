"""The searches of one workspace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from biblicus_context.base.arrays import Flags, Integers, Numbers, Rows
from biblicus_context.retrieval.smoothing.distinct import distinct
from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.model import Vectors
from biblicus_context.stores.query_checks import TextQuery
from biblicus_context.stores.refusals import other_dimensions
from biblicus_context.stores.results import BlockPlace, Layout, Ranked, TermCounts
from biblicus_context.stores.sqlite.rank import bm25
from biblicus_context.stores.sqlite.rank.columns import Columns
from biblicus_context.stores.sqlite.rank.matrix import EmbeddingModel, Matrix, row_of
from biblicus_context.stores.sqlite.rank.needles import Needle, exact_needles
from biblicus_context.stores.sqlite.rank.places import places_of
from biblicus_context.stores.sqlite.rank.postings import Postings
from biblicus_context.stores.sqlite.rank.ranking import ScoredRows, best
from biblicus_context.stores.sqlite.rank.search_cache import SearchCache
from biblicus_context.stores.sqlite.rank.spelling import spellings
from biblicus_context.stores.sqlite.rank.stemmer import Stems
from biblicus_context.stores.sqlite.rank.visible_blocks import BlockNumbers
from biblicus_context.stores.sqlite.read import lookups
from biblicus_context.stores.sqlite.read.reading import WorkspaceReading

_WORDS_OF_A_QUERY: Final = 32
"""Hardly any has more; a text that is ranked has."""
_NOTHING: Final = Ranked(np.empty(0, dtype=np.int64), np.empty(0))


class WorkspaceSearch:
    """Every search takes the read it belongs to; what it computed is cached for the next one."""

    def __init__(self, database: Path) -> None:
        self._cache = SearchCache(database)

    def rank_text(
        self,
        reading: WorkspaceReading,
        query: TextQuery,
        filters: Filters,
        among: Integers | None,
        wanted: int,
    ) -> Ranked:
        """The best blocks by BM25."""
        columns = self._cache.columns(reading)
        scores = self._scores(reading, columns, query, filters)
        flags = self._cache.visible(reading, columns, filters).flags
        if among is None:
            ordinals = np.flatnonzero(flags & (scores > 0.0))
        else:
            ordinals = distinct(self._numbers(reading).ordinals(among))
            ordinals = ordinals[flags[ordinals] & (scores[ordinals] > 0.0)]
        return self._ranked(
            reading, ScoredRows(columns.table.rows[ordinals], scores[ordinals]), wanted
        )

    def rank_vectors(
        self,
        reading: WorkspaceReading,
        query: Vectors,
        filters: Filters,
        among: Integers | None,
        wanted: int,
    ) -> Ranked:
        """The best blocks by cosine."""
        ordinals = None if among is None else distinct(self._numbers(reading).ordinals(among))
        model = _model_of(reading, query)
        if model is None:
            return _NOTHING
        columns = self._cache.columns(reading)
        matrix = self._cache.matrix(reading, model)
        flags = self._cache.visible(reading, columns, filters).flags
        if ordinals is None:
            scored = _all_cosines(matrix, columns, flags, self._cache.cosines(matrix, query))
        else:
            rows = columns.table.rows[ordinals[flags[ordinals]]]
            embedded = matrix.numbers(rows)
            there = embedded >= 0
            cosines = matrix.cosines_of(row_of(query), embedded[there])
            scored = ScoredRows(rows[there], cosines)
        return self._ranked(reading, scored, wanted)

    def count(self, reading: WorkspaceReading, terms: Sequence[str]) -> TermCounts:
        """How many blocks contain each term."""
        columns = self._cache.columns(reading)
        visible = self._cache.visible(reading, columns, NO_FILTERS)
        stems = {term: self._cache.stems(term) for term in terms}
        count = partial(
            self._cache.count,
            reading,
            columns,
            visible,
            is_of_query=len(stems) <= _WORDS_OF_A_QUERY,
        )
        counts = {term: count(each) if each else 0 for term, each in stems.items()}
        return TermCounts(visible.blocks, counts)

    def unit_vectors(
        self, reading: WorkspaceReading, model: str, numbers: Integers
    ) -> tuple[Integers, Rows]:
        """The embeddings of single blocks, and the numbers of these blocks."""
        rows = self._numbers(reading).rows(numbers)
        known = _model(reading, model)
        if known is None:
            return numbers[:0], np.empty((0, 0), dtype=np.float32)
        matrix = self._cache.matrix(reading, known)
        embedded = matrix.numbers(rows)
        there = embedded >= 0
        # A width would reveal that somebody else in the workspace uses this model.
        if not there.any():
            return numbers[:0], np.empty((0, 0), dtype=np.float32)
        return numbers[there], matrix.rows_of(embedded[there])

    def layout(
        self, reading: WorkspaceReading, numbers: Integers, reach: int, filters: Filters
    ) -> Layout:
        """Where blocks are, and those around them."""
        view = self._numbers(reading)
        ordinals = distinct(view.ordinals(numbers))
        table = view.columns.table
        index = self._cache.sequence_index(view.columns)
        if reach:
            around = index.around(table.sequences[ordinals], table.positions[ordinals], reach)
            if filters != NO_FILTERS:
                met = self._cache.visible(reading, view.columns, filters).flags
                around = distinct(around[met[around]], ordinals)
            ordinals = around
        first = view.columns.ordinals[table.sequences[ordinals]]
        return Layout(
            view.of_ordinals(ordinals),
            view.of_ordinals(first),
            table.positions[ordinals],
            table.tokens[ordinals],
            table.turns[ordinals].astype(np.bool_),
            index.lengths(table.sequences[ordinals]),
        )

    def places(self, reading: WorkspaceReading, numbers: Integers) -> tuple[BlockPlace, ...]:
        """Ids and positions of blocks."""
        rows = self._numbers(reading).rows(numbers)
        named = places_of(reading, rows.tolist())
        return tuple(named[row] for row in rows.tolist())

    def prepare(self, reading: WorkspaceReading) -> None:
        """Load what searches need, and write the matrix files."""
        self._cache.visible(reading, self._cache.columns(reading), NO_FILTERS)
        models = reading.connection.execute("SELECT number, dimensions FROM models").fetchall()
        for number, dimensions in models:
            self._cache.save_matrix(reading, EmbeddingModel(number, dimensions))

    def _ranked(self, reading: WorkspaceReading, scored: ScoredRows, wanted: int) -> Ranked:
        kept = best(reading, scored, wanted)
        numbers = self._numbers(reading).of_rows(kept.rows)
        order = np.argsort(numbers)
        return Ranked(numbers[order], kept.scores[order])

    def _numbers(self, reading: WorkspaceReading) -> BlockNumbers:
        columns = self._cache.columns(reading)
        return BlockNumbers(columns, self._cache.visible(reading, columns, NO_FILTERS))

    def _scores(
        self, reading: WorkspaceReading, columns: Columns, query: TextQuery, filters: Filters
    ) -> Numbers:
        """BM25 among what meets the filters: a speaker's name is rare in a pool of meetings, and
        in each turn of the meeting that is searched."""

        def compute() -> Numbers:
            seen = self._cache.visible(reading, columns, NO_FILTERS)
            counted = self._cache.visible(reading, columns, filters)

            def find(stems: Stems) -> Postings:
                return self._cache.postings(reading, columns, seen, stems).among(counted.flags)

            terms = [stems for term in query.terms if (stems := self._cache.stems(term))]
            needles = _needles(reading, terms, query.similarity)
            return bm25.scores(find, columns, counted, needles, query.weights)

        return self._cache.scores(reading, columns, query, filters, compute)


def _all_cosines(matrix: Matrix, columns: Columns, flags: Flags, cosines: Numbers) -> ScoredRows:
    """The cosines of all flagged blocks that are embedded."""
    ordinals = columns.ordinals_of(matrix.blocks)
    # The matrix may already contain blocks of a newer version, which these columns do not know (-1).
    known = ordinals >= 0
    places = np.flatnonzero(flags[ordinals] & known if len(flags) else known)
    return ScoredRows(matrix.blocks[places], cosines[places])


def _needles(
    reading: WorkspaceReading, terms: Sequence[Stems], similarity: float | None
) -> list[Needle]:
    """What to look for, sorted: sums of floats depend on their order, scores must not on the terms'."""
    if similarity is None:
        return exact_needles(terms)
    single = sorted(Counter(stem for stems in terms for stem in stems).items())
    spelt = spellings(reading.connection, [stem for stem, _ in single], similarity)
    return [Needle(spelt[stem], repeats) for stem, repeats in single]


def _model(reading: WorkspaceReading, name: str) -> EmbeddingModel | None:
    """A model as this workspace knows it, or None if nothing is embedded with it."""
    row = reading.connection.execute(
        "SELECT number, dimensions FROM models WHERE name = ?", (name,)
    ).fetchone()
    return None if row is None else EmbeddingModel(*row)


def _model_of(reading: WorkspaceReading, query: Vectors) -> EmbeddingModel | None:
    """The model of a query, whose embeddings must have the query's dimensions."""
    model = _model(reading, query.model)
    if model is not None and query.dimensions != model.dimensions:
        # An error would reveal that somebody else in the workspace uses this model.
        if not lookups.is_embedded(reading, query.model):
            return None
        size = query.dimensions
        raise other_dimensions(query.model, model.dimensions, size, place="query")
    return model
