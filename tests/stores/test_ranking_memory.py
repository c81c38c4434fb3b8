"""One memory for all searches of a process: bounded, and nothing but time is lost with what it forgets."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from biblicus_context.corpora import Corpus
from biblicus_context.errors import InputError
from biblicus_context.ingest.records import Record
from biblicus_context.stores import Principal, limit_memory
from biblicus_context.stores.ranking.collection import CollectionBlocks
from biblicus_context.stores.ranking.memory import MEBIBYTES, MEMORY, RankingMemory
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_samples import (
    ANN,
    entry,
    ids,
    query,
    search_fuzzy,
    search_text,
    search_vectors,
    written,
)


@pytest.fixture(autouse=True)
def unlimited() -> Iterator[None]:
    """The usual limit, before and after."""
    limit_memory(MEBIBYTES)
    yield
    limit_memory(MEBIBYTES)


class Large:
    """A value of so many bytes."""

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes


def test_the_least_recently_used_goes_first():
    memory = RankingMemory(1)
    for name in "abc":
        memory.put(name, Large(300_000))
    assert memory.get("a") is not None
    memory.put("d", Large(300_000))
    assert [memory.get(name) is not None for name in "abcd"] == [True, False, True, True]
    assert memory.nbytes <= 1024 * 1024


def test_a_value_above_the_limit_is_returned_and_not_kept():
    memory = RankingMemory(1)
    assert memory.sized("a", lambda: Large(2_000_000)).nbytes == 2_000_000
    assert memory.get("a") is None


@pytest.mark.parametrize("limit", [-1, 1.5, True, "all"])
def test_a_limit_is_a_number_of_mebibytes(limit: object):
    with pytest.raises(InputError, match="a number of MiB from 0 on"):
        limit_memory(limit)  # type: ignore[arg-type] # a mistake


def test_all_workspaces_share_one_limit(tmp_path: Path):
    """Each had a limit of its own: 32 open ones could take 4 GiB."""
    limit_memory(1)
    texts = [f"word{n} cat" for n in range(2_000)]
    with open_store(tmp_path) as store:
        for tenant in "abcdef":
            who = Principal(tenant)
            written(store, entry("d", *texts), principal=who)
            for number in range(5):
                assert ids(search_text(store, who, [f"word{number}"])) == [f"d#{number}"]
        assert 0 < MEMORY.nbytes <= 1024 * 1024


@pytest.mark.parametrize("limit", [0, 1, MEBIBYTES])
def test_searches_find_the_same_whatever_is_forgotten(tmp_path: Path, limit: int):
    with open_store(tmp_path) as store:
        texts = [f"tea number{n} x-ray" for n in range(300)]
        rows = [[float(n), 300.0 - n] for n in range(300)]
        first = written(store, entry("a", *texts, vectors=rows))

        def results() -> list[object]:
            return [
                search_text(store, ANN, ["tea", "number7", "x-ray"], limit=20),
                search_text(store, ANN, ["number8"], at=first),
                search_fuzzy(store, ANN, ["numbr7"]),
                search_vectors(store, ANN, query(3, 7), limit=20),
            ]

        before = results()
        limit_memory(limit)
        assert results() == before
        assert results() == before
        written(store, entry("b", "tea", vectors=[[-3, 7]]))
        assert ids(search_vectors(store, ANN, query(-3, 7), limit=1)) == ["b#0"]
        assert search_text(store, ANN, ["number8"], at=first) == before[1]


def test_a_ranking_that_is_remembered_keeps_no_columns(tmp_path: Path):
    """Of a hundred thousand blocks they are seven megabytes, for each version that is searched."""
    with open_store(tmp_path / "store") as store:
        corpus = Corpus.open_records(store, embedder=None)
        retriever = corpus.retriever({"retriever_id": "hybrid"})
        for number in range(4):
            corpus.put([Record(id=f"r{number}", text=f"Tea {number} is hot.")])
            assert retriever.evidence(f"tea {number}", offset=0, limit=3)
        limit_memory(MEBIBYTES)  # forget what the memory itself keeps
        gc.collect()
        assert not [each for each in gc.get_objects() if isinstance(each, CollectionBlocks)]
