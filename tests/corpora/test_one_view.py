"""What the retrievers of an assembly read in a row, they read in one view, which nobody waits with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from biblicus_context import ContextAssembler, Corpus, Record
from biblicus_context.base.sharing import sharing
from biblicus_context.retrieval import ContextPack, ContextRetrieverRequest
from biblicus_context.stores import Principal, Readers, Store
from biblicus_context.stores.sqlite import open_store
from biblicus_context.stores.sqlite.source import SqliteReading, SqliteSource
from biblicus_context.testing.memory_store import MemorySource
from biblicus_context.testing.remote_source import CountedTrips

NAMES = ["r0", "r1", "r2"]


class Readings:
    """How many transactions began, and how many are open."""

    begun = 0
    open = 0


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> Readings:
    found, reading = Readings(), SqliteSource.reading

    @contextmanager
    def counted(*args: Any) -> Iterator[SqliteReading]:
        found.begun += 1
        found.open += 1
        try:
            with reading(*args) as opened:
                yield opened
        finally:
            found.open -= 1

    monkeypatch.setattr(SqliteSource, "reading", counted)
    return found


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[Corpus]:
    with Corpus.open_records(tmp_path / "store", embedder=None) as opened:
        opened.put([Record(id=name, kind=name, text=f"The lamp {name}.") for name in NAMES])
        yield opened


def retrievers(corpus: Corpus) -> dict[str, Any]:
    return {
        name: corpus.retriever({"retriever_id": "keyword", "filters": {"kind": name}})
        for name in NAMES
    }


def sync(assembler: ContextAssembler) -> str:
    return assembler.assemble("main", inputs={"query": "lamp"}).system_prompt


def asynchronous(assembler: ContextAssembler) -> str:
    return asyncio.run(assembler.aassemble("main", inputs={"query": "lamp"})).system_prompt


@pytest.mark.parametrize("assembled", [sync, asynchronous])
def test_three_packs_of_a_corpus_are_read_in_one_view(
    readings: Readings, corpus: Corpus, assembled: Callable[[ContextAssembler], str]
):
    assembler = ContextAssembler({"main": {"packs": NAMES}}, retrievers(corpus))
    before = readings.begun
    assert assembled(assembler) == "The lamp r0.\n\nThe lamp r1.\n\nThe lamp r2."
    assert (readings.begun - before, readings.open) == (1, 0)


@pytest.mark.parametrize("assembled", [sync, asynchronous])
def test_packs_over_a_store_that_was_passed_are_read_in_one_view_too(
    readings: Readings, tmp_path: Path, assembled: Callable[[ContextAssembler], str]
):
    with open_store(tmp_path / "passed") as store:
        corpus = Corpus.open_records(store=store, name="passed", embedder=None)
        corpus.put([Record(id=name, kind=name, text=f"The lamp {name}.") for name in NAMES])
        assembler = ContextAssembler({"main": {"packs": NAMES}}, retrievers(corpus))
        before = readings.begun
        assert assembled(assembler) == "The lamp r0.\n\nThe lamp r1.\n\nThe lamp r2."
        assert (readings.begun - before, readings.open) == (1, 0)


@pytest.mark.parametrize("assembled", [sync, asynchronous])
def test_packs_over_a_store_on_another_machine_read_together(
    assembled: Callable[[ContextAssembler], str],
):
    """Three packs take as many trips as one, and find the same."""
    source = CountedTrips(MemorySource())
    corpus = Corpus.open_records(store=Store(source), name="far", embedder=None)
    corpus.put([Record(id=name, kind=name, text=f"The lamp {name}.") for name in NAMES])
    trips = []
    for names in (NAMES[:1], NAMES[:1], NAMES):
        assembler = ContextAssembler({"main": {"packs": names}}, retrievers(corpus))
        source.trips.clear()
        assert assembled(assembler) == "\n\n".join(f"The lamp {each}." for each in names)
        trips.append(len(source.trips))
    assert trips == [3, 1, 2]  # the first one finds out what there is, and the second knows it


def test_a_pack_of_which_the_version_is_gone_reads_the_newest_one(tmp_path: Path):
    """Also where a transaction begins with its first answer."""
    source = CountedTrips(open_store(tmp_path / "far").source)
    corpus = Corpus.open_records(store=Store(source), name="far", embedder=None)
    corpus.put([Record(id="a", text="The lamp."), Record(id="b", text="The other lamp.")])
    retriever = corpus.retriever({"retriever_id": "keyword"})
    first = retriever(ContextRetrieverRequest(query="lamp", limit=1))
    corpus.remove(["a"])
    found = retriever(ContextRetrieverRequest(query="lamp", limit=1, offset=1))
    assert (len(first.blocks), len(found.blocks)) == (1, 0)
    assert corpus.search("lamp")[0].block.text == "The other lamp."
    source.close()


def test_no_view_is_open_while_a_retriever_waits(readings: Readings, corpus: Corpus):
    """Else a removal would have to wait for a server that has nothing to do with it."""
    seen: list[int] = []

    def slow(_: ContextRetrieverRequest) -> ContextPack:
        seen.append(readings.open)
        return ContextPack(text="", evidence_count=0, blocks=[])

    of_plan = {"slow": slow, **retrievers(corpus)}
    sync(ContextAssembler({"main": {"packs": ["r0", "slow", "r1"]}}, of_plan))
    assert seen == [0]


def test_what_is_hidden_is_hidden_from_the_next_assembly(corpus: Corpus):
    """A view ends with the calls in a row that share it."""
    bob = Principal(corpus.principal.workspace, user="bob")
    assembler = ContextAssembler({"main": {"packs": NAMES}}, retrievers(corpus.for_principal(bob)))
    assert "r1" in sync(assembler)
    hidden = Record(id="r1", kind="r1", text="The lamp r1.", readers=Readers(users={"ann"}))
    corpus.put([hidden])
    assert "r1" not in sync(assembler)


def test_a_view_that_is_shared_ends_where_a_call_fails(readings: Readings, corpus: Corpus):
    retriever = corpus.retriever({"retriever_id": "keyword"})

    def failing() -> None:
        for _ in range(3):
            retriever(ContextRetrieverRequest(query="lamp", limit=1))
        assert readings.open == 1
        raise LookupError

    with pytest.raises(LookupError), sharing():
        failing()
    assert readings.open == 0
