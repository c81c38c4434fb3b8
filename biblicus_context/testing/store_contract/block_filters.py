"""Filters on the metadata of blocks choose single blocks of a document, in every search."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from biblicus_context.stores import (
    Document,
    Entry,
    Filters,
    SearchRequest,
    Store,
    Vectors,
)
from biblicus_context.stores.filter_conditions import Equals, OneOf
from biblicus_context.testing.store_contract.isolation import MakeStore
from biblicus_context.testing.store_samples import (
    ANN,
    BOB,
    MODEL,
    ONLY_BOB,
    block,
    day,
    ids,
    query,
    search_fuzzy,
    search_text,
    search_vectors,
    seen,
    written,
)


def talk(name: str, *speakers: str | None, **fields: Any) -> Entry:
    """A document with a turn of each speaker; of some it is not known who speaks."""
    known = [{} if each is None else {"speaker": each} for each in speakers]
    turns = [block(name, n, "same words", metadata=each) for n, each in enumerate(known)]
    rows = [[1.0, n] for n in range(len(turns))]
    own = Document(id=name, created=day(1), **fields)
    return Entry(own, tuple(turns), (Vectors.of(MODEL, rows),))


BOB_IN_A: Final = Filters(documents=frozenset({"a"}), block_metadata=(Equals("speaker", "Bob"),))


def said_by(*names: str | None) -> Filters:
    """Only turns of these speakers."""
    return Filters(block_metadata=(OneOf("speaker", names),))


class BlockFilterContract:
    """A part of StoreContract, which describes the fixtures."""

    @pytest.fixture
    def talks(self, store: Store) -> Store:
        """A store with two talks."""
        written(store, talk("a", "Ann", "Bob", None, "Ann"), talk("b", "Bob", kind="note"))
        return store

    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            (said_by("Ann"), "a#0 a#3"),
            (said_by("Bob"), "a#1 b#0"),
            (said_by("Ann", "Bob"), "a#0 a#1 a#3 b#0"),
            (said_by(None), "a#2"),
            (said_by("Eve"), ""),
            (Filters(block_metadata=(Equals("speaker", "Bob"), Equals("mood", None))), "a#1 b#0"),
            (Filters(kinds=frozenset({"note"}), block_metadata=(Equals("speaker", "Bob"),)), "b#0"),
        ],
    )
    def test_every_search_finds_the_blocks_that_meet_them(
        self, talks: Store, filters: Filters, expected: str
    ) -> None:
        wanted = expected.split()
        assert sorted(ids(search_text(talks, ANN, ["words"], filters=filters))) == wanted
        assert sorted(ids(search_fuzzy(talks, ANN, ["wards"], filters=filters))) == wanted
        assert sorted(ids(search_vectors(talks, ANN, query(1, 1), filters=filters))) == wanted
        assert sorted(ids(seen(talks, ANN).recent(filters=filters))) == wanted

    def test_a_list_has_the_documents_with_such_a_block(self, talks: Store) -> None:
        """A document without blocks is in none."""
        written(talks, talk("empty"))
        for names, expected in ((("Ann",), "a"), (("Bob",), "a b"), ((None,), "a"), (("Eve",), "")):
            found = seen(talks, ANN).list_documents(filters=said_by(*names))
            assert [each.id for each in found] == expected.split()

    def test_a_word_is_as_rare_as_among_the_blocks_that_meet_them(
        self, talks: Store, make_store: MakeStore
    ) -> None:
        """As with filters on documents: the score is that of a store with nothing else."""
        with make_store() as other:
            written(other, talk("a", "Ann", "Ann"))
            alone = search_text(other, ANN, ["words"])
        filtered = search_text(talks, ANN, ["words"], filters=said_by("Ann"))
        assert [hit.score for hit in filtered] == [hit.score for hit in alone]

    def test_what_is_around_a_block_meets_them_too(self, talks: Store) -> None:
        """The block itself is there in any case."""
        for filters, expected in (
            (BOB_IN_A, [1]),
            (Filters(documents=BOB_IN_A.documents), [0, 1, 2, 3]),
        ):
            with talks.view(ANN) as view:
                found = view.search(SearchRequest(terms=("words",), filters=filters))
                second = np.flatnonzero(found.positions == 1)
                wide, _, (near,) = found.around([(second, 9)])
            assert wide.positions[near].tolist() == expected

    def test_they_show_nobody_what_is_hidden(self, talks: Store) -> None:
        written(talks, talk("c", "Ann", readers=ONLY_BOB))
        assert len(search_text(talks, ANN, ["words"], filters=said_by("Ann"))) == 2
        assert len(search_text(talks, BOB, ["words"], filters=said_by("Ann"))) == 3
        assert "c" not in [
            each.id for each in seen(talks, ANN).list_documents(filters=said_by("Ann"))
        ]

    def test_a_version_keeps_what_it_had(self, talks: Store) -> None:
        """Also after its blocks were replaced."""
        at = seen(talks, ANN).state.version
        before = search_text(talks, ANN, ["words"], filters=said_by("Ann"), at=at)
        written(talks, talk("a", "Bob", "Ann"))
        assert search_text(talks, ANN, ["words"], filters=said_by("Ann"), at=at) == before
        assert ids(search_text(talks, ANN, ["words"], filters=said_by("Ann"))) == ["a#1"]

    @given(st.lists(st.lists(st.sampled_from(["x", "y", None]), max_size=4), max_size=4))
    @settings(max_examples=20, suppress_health_check=list(HealthCheck))
    def test_blocks_are_chosen_as_python_chooses_them(
        self, store: Store, speakers: list[list[str | None]]
    ) -> None:
        names = [f"{n:02}" for n in range(4)]
        given = [*speakers, *([[]] * (4 - len(speakers)))]
        written(store, *(talk(name, *each) for name, each in zip(names, given, strict=True)))
        for wanted in ("x", None):
            found = search_text(store, ANN, ["words"], filters=said_by(wanted))
            assert sorted(ids(found)) == [
                f"{name}#{position}"
                for name, each in zip(names, given, strict=True)
                for position, speaker in enumerate(each)
                if speaker == wanted
            ]
