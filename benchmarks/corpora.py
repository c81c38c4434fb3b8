"""How fast a corpus answers, next to what its answers are made of: `--only corpora`.

A hybrid query is measured whole, as a retriever runs it, with words and vectors never asked
before. In turns with it, other corpora over the same files run what it is made of and nothing else:
the text search of its terms and the vector search of its embedding; and a keyword and a vector
retriever. None knows what the others have read. Ratios and bounds are of processor time, which other
programs on the machine hardly change; what the clock said is reported beside it.
"""

from __future__ import annotations

import gc
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from benchmarks.corpora_memory import peaks
from benchmarks.shelf import SHAPES, Shape, Shelf, filled
from benchmarks.stores_speed import Times, mixed
from benchmarks.targets import Target
from biblicus_context.corpora.search.query import WEIGHTS
from biblicus_context.retrieval.analysis import query_terms, rare_terms
from biblicus_context.retrieval.duplicates import TextEntry, find_duplicates
from biblicus_context.stores import Vectors
from biblicus_context.testing.store_samples import search_text, search_vectors, seen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from biblicus_context.corpora import Corpus

SHOWN: Final = 10
"""Blocks of a query that are read and handed on."""
CANDIDATES, TURN_CANDIDATES = 200, 500
"""What each of the hybrid's searches contributes: as many are asked of the two searches alone."""
OPENINGS: Final = 30
ROUNDS: Final = 3


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is promised of a corpus."""

    p95_ms: float
    parts: float
    opening_ms: float
    memory: float
    twins_s: float


def corpora(
    blocks: int, *, questions: int, shapes: Sequence[Shape] = SHAPES, bounds: Bounds
) -> Iterator[Target]:
    """Queries over each shape, opening, and memory."""
    for shape in shapes:
        with TemporaryDirectory() as folder:
            shelf = filled(Path(folder), shape, blocks, questions)
            yield from _querying(shelf, shape, f"{blocks:,} blocks, {shape.name}", bounds)
            if shape is shapes[0]:
                yield from _opening(shelf, bounds)
    yield from _memory(blocks, bounds)
    yield _near_duplicates(blocks // 10, bounds)


def _querying(shelf: Shelf, shape: Shape, name: str, bounds: Bounds) -> Iterator[Target]:
    whole, both, retrievers, known = Times(), Times(), Times(), Times()
    with (
        shelf.opened() as asked,
        shelf.opened() as searched,
        shelf.opened() as retrieved,
        shelf.opened() as counted,
    ):
        ask = _retriever(asked, "hybrid")
        keyword, vector = _retriever(retrieved, "keyword"), _retriever(retrieved, "vector")
        first, *rest = shelf.questions
        for warm in (partial(ask, first), _two_searches(asked, searched, shape, first)):
            warm()  # what is loaded once for all questions
        _two_searches(counted, counted, shape, first)()
        keyword(first), vector(first)
        gc.collect()
        gc.freeze()  # what lives already is not this query's garbage
        for question in rest:
            whole.take(partial(ask, question))
            both.take(_two_searches(asked, searched, shape, question))
            retrievers.take(lambda question=question: (keyword(question), vector(question)))
            known.take(_two_searches(counted, counted, shape, question))
        gc.unfreeze()
    yield Target(f"hybrid, {name}: p50, on the clock", median(whole.wall), "ms")
    yield Target(f"hybrid, {name}: p95, on the clock", _p95(whole.wall), "ms")
    yield Target(
        f"hybrid, {name}: p95, of the processor",
        _p95(whole.cpu),
        "ms",
        at_most=bounds.p95_ms,
    )
    for parts, times in (("its two searches", both), ("a keyword and a vector one", retrievers)):
        ratio = sum(whole.cpu) / sum(times.cpu)
        yield Target(f"hybrid, {name} / {parts}", ratio, "x", at_most=bounds.parts)
    ratio = sum(whole.cpu) / sum(known.cpu)
    yield Target(f"hybrid, {name} / its two searches, every word read before", ratio, "x")


def _retriever(corpus: Corpus, kind: str) -> Callable[[str], object]:
    return partial(corpus.retriever({"retriever_id": kind}).evidence, offset=0, limit=SHOWN)


def _two_searches(
    asked: Corpus, searched: Corpus, shape: Shape, question: str
) -> Callable[[], object]:
    """Both searches of a question, prepared: its terms are counted by the corpus that was asked."""
    store, who, embedder = asked.store, asked.principal, asked.embedder
    assert embedder is not None
    at, words = seen(store, who).state.version, query_terms(question)
    counts = seen(store, who, at=at).count_terms(words)
    terms = rare_terms(words, counts.found, counts.blocks)
    row = embedder.embed_query(question).astype("<f4").tobytes()
    vector = Vectors(embedder.model, embedder.dimensions, row)
    most = TURN_CANDIDATES if shape.is_talk else CANDIDATES

    def run() -> None:
        search_text(searched.store, who, terms, limit=most, weights=WEIGHTS, at=at)
        search_vectors(searched.store, who, vector, limit=most, at=at)

    return run


def _opening(shelf: Shelf, bounds: Bounds) -> Iterator[Target]:
    """Open, ask for the version, close; then open and ask a first question."""
    opening, first = Times(), Times()

    def answered() -> None:
        with shelf.opened() as corpus:
            corpus.search(shelf.questions[0], limit=SHOWN)

    def opened() -> None:
        with shelf.opened() as corpus:
            seen(corpus.store, corpus.principal).info()

    for _ in range(OPENINGS):
        opening.take(opened)
    for _ in range(OPENINGS // 5):
        first.take(answered)
    yield Target("opening a corpus, on the clock", median(opening.wall), "ms")
    yield Target(
        "opening a corpus, of the processor",
        _p95(opening.cpu),
        "ms",
        at_most=bounds.opening_ms,
    )
    yield Target("opening it and a first query, of the processor", median(first.cpu), "ms")


def _memory(blocks: int, bounds: Bounds) -> Iterator[Target]:
    for times_text, peak in (measured := peaks(blocks // 5)).items():
        name = f"peak memory of searches, {blocks // 5:,} blocks, text x {times_text}"
        yield Target(name, peak, "MB")
    short, long = measured.values()
    yield Target("memory of searches, 8 x the text / 1 x", long / short, "x", at_most=bounds.memory)


def _near_duplicates(blocks: int, bounds: Bounds) -> Target:
    """Looking for duplicates where three of ten blocks have one that lacks a word."""
    texts = mixed(blocks * 7 // 10, SHAPES[0].words)
    texts += [text.replace(" ", "", 1) for text in texts[: blocks - len(texts)]]
    entries = [TextEntry(str(number), text) for number, text in enumerate(texts)]
    taken = Times()
    for _ in range(ROUNDS):
        taken.take(partial(find_duplicates, entries))
    name = f"near-duplicates among {blocks:,} blocks, of the processor (fastest of {ROUNDS})"
    return Target(name, min(taken.cpu) / 1000, "s", at_most=bounds.twins_s)


def _p95(times: Sequence[float]) -> float:
    return quantiles(times, n=20)[-1]
