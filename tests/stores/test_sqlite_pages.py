"""What the embedded store remembers between two searches changes no answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from biblicus_context.stores import Batch, Store
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_contract.by_id import text_scores
from biblicus_context.testing.store_samples import (
    ANN,
    entry,
    query,
    search_text,
    search_vectors,
    written,
)

VECTORS = [(1.0, 0.0), (0.8, 0.6), (0.6, 0.8), (0.0, 1.0)]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Forty blocks, ten for each score, so that ids decide in every page."""
    with open_store(tmp_path_factory.mktemp("shelf")) as store:
        texts = [f"rose {'garden ' * (number % 4)}" for number in range(40)]
        vectors = [VECTORS[number % 4] for number in range(40)]
        written(store, entry("a", *texts[:20], vectors=vectors[:20]))
        written(store, entry("b", *texts[20:], vectors=vectors[20:]))
        yield store


@given(offset=st.integers(0, 50), limit=st.integers(0, 50))
def test_a_page_is_that_part_of_the_whole_ranking(shelf: Store, offset: int, limit: int):
    asked = {"offset": offset, "limit": limit}
    text = search_text(shelf, ANN, ["rose", "garden"])
    vector = search_vectors(shelf, ANN, query(1.0, 0.2))
    assert len(text) == len(vector) == 40
    assert search_text(shelf, ANN, ["rose", "garden"], **asked) == text[offset : offset + limit]
    assert search_vectors(shelf, ANN, query(1.0, 0.2), **asked) == vector[offset : offset + limit]


def test_a_second_page_of_vectors_knows_what_was_written_before_it(tmp_path: Path):
    with open_store(tmp_path) as store:
        written(store, entry("a", "one", "two", vectors=VECTORS[:2]))
        assert len(search_vectors(store, ANN, query(1.0, 0.0))) == 2
        written(store, entry("b", "three", vectors=[(1.0, 0.0)]))
        found = search_vectors(store, ANN, query(1.0, 0.0))
        assert [hit.block_id for hit in found] == ["a#0", "b#0", "a#1"]


def test_a_store_that_is_open_reads_on_after_another_one_has_packed_anew(tmp_path: Path):
    with open_store(tmp_path) as reader, open_store(tmp_path) as writer:
        written(writer, entry("a", "rose", "tulip"))
        written(writer, entry("b", "rose"))
        assert text_scores(reader, ANN, ["rose"]).keys() == {"a#0", "a#1", "b#0"}
        writer.write(ANN, Batch(remove=("a",)))
        writer.vacuum()
        written(writer, entry("c", "rose rose"))
        assert text_scores(reader, ANN, ["rose"]).keys() == {"b#0", "c#0"}
        assert [*text_scores(reader, ANN, ["rose"])] == [*text_scores(writer, ANN, ["rose"])]
        assert writer.check() == reader.check() == ()
    with open_store(tmp_path) as store:
        assert text_scores(store, ANN, ["rose"]).keys() == {"b#0", "c#0"}


def test_removing_all_and_packing_anew_leaves_a_store_that_goes_on(tmp_path: Path):
    with open_store(tmp_path) as store:
        written(store, entry("a", "rose"))
        store.write(ANN, Batch(remove=("a",)))
        store.vacuum()
        assert text_scores(store, ANN, ["rose"]) == {}
        written(store, entry("b", "rose"))
        assert text_scores(store, ANN, ["rose"]).keys() == {"b#0"}
