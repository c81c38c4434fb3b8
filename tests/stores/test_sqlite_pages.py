"""What the embedded store remembers between two searches changes no answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biblicus_context.stores import Principal, Store
from biblicus_context.stores.sqlite import handed, open_store
from tests.stores.build import ANN, BOB, ONLY_BOB, entry, query, written

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
    text = shelf.search_text(ANN, ["rose", "garden"])
    vector = shelf.search_vectors(ANN, query(1.0, 0.2))
    assert len(text) == len(vector) == 40
    assert shelf.search_text(ANN, ["rose", "garden"], **asked) == text[offset : offset + limit]
    assert shelf.search_vectors(ANN, query(1.0, 0.2), **asked) == vector[offset : offset + limit]


def test_a_second_page_of_vectors_knows_what_was_written_before_it(tmp_path: Path):
    with open_store(tmp_path) as store:
        written(store, entry("a", "one", "two", vectors=VECTORS[:2]))
        assert len(store.search_vectors(ANN, query(1.0, 0.0))) == 2
        written(store, entry("b", "three", vectors=[(1.0, 0.0)]))
        found = store.search_vectors(ANN, query(1.0, 0.0))
        assert [hit.block_id for hit in found] == ["a#0", "b#0", "a#1"]


def test_what_one_reader_was_handed_stays_unknown_to_another(tmp_path: Path):
    with open_store(tmp_path) as store:
        written(store, entry("secret", "rose", vectors=[(1.0, 0.0)], readers=ONLY_BOB))
        assert [hit.block_id for hit in store.search_text(BOB, ["rose"])] == ["secret#0"]
        assert store.score_text(BOB, ["rose"], ["secret#0"])
        assert store.score_text(ANN, ["rose"], ["secret#0"]) == {}
        assert store.score_vectors(ANN, query(1.0, 0.0), ["secret#0"]) == {}


def test_scores_of_a_version_stay_after_a_block_is_gone(tmp_path: Path):
    with open_store(tmp_path) as store:
        before = written(store, entry("a", "rose", "rose rose"))
        scores = {hit.block_id: hit.score for hit in store.search_text(ANN, ["rose"])}
        written(store, entry("a", "tulip"))
        assert store.score_text(ANN, ["rose"], ["a#0", "a#1"]) == {"a#0": 0.0}
        assert store.score_text(ANN, ["rose"], ["a#0", "a#1"], at=before) == scores


def test_more_readers_and_blocks_than_are_remembered_are_answered_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(handed, "_BLOCKS", 3)
    monkeypatch.setattr(handed, "_VIEWS", 2)
    with open_store(tmp_path) as store:
        written(store, entry("a", *["rose " * (number + 1) for number in range(8)]))
        readers = [Principal("acme", user=name) for name in ("ann", "bob", "cy", "dee")]
        for limit in (8, 2, 8):
            for reader in readers:
                found = store.search_text(reader, ["rose"], limit=limit)
                scores = store.score_text(reader, ["rose"], [f"a#{n}" for n in range(8)])
                assert len(scores) == 8
                assert {hit.block_id: hit.score for hit in found}.items() <= scores.items()
