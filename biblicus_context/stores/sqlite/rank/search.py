"""The searches of one workspace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from biblicus_context.base.arrays import Integers, Numbers, Rows
from biblicus_context.stores.results import Hit, Layout, Place, Ranked, Search, TermCounts
from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.model import Vectors
from biblicus_context.stores.query_checks import TextQuestion
from biblicus_context.stores.refusals import other_dimensions
from biblicus_context.stores.sqlite.arrays import np
from biblicus_context.stores.sqlite.rank import bm25
from biblicus_context.stores.sqlite.rank.bm25 import Needle, Spelling
from biblicus_context.stores.sqlite.rank.columns import Columns
from biblicus_context.stores.sqlite.rank.search_cache import Held
from biblicus_context.stores.sqlite.rank.matrix import Model, row_of
from biblicus_context.stores.sqlite.rank.nearest import nearest
from biblicus_context.stores.sqlite.rank.page import Page
from biblicus_context.stores.sqlite.rank.ranking import Scored, best, exactly, hits, places
from biblicus_context.stores.sqlite.rank.spelling import spellings
from biblicus_context.stores.sqlite.rank.stemmer import Stems
from biblicus_context.stores.sqlite.read import lookups as reader
from biblicus_context.stores.sqlite.read.reading import Reading
from biblicus_context.stores.sqlite.read.view import View


class Searches:
    """Every search takes the read it belongs to."""

    def __init__(self, database: Path) -> None:
        self._held = Held(database)

    def text(
        self, reading: Reading, question: TextQuestion, filters: Filters, page: Page
    ) -> tuple[Hit, ...]:
        """Blocks by BM25."""
        search: Search = "text" if question.similarity is None else "fuzzy"
        return hits(reading, self._by_text(reading, question, filters, page.end), search, page)

    def text_ranked(
        self, reading: Reading, question: TextQuestion, filters: Filters, wanted: int
    ) -> Ranked:
        """The best of them, as columns."""
        found = self._by_text(reading, question, filters, wanted)
        return self._ranked(reading, exactly(reading, found, wanted))

    def count(self, reading: Reading, terms: Sequence[str]) -> TermCounts:
        """In how many blocks each term stands."""
        columns = self._held.columns(reading)
        everything = self._held.seen(reading, columns, NO_FILTERS)
        stems = {term: self._held.stems(term) for term in terms}
        found = {
            term: len(self._held.found(reading, columns, everything, each).ordinals) if each else 0
            for term, each in stems.items()
        }
        return TermCounts(everything.blocks, found)

    def vectors(
        self, reading: Reading, query: Vectors, filters: Filters, page: Page
    ) -> tuple[Hit, ...]:
        """Blocks by cosine."""
        return hits(reading, self._by_vector(reading, query, filters, page.end), "vector", page)

    def vectors_ranked(
        self, reading: Reading, query: Vectors, filters: Filters, wanted: int
    ) -> Ranked:
        """The best of them, as columns."""
        found = self._by_vector(reading, query, filters, wanted)
        return self._ranked(reading, exactly(reading, found, wanted))

    def text_scores(self, reading: Reading, question: TextQuestion, numbers: Integers) -> Numbers:
        """The BM25 of single blocks."""
        view = self._view(reading)
        return self._scores(reading, view.columns, question)[view.ordinals(numbers)]

    def vector_scores(self, reading: Reading, query: Vectors, numbers: Integers) -> Numbers:
        """The cosines of single blocks; not a number where there is no embedding."""
        rows = self._view(reading).rows(numbers)
        found = np.full(len(rows), np.nan)
        model = _model_of(reading, query)
        if model is not None:
            matrix = self._held.matrix(reading, model)
            embedded = matrix.numbers(rows)
            there = embedded >= 0
            found[there] = matrix.cosines_of(row_of(query), embedded[there])
        return found

    def unit_vectors(
        self, reading: Reading, model: str, numbers: Integers
    ) -> tuple[Integers, Rows]:
        """The embeddings of single blocks, and whose they are."""
        rows = self._view(reading).rows(numbers)
        known = _model(reading, model)
        if known is None:
            return numbers[:0], np.empty((0, 0), dtype=np.float32)
        matrix = self._held.matrix(reading, known)
        embedded = matrix.numbers(rows)
        there = embedded >= 0
        if not there.any():  # no word of a model that only others use, and of its size
            return numbers[:0], np.empty((0, 0), dtype=np.float32)
        return numbers[there], matrix.rows_of(embedded[there])

    def layout(self, reading: Reading, numbers: Integers, reach: int) -> Layout:
        """Where blocks stand, and those around them."""
        view = self._view(reading)
        ordinals = np.unique(view.ordinals(numbers))
        table = view.columns.table
        if reach:
            line = self._held.line(view.columns)
            ordinals = line.around(table.sequences[ordinals], table.positions[ordinals], reach)
        first = view.columns.ordinals[table.sequences[ordinals]]
        return Layout(
            view.numbers(ordinals),
            view.numbers(first),
            table.positions[ordinals],
            table.tokens[ordinals],
            table.turns[ordinals].astype(np.bool_),
        )

    def places(self, reading: Reading, numbers: Integers) -> tuple[Place, ...]:
        """What blocks are called."""
        rows = self._view(reading).rows(numbers)
        named = places(reading, rows)
        return tuple(named[row] for row in rows.tolist())

    def prepare(self, reading: Reading) -> None:
        """Read and file what searches need."""
        self._held.seen(reading, self._held.columns(reading), NO_FILTERS)
        models = reading.connection.execute("SELECT number, dimensions FROM models").fetchall()
        for number, dimensions in models:
            self._held.file(reading, Model(number, dimensions))

    def _by_text(
        self, reading: Reading, question: TextQuestion, filters: Filters, wanted: int
    ) -> Scored:
        columns = self._held.columns(reading)
        scores = self._scores(reading, columns, question)
        flags = self._held.seen(reading, columns, filters).flags
        ordinals = np.flatnonzero(flags & (scores > 0.0))
        ordinals = ordinals[best(scores[ordinals], wanted)]
        return Scored(columns.table.rows[ordinals], scores[ordinals])

    def _by_vector(self, reading: Reading, query: Vectors, filters: Filters, wanted: int) -> Scored:
        model = _model_of(reading, query)
        if model is None:
            return Scored(np.empty(0, dtype=np.int64), np.empty(0))
        columns = self._held.columns(reading)
        matrix = self._held.matrix(reading, model)
        flags = self._held.seen(reading, columns, filters).flags
        return nearest(matrix, columns, flags, self._held.cosines(matrix, query), wanted)

    def _ranked(self, reading: Reading, found: Scored) -> Ranked:
        numbers = self._view(reading).numbers_of_rows(found.rows)
        order = np.argsort(numbers)
        return Ranked(numbers[order], found.scores[order])

    def _view(self, reading: Reading) -> View:
        columns = self._held.columns(reading)
        return View(columns, self._held.seen(reading, columns, NO_FILTERS))

    def _scores(self, reading: Reading, columns: Columns, question: TextQuestion) -> Numbers:
        def compute() -> Numbers:
            everything = self._held.seen(reading, columns, NO_FILTERS)
            find = partial(self._held.found, reading, columns, everything)
            terms = [stems for term in question.terms if (stems := self._held.stems(term))]
            needles = _needles(reading, terms, question.similarity)
            return bm25.scores(find, columns, everything, needles, question.weights)

        return self._held.scores(reading, columns, question, compute)


def _needles(reading: Reading, terms: Sequence[Stems], similarity: float | None) -> list[Needle]:
    """What to look for, in an order that does not depend on that of the terms."""
    if similarity is None:
        exact = sorted(Counter(terms).items())
        return [Needle((Spelling(stems),), repeats) for stems, repeats in exact]
    single = sorted(Counter(stem for stems in terms for stem in stems).items())
    return [
        Needle(spellings(reading.connection, stem, similarity), repeats) for stem, repeats in single
    ]


def _model(reading: Reading, name: str) -> Model | None:
    """A model as this workspace knows it, or None where nothing is embedded with it."""
    found = reading.connection.execute(
        "SELECT number, dimensions FROM models WHERE name = ?", (name,)
    ).fetchone()
    return None if found is None else Model(*found)


def _model_of(reading: Reading, query: Vectors) -> Model | None:
    """The same of a query's model, whose vectors have to be as long as the query."""
    model = _model(reading, query.model)
    if model is not None and query.dimensions != model.dimensions:
        if not reader.is_embedded(reading, query.model):
            return None  # as unknown as a model that nobody uses
        size = query.dimensions
        raise other_dimensions(query.model, model.dimensions, size, place="query")
    return model
