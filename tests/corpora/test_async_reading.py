"""Async searches that only compute take turns; those that wait for others do not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from threading import Barrier

import numpy as np

from biblicus_context import Corpus, CorpusDeclaration, Record
from biblicus_context.corpora.async_reading import read_all_in_thread, read_in_thread
from biblicus_context.embedders import Embedder, FunctionEmbedder, WordLlamaEmbedder, build_embedder
from biblicus_context.stores import Principal, Store
from biblicus_context.testing.memory_store import InMemoryStore, MemorySource
from biblicus_context.testing.remote_source import CountedTrips

FUNCTION = FunctionEmbedder(lambda texts: np.eye(4)[[0] * len(texts)], model="mine", dimensions=4)


def opened(store: str | Path | Store, embedder: Embedder | None = None) -> Corpus:
    corpus = Corpus.open_records(store, embedder=embedder)
    corpus.put([Record(id="lamp", text="The lamp is green.")])
    return corpus


def elsewhere() -> Store:
    return Store(CountedTrips(MemorySource()))


def test_searches_that_may_wait_run_at_the_same_time(tmp_path: Path):
    """Each of them waits for the other one."""
    barrier = Barrier(2)
    corpus = opened(tmp_path / "store", FUNCTION)

    def search() -> int:
        barrier.wait(timeout=20)
        return len(corpus.search("lamp"))

    async def both() -> list[int]:
        return await asyncio.gather(*(read_in_thread(corpus, search) for _ in range(2)))

    assert asyncio.run(both()) == [1, 1]


def test_searches_of_a_store_on_another_machine_read_together():
    """Those that begin at the same time, as whichever principal; an error of one is its own."""
    source = CountedTrips(MemorySource())
    corpus = opened(Store(source))
    ann = corpus.for_principal(Principal(corpus.principal.workspace, user="ann"))

    def fail() -> int:
        raise LookupError("lost")

    async def several() -> list[object]:
        reads = [
            read_in_thread(corpus, lambda: len(corpus.search("lamp"))),
            read_in_thread(ann, lambda: len(ann.search("green"))),
            read_in_thread(corpus, fail),
            read_in_thread(corpus, lambda: len(corpus.get(["lamp"]))),
        ]
        return await asyncio.gather(*reads, return_exceptions=True)

    corpus.put([Record(id="cup", text="The cup is green, as the lamp.")])
    asyncio.run(several())
    source.trips.clear()
    *found, error, known = asyncio.run(several())
    assert (found, known, str(error)) == ([2, 2], 1, "lost")
    assert len(source.trips) <= 3


def test_reads_of_several_corpora_are_made_in_one_thread(tmp_path: Path):
    """In a row where they compute, and in one trip where they travel."""
    near, source = opened(tmp_path / "store"), CountedTrips(MemorySource())
    far, other = opened(Store(source)), opened(Store(source))

    def read(corpus: Corpus) -> tuple[Corpus, Callable[[], int]]:
        return corpus, lambda: len(corpus.get(["lamp"]))

    source.trips.clear()
    assert asyncio.run(read_all_in_thread(read(near), read(far), read(other))) == [1, 1, 1]
    assert len(source.trips) == 1


def test_a_search_only_computes_where_nobody_else_is_asked(tmp_path: Path):
    """Which embedder is declared is known before it is loaded: this one would ask for a key."""
    server = {"type": "openai", "model": "small", "dimensions": 4}
    for number, (embedder, computes) in enumerate((
        (WordLlamaEmbedder(), True),
        (build_embedder("wordllama"), True),
        (None, True),
        (FUNCTION, False),
    )):  # fmt: skip
        index = opened(tmp_path / str(number), embedder).index
        assert index.computes() is computes
        assert index.computes(with_vectors=False)
    assert opened(InMemoryStore()).index.computes(with_vectors=False)
    far = opened(elsewhere()).index
    assert (far.computes(with_vectors=False), far.joins(with_vectors=False)) == (False, True)
    assert not opened(elsewhere(), FUNCTION).index.joins()
    declaration = CorpusDeclaration(name="docs", config={"root": str(tmp_path), "embedder": server})
    declared = Corpus.open(declaration)
    assert not declared.index.computes()
    assert declared.index.computes(with_vectors=False)
