"""Async searches that only compute take turns; those that wait for others do not."""

from __future__ import annotations

import asyncio
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest

from biblicus_context import Corpus, CorpusDeclaration, Record
from biblicus_context.corpora.async_reading import read_in_thread
from biblicus_context.embedders import Embedder, FunctionEmbedder, WordLlamaEmbedder, build_embedder
from biblicus_context.stores import Store
from biblicus_context.testing.memory_store import InMemoryStore, MemorySource
from biblicus_context.testing.remote_source import CountedTrips

FUNCTION = FunctionEmbedder(lambda texts: np.eye(4)[[0] * len(texts)], model="mine", dimensions=4)


def opened(store: str | Path | Store, embedder: Embedder | None = None) -> Corpus:
    corpus = Corpus.open_records(store, embedder=embedder)
    corpus.put([Record(id="lamp", text="The lamp is green.")])
    return corpus


def elsewhere() -> Store:
    return Store(CountedTrips(MemorySource()))


@pytest.mark.parametrize("waiting", ["a store", "an embedder"])
def test_searches_that_may_wait_run_at_the_same_time(tmp_path: Path, waiting: str):
    """Each of them waits for the other one."""
    barrier = Barrier(2)
    is_store = waiting == "a store"
    corpus = opened(elsewhere() if is_store else tmp_path / "store", None if is_store else FUNCTION)

    def search() -> int:
        barrier.wait(timeout=20)
        return len(corpus.search("lamp"))

    async def both() -> list[int]:
        return await asyncio.gather(*(read_in_thread(corpus, search) for _ in range(2)))

    assert asyncio.run(both()) == [1, 1]


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
