"""A workspace that is cleared is as if nothing had been written to it, but for its version."""

from __future__ import annotations

from dataclasses import replace

import pytest

from biblicus_context.errors import InputError
from biblicus_context.stores import Batch, Principal, Relation, Store, Vectors, VersionGoneError
from biblicus_context.testing.store_contract.isolation import observed
from biblicus_context.testing.store_samples import (
    ANN,
    BOB,
    INDEXER,
    MODEL,
    ONLY_BOB,
    STRANGER,
    blocks,
    day,
    entry,
    seen,
    written,
)

NUMBERED = {"state", "info", "every version"}
"""Reads that show the version, which goes on counting."""


def everything_but_versions(store: Store, who: Principal) -> dict[str, object]:
    """The results of all other reads as this principal."""
    return {name: each for name, each in observed(store, who).items() if name not in NUMBERED}


class ClearingContract:
    """A part of StoreContract, which describes the fixtures."""

    def test_nothing_of_it_is_left(self, store: Store) -> None:
        empty = everything_but_versions(store, INDEXER)
        written(store, entry("a", "cat"), entry("b", "dog", readers=ONLY_BOB))
        store.write(INDEXER, Batch(relate=(Relation("a", "b", "x"), Relation("a", "c", "x"))))
        store.record_usage(ANN, used=["a#0"], when=day(1))
        store.record_activity(ANN, "a", "view", day(1))
        store.record_source(INDEXER, "notes")
        before = seen(store, INDEXER).state.version
        assert store.clear(INDEXER) == before + 1
        for who in (INDEXER, ANN, BOB):
            assert everything_but_versions(store, who) == empty
            assert seen(store, who).activity() == ()
            info = seen(store, who).info()
            assert (info.documents, info.blocks, info.relations, info.vectors) == (0, 0, 0, {})
        state = seen(store, INDEXER).state
        assert (state.version, state.source, state.ages) == (before + 1, None, False)
        with pytest.raises(VersionGoneError):
            seen(store, INDEXER, at=before).info()

    def test_it_can_be_written_to_again(self, store: Store) -> None:
        first = Vectors.of(MODEL, [[1.0, 0.0]])
        store.write(ANN, Batch(put=(replace(entry("a", "cat"), vectors=(first,)),)))
        store.record_usage(ANN, helpful=["a#0"])
        store.clear(INDEXER)
        other = Vectors.of(MODEL, [[0.0, 1.0, 0.0]])  # dimensions may be others now
        store.write(ANN, Batch(put=(replace(entry("a", "dog"), vectors=(other,)),)))
        assert [each.text for each in blocks(store, ANN, ["a#0"])] == ["dog"]
        assert seen(store, ANN).usage(["a#0"]) == {}
        assert seen(store, ANN).info().vectors[MODEL].dimensions == 3

    def test_other_workspaces_stay(self, store: Store) -> None:
        written(store, entry("a", "cat"))
        store.write(STRANGER, Batch(put=(entry("a", "cat"),)))
        store.clear(INDEXER)
        assert [each.id for each in seen(store, STRANGER).documents(["a"])] == ["a"]

    def test_only_a_principal_that_sees_all_clears(self, store: Store) -> None:
        written(store, entry("a", "cat"))
        with pytest.raises(InputError, match="sees all"):
            store.clear(ANN)
        assert seen(store, ANN).documents(["a"])

    def test_where_nothing_was_written_there_is_nothing_to_clear(self, store: Store) -> None:
        nobody = Principal("nobody", sees_all=True)
        assert store.clear(nobody) == 0
        assert seen(store, nobody).state.changed is None
