"""Blocks by number: thousands of them are weighed without an object for each."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biblicus_context.errors import InputError
from biblicus_context.stores import (
    Document,
    Entry,
    Filters,
    Store,
    Vectors,
    search_text,
    search_vectors,
)
from biblicus_context.testing.store_contract.by_id import (
    all_numbers,
    listed,
    named,
    text_scores,
    vector_scores,
)
from biblicus_context.testing.store_contract.isolation import WORDS, MakeStore, entries, several
from biblicus_context.testing.store_samples import (
    ANN,
    BOB,
    INDEXER,
    MODEL,
    ONLY_BOB,
    block,
    entry,
    query,
    written,
)

TEXTS = ["one cat", "cats, cat", "dog", "cat dog bird", "nothing here"]


class RankingContract:
    """A part of StoreContract, which describes the fixtures."""

    @given(
        found=st.lists(
            entries("a"), min_size=1, max_size=4, unique_by=lambda each: each.document.id
        ),
        chosen=st.data(),
    )
    @several
    def test_under_a_filter_scores_are_those_of_a_store_without_the_rest(
        self, make_store: MakeStore, found: list[Entry], chosen: st.DataObject
    ) -> None:
        some = chosen.draw(st.lists(st.sampled_from(found), min_size=1, unique_by=id))
        names = frozenset(each.document.id for each in some)
        with make_store() as whole, make_store() as part:
            at, at_part = written(whole, *found), written(part, *some)
            filtered = whole.rank_text(ANN, WORDS, filters=Filters(documents=names), at=at)
            alone = part.rank_text(ANN, WORDS, at=at_part)
            assert named(whole, ANN, filtered, at) == named(part, ANN, alone, at_part)

    @given(
        found=st.lists(
            entries("a"), min_size=1, max_size=4, unique_by=lambda each: each.document.id
        ),
        limit=st.integers(0, 8),
    )
    @several
    def test_a_ranking_by_number_is_the_search_by_id(
        self, make_store: MakeStore, found: list[Entry], limit: int
    ) -> None:
        with make_store() as store:
            at = written(store, *found)
            filters = Filters(documents=frozenset("ab"))
            text = store.rank_text(ANN, WORDS, filters=filters, limit=limit, at=at)
            assert named(store, ANN, text, at) == {
                hit.block_id: hit.score
                for hit in search_text(store, ANN, WORDS, filters=filters, limit=limit, at=at)
            }
            vector = store.rank_vectors(ANN, query(2, 1), filters=filters, limit=limit, at=at)
            assert named(store, ANN, vector, at) == {
                hit.block_id: hit.score
                for hit in search_vectors(
                    store, ANN, query(2, 1), filters=filters, limit=limit, at=at
                )
            }
            for each in (text, vector):
                assert [*each.numbers] == sorted(each.numbers)

    def test_ties_at_the_limit_are_decided_by_the_block_ids(self, store: Store) -> None:
        names = ["e", "d", "c", "b", "a"]
        at = written(store, *(entry(each, "same words", vectors=[[1, 0]]) for each in names))
        for found in (
            store.rank_text(ANN, ["words"], limit=3, at=at),
            store.rank_vectors(ANN, query(1, 0), limit=3, at=at),
        ):
            assert {*named(store, ANN, found, at)} == {"a#0", "b#0", "c#0"}

    def test_scores_of_single_blocks_are_those_of_the_search(self, store: Store) -> None:
        vectors = [[n, 3.0 - n] for n in range(len(TEXTS))]
        written(store, entry("a", *TEXTS, vectors=vectors), entry("b", "plain cat"))
        by_text = {hit.block_id: hit.score for hit in search_text(store, ANN, ["cat", "dog"])}
        names = [*(f"a#{n}" for n in range(5)), "b#0"]
        assert text_scores(store, ANN, ["cat", "dog"]) == {
            each: by_text.get(each, 0.0) for each in names
        }
        by_vector = {hit.block_id: hit.score for hit in search_vectors(store, ANN, query(2, 1))}
        assert vector_scores(store, ANN, query(2, 1)) == by_vector
        assert vector_scores(store, ANN, Vectors.of("unknown", [[1.0]])) == {}

    def test_numbers_count_what_can_be_seen_in_the_order_of_writing(self, store: Store) -> None:
        written(store, entry("z", "one", "two"))
        written(store, entry("secret", "three", readers=ONLY_BOB))
        at = written(store, entry("a", "four"))
        for who, wanted in (
            (ANN, ["z#0", "z#1", "a#0"]),
            (BOB, ["z#0", "z#1", "secret#0", "a#0"]),
        ):
            places = store.places(who, all_numbers(store, who, at), at=at)
            assert [each.block_id for each in places] == wanted
        assert [each.block_id for each in store.places(ANN, np.array([2, 0, 2]), at=at)] == [
            "a#0", "z#0", "a#0",
        ]  # fmt: skip

    @pytest.mark.parametrize("number", [-1, 1, 2**40])
    def test_an_unknown_number_is_refused(self, store: Store, number: int) -> None:
        at = written(store, entry("a", "rose"))
        written(store, entry("secret", "rose", readers=ONLY_BOB))
        numbers = np.array([0, number])
        for call in (
            lambda: store.places(ANN, numbers, at=at),
            lambda: store.layout(ANN, numbers, at=at),
            lambda: store.rank_text(ANN, ["rose"], among=numbers, at=at),
            lambda: store.rank_vectors(ANN, query(1), among=numbers, at=at),
            lambda: store.unit_vectors(ANN, MODEL, numbers, at=at),
        ):
            with pytest.raises(InputError, match=r"numbers: .*Use numbers that the same princ"):
                call()

    def test_numbers_stay_valid_for_their_version(self, store: Store) -> None:
        before = written(store, entry("a", "rose", "rose rose"), entry("b", "tulip"))
        scores = text_scores(store, ANN, ["rose"], at=before)
        written(store, entry("a", "tulip"))
        assert text_scores(store, ANN, ["rose"], at=before) == scores
        assert {*text_scores(store, ANN, ["rose"])} == {"a#0", "b#0"}

    def test_blocks_belong_to_the_sequence_of_their_document_and_session(
        self, store: Store
    ) -> None:
        sessions = ["s1", "s1", "s2", None, "s1"]
        turns = tuple(block("a", n, f"turn {n}", session=each) for n, each in enumerate(sessions))
        at = written(store, Entry(Document(id="a"), turns), entry("b", "x", "y z"))
        found = store.layout(ANN, all_numbers(store, ANN, at), at=at)
        assert listed(*found) == [
            [0, 1, 2, 3, 4, 5, 6],
            [0, 0, 2, 3, 0, 5, 5],
            [0, 1, 2, 3, 4, 0, 1],
            [2, 2, 2, 2, 2, 1, 2],
            [True, True, True, False, True, False, False],
            [3, 3, 1, 1, 3, 2, 2],
        ]
        (first,) = store.layout(ANN, np.array([0]), reach=1, at=at).lengths[:1]
        assert first == 3
        written(store, Entry(Document(id="a"), turns[:2]))
        assert listed(*store.layout(ANN, np.array([0]), at=at))[-1] == [3]

    def test_blocks_around_others_come_once_and_from_the_same_sequence(self, store: Store) -> None:
        turns = tuple(block("s", n, "x", session=f"{n // 4}") for n in range(8))
        at = written(store, entry("a", *"uvwxyz"), Entry(Document(id="s"), turns), entry("c", "x"))

        def around(numbers: list[int], reach: int) -> list[int]:
            found = store.layout(ANN, np.array(numbers, dtype=np.int64), reach=reach, at=at)
            return found.numbers.tolist()

        assert around([3, 0], 1) == [0, 1, 2, 3, 4]
        assert around([9, 14], 3) == [6, 7, 8, 9, 14]
        assert around([3, 0, 3], 0) == [0, 3]
        assert around([], 2) == []

    @given(
        positions=st.lists(st.integers(0, 30), min_size=1, max_size=12, unique=True),
        reach=st.integers(0, 6),
    )
    @several
    def test_neighbours_are_found_in_whatever_order_blocks_are_written(
        self, make_store: MakeStore, positions: list[int], reach: int
    ) -> None:
        with make_store() as store:
            blocks = tuple(
                block("a", position, "x", session=f"{position % 2}") for position in positions
            )
            at = written(store, Entry(Document(id="a"), blocks), entry("b", "x"))
            for number in range(len(positions)):
                own = store.layout(ANN, np.array([number]), at=at).positions[0]
                found = store.layout(ANN, np.array([number]), reach=reach, at=at)
                assert sorted(found.positions.tolist()) == sorted(
                    each for each in positions if abs(each - own) <= reach and each % 2 == own % 2
                )

    def test_embeddings_come_as_unit_rows_of_those_that_have_one(self, store: Store) -> None:
        at = written(
            store, entry("a", "x", "y", vectors=[[3, 4], [0, 0]]), entry("b", "z"),
        )  # fmt: skip
        numbers, rows = store.unit_vectors(ANN, MODEL, np.array([2, 1, 0]), at=at)
        assert numbers.tolist() == [1, 0]
        assert rows == pytest.approx(np.array([[0, 0], [0.6, 0.8]]))
        assert len(store.unit_vectors(ANN, "unknown", np.array([0]), at=at)[0]) == 0

    def test_what_was_cached_for_one_reader_is_not_shown_to_another(self, store: Store) -> None:
        at = written(store, entry("secret", "rose", vectors=[(1.0, 0.0)], readers=ONLY_BOB))
        for who, seen in ((INDEXER, 1), (BOB, 1), (ANN, 0)):
            assert len(store.rank_text(who, ["rose"], at=at).numbers) == seen
            assert len(store.rank_vectors(who, query(1.0, 0.0), at=at).numbers) == seen
            assert len(text_scores(store, who, ["rose"])) == seen
