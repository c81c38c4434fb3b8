"""Trees of documents are read for many documents at once, as far as the principal can see them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from biblicus_context.errors import InputError
from biblicus_context.stores import Document, Entry, Sibling, Store
from biblicus_context.testing.store_contract.isolation import MakeStore
from biblicus_context.testing.store_samples import (
    ANN,
    INDEXER,
    ONLY_BOB,
    entry,
    put,
    seen,
    written,
)

NAMES = [f"d{number}" for number in range(7)]

WRONG: dict[str, tuple[Callable[[Store], object], str]] = {
    "ids as text": (
        lambda store: seen(store, ANN).tree("a", up=50).above,
        "ids: a sequence of texts",
    ),
    "levels": (lambda store: seen(store, ANN).tree(["a"], up=-1).above, "up: a whole number"),
    "limit": (lambda store: seen(store, ANN).tree(["a"], down=0.5).below, "down: a whole"),
    "reach": (
        lambda store: seen(store, ANN).tree(["a"], across=-1).siblings,
        "across: a whole number",
    ),
    "parents as text": (
        lambda store: seen(store, ANN).tree("a", down=100).below,
        "ids: a sequence of texts",
    ),
    "most": (lambda store: seen(store, ANN).places_of(["a"], most=-1), "most: a whole number"),
}


def names(documents: Sequence[Document]) -> list[str]:
    """Their ids."""
    return [each.id for each in documents]


def placed(document: Document) -> tuple[bool, int, str]:
    """By what children are ordered."""
    return document.position is None, document.position or 0, document.id


@st.composite
def forests(draw: st.DrawFn) -> list[Entry]:
    """Documents that are inside each other anyhow, cycles included; some are for Bob alone."""
    parents = st.none() | st.sampled_from([*NAMES, "nowhere"])
    positions = st.none() | st.integers(0, 3)
    made = [entry(name, "x", parent=draw(parents), position=draw(positions)) for name in NAMES]
    return [
        replace(each, document=replace(each.document, readers=ONLY_BOB))
        if draw(st.integers(0, 4)) == 0
        else each
        for each in made
    ]


class TreeContract:
    """A part of StoreContract, which describes the fixtures."""

    @given(
        forest=forests(),
        asked=st.lists(st.sampled_from([*NAMES, "nowhere"]), max_size=4),
        most=st.integers(0, 3),
    )
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    def test_trees_are_those_of_the_documents_that_can_be_seen(
        self, make_store: MakeStore, forest: list[Entry], asked: list[str], most: int
    ) -> None:
        with make_store() as store:
            written(store, *forest)
            for who in (ANN, INDEXER):
                there = {each.id: each for each in seen(store, who).documents(NAMES)}

                def row(parent: str | None, there: dict[str, Document] = there) -> list[str]:
                    inside = [each for each in there.values() if each.parent == parent]
                    return names(sorted(inside, key=placed))

                wanted = [*dict.fromkeys(asked)]
                assert names(seen(store, who).tree(asked, down=most).below) == [
                    name for parent in wanted for name in row(parent)[:most]
                ]
                level = found = {*asked} & there.keys()
                for _ in range(most + 1):
                    level = {there[each].parent or "" for each in level} & there.keys()
                    found = found | level
                assert names(seen(store, who).tree(asked, up=most + 1).above) == sorted(found)
                beside = []
                for name in wanted:
                    if name in there and there[name].parent is not None:
                        around = row(there[name].parent)
                        steps = [(each, n - around.index(name)) for n, each in enumerate(around)]
                        beside += [
                            Sibling(name, each, step)
                            for each, step in steps
                            if 0 < abs(step) <= most
                        ]
                assert seen(store, who).tree(asked, across=most).siblings == tuple(beside)

    def test_a_tree_is_read_as_it_was_in_a_version(self, store: Store) -> None:
        before = written(store, entry("p"), entry("a", parent="p"), entry("b", parent="p"))
        written(store, entry("a", parent="b"))
        assert names(seen(store, ANN, at=before).tree(["p", "b"], down=100).below) == ["a", "b"]
        assert names(seen(store, ANN).tree(["p", "b"], down=100).below) == ["b", "a"]
        assert seen(store, ANN, at=before).tree(["a"], across=1).siblings == (Sibling("a", "b", 1),)
        assert names(seen(store, ANN, at=before).tree(["a"], up=50).above) == ["a", "p"]
        assert names(seen(store, ANN).tree(["a"], up=50).above) == ["a", "b", "p"]

    def test_places_of_many_documents_are_in_their_order(self, store: Store) -> None:
        hidden = entry("c", "1", readers=ONLY_BOB)
        before = written(store, entry("b", "1", "2", "3"), entry("a", "1", "2"), hidden, entry("e"))
        written(store, entry("a", "1"))

        def found(*documents: str, most: int | None = None, at: int | None = None) -> list[str]:
            places = seen(store, ANN, at=at).places_of(documents, most=most)
            return [each.block_id for each in places]

        assert found("b", "a", "b", "c", "e", "x", at=before) == ["b#0", "b#1", "b#2", "a#0", "a#1"]
        assert found("a", "b", most=2) == ["a#0", "b#0", "b#1"]
        assert found("a", "b", most=0) == found() == []
        (place,) = seen(store, INDEXER).places_of(["c"])
        assert (place.document_id, place.position, place.tokens) == ("c", 0, 1)

    def test_a_row_of_very_many_siblings_is_read_around_one(self, store: Store) -> None:
        rows = (entry(f"r{n:05}", parent="table", position=n) for n in range(3_000))
        store.write(INDEXER, put(*rows))
        around = seen(store, ANN).tree(["r01500"], across=1).siblings
        assert [each.document_id for each in around] == ["r01499", "r01501"]
        assert names(seen(store, ANN).tree(["table"], down=2).below) == ["r00000", "r00001"]

    @pytest.mark.parametrize("mistake", WRONG)
    def test_a_tree_is_asked_for_with_sound_arguments(self, store: Store, mistake: str) -> None:
        call, message = WRONG[mistake]
        with pytest.raises(InputError, match=message):
            call(store)
