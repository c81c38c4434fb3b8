"""Async callers share one thread between retrievers that compute, and give one to each that may wait."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from biblicus_context import ContextAssembler, Corpus, Record
from biblicus_context.corpora.evidence import RankedBlock
from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.embedders import Embedder, FunctionEmbedder
from biblicus_context.stores import Store

NAMES = ["r0", "r1", "r2"]


def answer(
    store: str | Path | Store,
    work: Callable[[], None],
    retriever_id: str,
    embedder: Embedder | None = None,
) -> str:
    """What three retrievers of one plan find; each does some work when it ranks."""

    def working(*_: object) -> float:
        work()
        return 0.5

    def mine(query: SearchQuery, *_: object) -> list[RankedBlock]:
        (block,) = query.view.blocks_of(["r0"])
        return [RankedBlock(block.id, "r0", 1.0, lambda _: {})]

    corpus = Corpus.open_records(store, embedder=embedder)
    corpus.put([Record(id=name, kind=name, text=f"The lamp {name}.") for name in NAMES])
    parts = {"rank": {"working": working}, "retrievers": {"mine": mine}}
    settings = {"retriever_id": retriever_id, "rank": {"working": 1}, "limit": 1}
    retrievers = {
        name: corpus.retriever({**settings, "filters": {"kind": name}}, parts=parts)
        for name in NAMES
    }
    assembler = ContextAssembler({"main": {"packs": NAMES}}, retrievers)
    return asyncio.run(assembler.aassemble("main", inputs={"query": "lamp"})).system_prompt


@pytest.mark.parametrize("retriever_id", ["keyword", "hybrid"])
def test_searches_in_a_folder_share_a_thread(tmp_path: Path, retriever_id: str):
    """Threads that compute at once mostly wait for each other, and pay for it."""
    seen: list[int] = []
    text = answer(tmp_path / "store", lambda: seen.append(threading.get_ident()), retriever_id)
    assert text == "The lamp r0.\n\nThe lamp r1.\n\nThe lamp r2."
    assert len(seen) == 3
    assert len({*seen, threading.get_ident()}) == 2


@pytest.mark.parametrize("waiting", ["an embedder", "a retriever"])
def test_what_a_caller_provides_may_wait_so_it_is_asked_side_by_side(tmp_path: Path, waiting: str):
    """Each of them waits for the other two."""
    embedder = FunctionEmbedder(
        lambda texts: np.eye(4)[[0] * len(texts)], model="mine", dimensions=4
    )
    barrier = threading.Barrier(3)
    text = answer(
        tmp_path / "store",
        lambda: (barrier.wait(timeout=20), None)[1],
        {"a retriever": "mine", "an embedder": "hybrid"}[waiting],
        embedder if waiting == "an embedder" else None,
    )
    assert text.startswith("The lamp r0.")
