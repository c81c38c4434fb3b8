"""What users did with documents is their own, bounded, and forgotten with the document."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from biblicus_context.errors import InputError
from biblicus_context.stores import Activity, Batch, Principal, Readers, Store
from biblicus_context.stores.arguments import MOST_ACTIVITY
from biblicus_context.testing.store_samples import (
    ANN,
    BOB,
    day,
    entry,
    put,
    seen,
    written,
)

NOBODY = Principal(ANN.workspace)


class ActivityContract:
    """A part of StoreContract, which describes the fixtures."""

    def test_the_last_time_of_each_document_and_action_comes_first(self, store: Store) -> None:
        written(store, entry("a", "x"), entry("b", "y"))
        for name, action, when in (("a", "view", 3), ("b", "edit", 2), ("a", "view", 1)):
            store.record_activity(ANN, name, action, day(when))  # type: ignore[arg-type] # one of the actions
        viewed, edited = Activity("a", "view", day(3), 2), Activity("b", "edit", day(2))
        assert seen(store, ANN).activity() == (viewed, edited)
        assert seen(store, ANN).activity(actions=["edit"]) == (edited,)
        assert seen(store, ANN).activity(since=day(3)) == (viewed,)
        assert seen(store, ANN).activity(limit=1) == (viewed,)
        assert seen(store, ANN).activity(documents=["b", "nowhere"]) == (edited,)
        assert seen(store, ANN).activity(documents=[]) == ()

    def test_what_one_user_did_is_unknown_to_others(self, store: Store) -> None:
        written(store, entry("a", "x"))
        store.record_activity(ANN, "a", "view", day(1))
        store.record_activity(NOBODY, "a", "edit", day(2))
        assert seen(store, BOB).activity() == ()
        assert [each.action for each in seen(store, NOBODY).activity()] == ["edit"]
        assert [each.action for each in seen(store, ANN).activity()] == ["view"]

    def test_a_document_that_cannot_be_seen_has_no_activity(self, store: Store) -> None:
        hidden = entry("a", "x", readers=Readers(users=frozenset({"bob"})))
        store.write(BOB, put(hidden))
        store.record_activity(ANN, "a", "view", day(1))
        store.record_activity(ANN, "nowhere", "view", day(1))
        store.record_activity(BOB, "a", "view", day(1))
        assert seen(store, ANN).activity() == ()
        assert len(seen(store, BOB).activity()) == 1

    def test_who_cannot_see_a_document_cannot_make_its_activity_forgotten(
        self, store: Store
    ) -> None:
        hidden = entry("a", "x", readers=Readers(users=frozenset({"bob"})))
        store.write(BOB, put(hidden))
        store.record_activity(BOB, "a", "view", day(1))
        store.write(ANN, Batch(remove=("a",)))
        assert [each.document_id for each in seen(store, BOB).activity()] == ["a"]
        store.write(BOB, Batch(remove=("a",)))
        store.write(BOB, put(hidden))
        assert seen(store, BOB).activity() == ()

    def test_activity_is_forgotten_with_the_document_and_kept_with_a_new_text(
        self, store: Store
    ) -> None:
        written(store, entry("a", "x"), entry("b", "y"))
        for name in ("a", "b"):
            store.record_activity(ANN, name, "view", day(1))
        store.write(ANN, Batch(put=(entry("b", "z"),), remove=("a",)))
        written(store, entry("a", "x"))
        assert [each.document_id for each in seen(store, ANN).activity()] == ["b"]

    def test_the_oldest_activity_of_a_user_makes_way(self, store: Store) -> None:
        many = MOST_ACTIVITY + 5
        written(store, *(entry(f"{n:05}", "x") for n in range(many)))
        for n in range(many):
            store.record_activity(ANN, f"{n:05}", "view", day(1) + timedelta(seconds=n))
        kept = seen(store, ANN).activity(limit=many)
        assert [each.document_id for each in kept] == [f"{n:05}" for n in reversed(range(5, many))]

    @pytest.mark.parametrize(
        ("arguments", "problem"),
        [
            (("", "view", day(1)), "document_id: a name"),
            (("a", "look", day(1)), "not an action: found 'look'. Valid: edit, view"),
            (("a", "view", None), "when: a time is expected"),
            (("a", "view", day(1).replace(tzinfo=None)), "when: a time must have a time zone"),
        ],
    )
    def test_activity_that_makes_no_sense_is_refused(
        self, store: Store, arguments: tuple[Any, ...], problem: str
    ) -> None:
        with pytest.raises(InputError, match=problem):
            store.record_activity(ANN, *arguments)
