"""Searches as columns: thousands of blocks are weighed without an object for each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from biblicus_context.stores import (
    Document,
    Entry,
    Filters,
    Principal,
    SearchRequest,
    Store,
    Vectors,
)
from biblicus_context.testing.store_contract.by_id import (
    EVERYTHING,
    ids_of,
    layout,
    searched,
    text_scores,
    vector_scores,
)
from biblicus_context.testing.store_contract.isolation import WORDS, MakeStore, entries, several
from biblicus_context.testing.store_samples import (
    ANN,
    BOB,
    INDEXER,
    ONLY_BOB,
    block,
    day,
    entry,
    query,
    search_text,
    search_vectors,
    written,
)

TEXTS = ["one cat", "cats, cat", "dog", "cat dog bird", "nothing here"]
ALL = SearchRequest(terms=("x",), limit=EVERYTHING)


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
            written(whole, *found)
            written(part, *some)
            filtered = search_text(whole, ANN, WORDS, filters=Filters(documents=names))
            assert filtered == search_text(part, ANN, WORDS)

    @given(
        found=st.lists(
            entries("a"), min_size=1, max_size=4, unique_by=lambda each: each.document.id
        ),
        limit=st.integers(0, 8),
    )
    @several
    def test_both_searches_in_one_request_are_the_searches_alone(
        self, make_store: MakeStore, found: list[Entry], limit: int
    ) -> None:
        with make_store() as store:
            written(store, *found)
            filters = Filters(documents=frozenset("ab"))
            by_text = search_text(store, ANN, WORDS, filters=filters, limit=limit)
            by_vector = search_vectors(store, ANN, query(2, 1), filters=filters, limit=limit)
            every_text = text_scores_of(store, filters)
            every_vector = {
                hit.block_id: hit.score
                for hit in search_vectors(
                    store, ANN, query(2, 1), filters=filters, limit=EVERYTHING
                )
            }
            with store.view(ANN) as view:
                both = view.search(
                    SearchRequest(
                        terms=tuple(WORDS), vector=query(2, 1), filters=filters, limit=limit
                    )
                )
                names = ids_of(view, both)
            assert {names[row] for row in both.by_text} == {hit.block_id for hit in by_text}
            assert {names[row] for row in both.by_vector} == {hit.block_id for hit in by_vector}
            assert both.text.tolist() == [every_text.get(each, 0.0) for each in names]
            assert both.cosines.tolist() == [every_vector[each] for each in names]

    def test_ties_at_the_limit_are_decided_by_the_block_ids(self, store: Store) -> None:
        names = ["e", "d", "c", "b", "a"]
        written(store, *(entry(each, "same words", vectors=[[1, 0]]) for each in names))
        for request in (
            SearchRequest(terms=("words",), limit=3),
            SearchRequest(vector=query(1, 0), limit=3),
        ):
            with store.view(ANN) as view:
                assert {*ids_of(view, view.search(request))} == {"a#0", "b#0", "c#0"}

    def test_scores_of_what_one_search_found_are_those_of_the_other(self, store: Store) -> None:
        """A fusion compares them, so no block is without a score that it could have."""
        written(
            store,
            entry("a", "one cat", vectors=[[0, 1]]),
            entry("b", "dog", vectors=[[1, 0]]),
            entry("c", "a cat too"),
        )
        every = text_scores(store, ANN, ["cat"])
        near = vector_scores(store, ANN, query(1, 0))
        with store.view(ANN) as view:
            found = view.search(SearchRequest(terms=("cat",), vector=query(1, 0), limit=1))
            names = ids_of(view, found)
        assert names == ["a#0", "b#0"]
        assert found.text.tolist() == [every[each] for each in names]
        assert found.cosines.tolist() == [near[each] for each in names]
        with store.view(ANN) as view:
            found = view.search(SearchRequest(terms=("too",), vector=query(1, 0), limit=1))
        assert np.isnan(found.cosines[found.by_text]).all()

    def test_words_that_most_blocks_have_are_left_out(self, store: Store) -> None:
        written(store, *(entry(f"d{n}", f"cat number{n}") for n in range(5)))
        written(store, entry("secret", *["cat number3"] * 20, readers=ONLY_BOB))
        for words, searched_for in (
            (("cat", "number3"), ("number3",)),
            (("cat", "zebra"), ("cat", "zebra")),
            ((), ()),
        ):
            with store.view(ANN) as view:
                found = view.search(SearchRequest(words=words))
                assert found.terms == searched_for
        with store.view(ANN) as view:
            both = view.search(SearchRequest(words=("cat", "number3"), terms=("cat",)))
        assert both.terms == ("number3", "cat")

    def test_more_are_returned_where_turns_are_among_them(self, store: Store) -> None:
        turns = tuple(block("s", n, "words", session="1") for n in range(6))
        written(store, *(entry(f"d{n}", "words") for n in range(6)))
        for most, expected in ((2, 2), (5, 2)):
            with store.view(ANN) as view:
                found = view.search(SearchRequest(terms=("words",), limit=2, turn_limit=most))
            assert len(found) == expected
        written(
            store, Entry(Document(id="a"), tuple(block("a", 0, "words", session="1") for _ in "x"))
        )
        written(store, Entry(Document(id="s"), turns))
        with store.view(ANN) as view:
            assert len(view.search(SearchRequest(terms=("words",), limit=2, turn_limit=5))) == 5
            assert len(view.search(SearchRequest(terms=("words",), limit=2, turn_limit=1))) == 2

    def test_rows_are_in_the_order_of_writing(self, store: Store) -> None:
        written(store, entry("z", "x one", "x two"))
        written(store, entry("secret", "x three", readers=ONLY_BOB))
        written(store, entry("a", "x four"))
        for who, wanted in (
            (ANN, ["z#0", "z#1", "a#0"]),
            (BOB, ["z#0", "z#1", "secret#0", "a#0"]),
        ):
            with store.view(who) as view:
                found = view.search(ALL)
                assert ids_of(view, found) == wanted
                assert ids_of(view, found, np.array([2, 0, 2])) == [wanted[2], "z#0", wanted[2]]

    def test_an_answer_stays_what_it_was(self, store: Store) -> None:
        at = written(store, entry("a", "rose", "rose rose"), entry("b", "tulip"))
        with store.view(ANN) as view:
            found = view.search(SearchRequest(terms=("rose",)))
            before = found.text.tolist()
            written(store, entry("a", "tulip"))
            assert ids_of(view, found) == ["a#0", "a#1"]
            assert found.text.tolist() == before
            assert view.search(SearchRequest(terms=("rose",))).text.tolist() == before
        assert text_scores(store, ANN, ["rose"], at=at) == {
            "a#0": before[0], "a#1": before[1], "b#0": 0.0,
        }  # fmt: skip
        assert {*text_scores(store, ANN, ["rose"])} == {"a#0", "b#0"}

    def test_blocks_belong_to_the_sequence_of_their_document_and_session(
        self, store: Store
    ) -> None:
        sessions = ["s1", "s1", "s2", None, "s1"]
        turns = tuple(block("a", n, f"x {n}", session=each) for n, each in enumerate(sessions))
        written(store, Entry(Document(id="a"), turns), entry("b", "x", "x z"))
        with store.view(ANN) as view:
            found = view.search(ALL)
        sequences, *rest = layout(found)
        assert sequences == [0, 0, 1, 2, 0, 3, 3]
        assert rest == [
            [0, 1, 2, 3, 4, 0, 1],
            [2, 2, 2, 2, 2, 1, 2],
            [True, True, True, False, True, False, False],
            [3, 3, 1, 1, 3, 2, 2],
        ]
        written(store, Entry(Document(id="a"), turns[:2]))
        with store.view(ANN) as view:
            one = view.search(SearchRequest(terms=("x",), filters=ONLY_A))
        assert one.lengths.tolist() == [2, 2]

    def test_blocks_around_others_come_once_and_from_the_same_sequence(self, store: Store) -> None:
        turns = tuple(block("s", n, f"x s{n}", session=f"{n // 4}") for n in range(8))
        texts = [f"x a{n}" for n in range(6)]
        written(store, entry("a", *texts), Entry(Document(id="s"), turns), entry("c", "x c0"))
        with store.view(ANN) as view:

            def around(words: str, *reaches: int) -> list[list[str]]:
                found = view.search(SearchRequest(terms=tuple(words.split())))
                rows = np.arange(len(found))
                wide, moved, near = found.around([(rows, each) for each in reaches])
                names = ids_of(view, wide)
                assert [names[row] for row in moved] == ids_of(view, found)
                return [[names[row] for row in each] for each in near]

            assert around("a3 a0", 1) == [[f"a#{n}" for n in range(5)]]
            assert around("s3 c0", 3) == [[*(f"s#{n}" for n in range(4)), "c#0"]]
            assert around("a3 a0", 0, 1) == [["a#0", "a#3"], [f"a#{n}" for n in range(5)]]
            assert around("zebra", 2) == [[]]
            assert around("a1") == []

    def test_messages_of_a_conversation_are_its_turns_in_the_order_of_time(
        self, store: Store
    ) -> None:
        def turns(principal: Principal) -> dict[str, tuple[int, int]]:
            """The place of each turn, and how many there are of its sequence."""
            with store.view(principal) as view:
                found = view.search(ALL)
                at, of = found.positions.tolist(), found.lengths.tolist()
                rows = zip(ids_of(view, found), at, of, found.turns.tolist(), strict=True)
                return {name: (place, several) for name, place, several, is_turn in rows if is_turn}

        written(
            store,
            entry("late", "x late", conversation="talk", created=day(5)),
            entry("early", "x early", conversation="talk", created=day(1)),
            entry("other", "x other", conversation="elsewhere", created=day(2)),
            entry("hidden", "x no", conversation="talk", created=day(3), readers=ONLY_BOB),
            entry("long", "x one", "x two", conversation="talk", created=day(2)),
            entry("alone", "x alone"),
        )
        assert turns(ANN) == {"late#0": (1, 2), "early#0": (0, 2)}
        assert turns(BOB) == {"late#0": (2, 3), "early#0": (0, 3), "hidden#0": (1, 3)}
        written(store, entry("early", "x again", conversation="talk", created=day(9)))
        written(store, entry("new", "x new", conversation="elsewhere", created=day(1)))
        assert turns(ANN) == {
            "late#0": (0, 2),
            "early#0": (1, 2),
            "new#0": (0, 2),
            "other#0": (1, 2),
        }
        with store.view(ANN) as view:
            filters = Filters(documents=frozenset({"late", "new"}))
            assert not view.search(replace(ALL, filters=filters)).turns.any()

    def test_messages_around_others_are_of_the_same_conversation(self, store: Store) -> None:
        talk = [
            entry(f"{name}{n}", f"x {name}{n}", conversation=name, created=day(n + 1))
            for n in range(6)
            for name in ("a", "b")
        ]
        written(store, *talk)
        with store.view(ANN) as view:
            found = view.search(SearchRequest(terms=("b3",)))
            wide, _, (near,) = found.around([(np.arange(1), 2)])
            names = ids_of(view, wide)
            assert sorted(names[row] for row in near) == [f"b{n}#0" for n in (1, 2, 3, 4, 5)]

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
                block("a", position, f"x w{position}", session=f"{position % 2}")
                for position in positions
            )
            written(store, Entry(Document(id="a"), blocks), entry("b", "x"))
            with store.view(ANN) as view:
                for own in positions:
                    found = view.search(SearchRequest(terms=(f"w{own}",)))
                    wide, _, (near,) = found.around([(np.arange(1), reach)])
                    assert sorted(wide.positions[near].tolist()) == sorted(
                        each
                        for each in positions
                        if abs(each - own) <= reach and each % 2 == own % 2
                    )

    def test_embeddings_come_as_unit_rows_of_those_that_have_one(self, store: Store) -> None:
        written(
            store, entry("a", "x", "x y", vectors=[[3, 4], [0, 0]]), entry("b", "x z"),
        )  # fmt: skip
        with store.view(ANN) as view:
            found = view.search(SearchRequest(terms=("x",), vector=query(1, 0)))
            rows, vectors = found.unit_vectors(np.array([2, 1, 0]))
            assert rows.tolist() == [1, 0]
            assert vectors == pytest.approx(np.array([[0, 0], [0.6, 0.8]]))
            unknown = view.search(
                SearchRequest(terms=("x",), vector=Vectors.of("unknown", [[1.0]]))
            )
            assert len(unknown.unit_vectors(np.array([0]))[0]) == 0

    def test_what_was_cached_for_one_reader_is_not_shown_to_another(self, store: Store) -> None:
        written(store, entry("secret", "rose", vectors=[(1.0, 0.0)], readers=ONLY_BOB))
        for who, count in ((INDEXER, 1), (BOB, 1), (ANN, 0)):
            assert len(search_text(store, who, ["rose"])) == count
            assert len(search_vectors(store, who, query(1.0, 0.0))) == count
            assert len(text_scores(store, who, ["rose"])) == count

    def test_a_search_for_nothing_finds_nothing(self, store: Store) -> None:
        written(store, entry("a", "rose", vectors=[(1.0, 0.0)]))
        assert searched(store, ANN)[1] == []
        assert searched(store, ANN, terms=("!",), words=("?",))[1] == []


ONLY_A = Filters(documents=frozenset({"a"}))


def text_scores_of(store: Store, filters: Filters) -> dict[str, float]:
    """The scores of all that contain one of the words."""
    hits = search_text(store, ANN, WORDS, filters=filters, limit=EVERYTHING)
    return {hit.block_id: hit.score for hit in hits}
