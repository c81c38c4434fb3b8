"""The searches of one workspace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from biblicus_context.errors import InputError
from biblicus_context.stores.answers import Hit, Search, TermCounts
from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.model import Vectors
from biblicus_context.stores.question_checks import TextQuestion
from biblicus_context.stores.sqlite import bm25
from biblicus_context.stores.sqlite.arrays import np
from biblicus_context.stores.sqlite.bm25 import Needle, Spelling
from biblicus_context.stores.sqlite.columns import Columns, Numbers
from biblicus_context.stores.sqlite.handed import Handed
from biblicus_context.stores.sqlite.held import Held
from biblicus_context.stores.sqlite.matrix import Model, row_of
from biblicus_context.stores.sqlite.nearest import nearest
from biblicus_context.stores.sqlite.page import Page
from biblicus_context.stores.sqlite.ranking import Scored, best, hits
from biblicus_context.stores.sqlite.reading import Reading
from biblicus_context.stores.sqlite.spelling import spellings
from biblicus_context.stores.sqlite.words import CUTTER


class Searches:
    """Every search takes the read it belongs to."""

    def __init__(self, database: Path) -> None:
        self._held = Held(database)
        self._handed = Handed()

    def text(
        self, reading: Reading, question: TextQuestion, filters: Filters, page: Page
    ) -> tuple[Hit, ...]:
        """Blocks by BM25."""
        columns = self._held.columns(reading)
        scores = self._scores(reading, columns, question)
        flags = self._held.seen(reading, columns, filters).flags
        ordinals = np.flatnonzero(flags & (scores > 0.0))
        ordinals = ordinals[best(scores[ordinals], page.end)]
        search: Search = "text" if question.similarity is None else "fuzzy"
        found = Scored(columns.rows[ordinals], scores[ordinals])
        return hits(reading, found, search, page, self._handed)

    def count(self, reading: Reading, terms: Sequence[str]) -> TermCounts:
        """In how many blocks each term stands."""
        columns = self._held.columns(reading)
        everything = self._held.seen(reading, columns, NO_FILTERS)
        stems = {term: CUTTER.stems_of(term) for term in terms}
        found = {
            term: len(self._held.found(reading, columns, everything, each).ordinals) if each else 0
            for term, each in stems.items()
        }
        return TermCounts(everything.blocks, found)

    def vectors(
        self, reading: Reading, query: Vectors, filters: Filters, page: Page
    ) -> tuple[Hit, ...]:
        """Blocks by cosine."""
        model = _model(reading, query)
        if model is None:
            return ()
        columns = self._held.columns(reading)
        matrix = self._held.matrix(reading, model)
        flags = self._held.seen(reading, columns, filters).flags
        cosines = self._held.cosines(matrix, query)
        found = nearest(matrix, columns, flags, cosines, page.end)
        return hits(reading, found, "vector", page, self._handed)

    def text_scores(
        self, reading: Reading, question: TextQuestion, ids: Sequence[str]
    ) -> dict[str, float]:
        """The BM25 of single blocks."""
        columns = self._held.columns(reading)
        scores = self._scores(reading, columns, question)
        rows = self._handed.rows_of(reading, ids)
        ordinals = columns.ordinals[np.array([*rows.values()], dtype=np.int64)]
        return dict(zip(rows, scores[ordinals].tolist(), strict=True))

    def vector_scores(
        self, reading: Reading, query: Vectors, ids: Sequence[str]
    ) -> dict[str, float]:
        """The cosines of single blocks."""
        model = _model(reading, query)
        if model is None:
            return {}
        matrix = self._held.matrix(reading, model)
        rows = self._handed.rows_of(reading, ids)
        numbers = matrix.numbers(np.array([*rows.values()], dtype=np.int64))
        cosines = matrix.cosines_of(row_of(query), numbers[numbers >= 0]).tolist()
        there = (each for each, number in zip(rows, numbers.tolist(), strict=True) if number >= 0)
        return dict(zip(there, cosines, strict=True))

    def prepare(self, reading: Reading) -> None:
        """Read and file what searches need."""
        self._held.seen(reading, self._held.columns(reading), NO_FILTERS)
        models = reading.connection.execute("SELECT number, dimensions FROM models").fetchall()
        for number, dimensions in models:
            self._held.file(reading, Model(number, dimensions))

    def _scores(self, reading: Reading, columns: Columns, question: TextQuestion) -> Numbers:
        def compute() -> Numbers:
            everything = self._held.seen(reading, columns, NO_FILTERS)
            find = partial(self._held.found, reading, columns, everything)
            needles = _needles(reading, question)
            return bm25.scores(find, columns, everything, needles, question.weights)

        return self._held.scores(reading, columns, question, compute)


def _needles(reading: Reading, question: TextQuestion) -> list[Needle]:
    """What to look for, in an order that does not depend on that of the terms."""
    terms = [stems for term in question.terms if (stems := CUTTER.stems_of(term))]
    if question.similarity is None:
        exact = sorted(Counter(terms).items())
        return [Needle((Spelling(stems),), repeats) for stems, repeats in exact]
    single = sorted(Counter(stem for stems in terms for stem in stems).items())
    return [
        Needle(spellings(reading.connection, stem, question.similarity), repeats)
        for stem, repeats in single
    ]


def _model(reading: Reading, query: Vectors) -> Model | None:
    """The query's model as this workspace knows it, or None where nothing is embedded with it."""
    found = reading.connection.execute(
        "SELECT number, dimensions FROM models WHERE name = ?", (query.model,)
    ).fetchone()
    if found is None:
        return None
    model = Model(*found)
    if query.dimensions != model.dimensions:
        problem = f"vectors of model {query.model!r} have {model.dimensions} dimensions here"
        fix = "Embed queries with the model that the corpus was embedded with."
        raise InputError(problem, place="query", found=query.dimensions, fix=fix)
    return model
