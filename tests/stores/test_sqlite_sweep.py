"""What is removed stays readable for a while, and then leaves no trace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from biblicus_context.stores import (
    EVERYBODY,
    NOBODY,
    Batch,
    Principal,
    Readers,
    StillReadError,
    Store,
    VersionGoneError,
)
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_samples import (
    ANN,
    BOB,
    INDEXER,
    MODEL,
    ONLY_BOB,
    day,
    entry,
    ids,
    query,
    relate,
    search_fuzzy,
    search_text,
    search_vectors,
    seen,
    written,
)

SECRET = "xylophonist"


def traces(folder: Path, text: str) -> list[str]:
    """The files of a store that hold a text."""
    return [path.suffix for path in folder.iterdir() if text.encode() in path.read_bytes()]


def test_old_versions_are_kept_as_long_as_was_asked_for(tmp_path: Path):
    with open_store(tmp_path, keep_seconds=3600) as store:
        first = written(store, entry("a", "one", vectors=[[1, 0]]))
        for number in range(5):
            written(store, entry("a", f"two {number}"))
        assert ids(search_text(store, ANN, ["one"], at=first)) == ["a#0"]
        assert ids(search_vectors(store, ANN, query(1, 0), at=first)) == ["a#0"]


def test_the_next_batch_sweeps_what_need_not_be_kept(tmp_path: Path):
    with open_store(tmp_path, keep_seconds=0) as store:
        first = written(store, entry("a", "one", "more", vectors=[[1, 0], [0, 1]], title="Title"))
        store.write(ANN, relate(("a", "cites", "a")))
        second = written(store, entry("a", "two", vectors=[[1, 1]]))
        third = written(store, entry("b", "three"))
        for at in (first, second - 1):
            with pytest.raises(VersionGoneError, match=f"Versions {second} to {third} are"):
                search_text(store, ANN, ["one"], at=at)
        for term in ("one", "title"):
            assert search_text(store, ANN, [term]) == ()
        assert ids(search_vectors(store, ANN, query(1, 0))) == ["a#0"]
        assert ids(search_text(store, ANN, ["two"], at=second)) == ["a#0"]
        assert store.check() == ()


def test_big_removals_are_swept_at_once(tmp_path: Path):
    names = [[f"{half}{n}" for n in range(2_000)] for half in range(2)]
    with open_store(tmp_path) as store:
        before = written(store, *(entry(name, "x") for half in names for name in half))
        first, second = (store.write(ANN, Batch(remove=tuple(half))) for half in names)
        for at in (before, first):
            with pytest.raises(VersionGoneError, match=f"Versions {second} to"):
                seen(store, ANN, at=at).info()
        assert store.check() == ()


def test_vacuum_leaves_no_trace_of_what_was_removed(tmp_path: Path):
    with open_store(tmp_path, keep_seconds=3600) as store:
        fields = {"title": f"{SECRET} title", "tags": (SECRET,), "metadata": {SECRET: SECRET}}
        written(store, entry(SECRET, f"{SECRET} played", vectors=[[1, 0]], **fields))
        store.record_usage(ANN, used=[f"{SECRET}#0"], when=day(1))
        store.write(ANN, relate((SECRET, SECRET, SECRET)))
        written(store, entry("b", "kept", vectors=[[0, 1]]))
        store.prepare(ANN)
        store.write(ANN, Batch(remove=(SECRET,)))
        assert traces(tmp_path, SECRET)
        store.vacuum()
        assert traces(tmp_path, SECRET) == []
        assert traces(tmp_path, SECRET[:8]) == []
        assert search_fuzzy(store, ANN, [SECRET]) == ()
        assert seen(store, ANN).known_vectors(MODEL, ["x"]) == {}
        assert ids(search_vectors(store, ANN, query(1, 0))) == ["b#0"]
        with pytest.raises(VersionGoneError):
            search_text(store, ANN, ["x"], at=1)


def test_files_of_embeddings_hold_nothing_of_a_vacuumed_past(tmp_path: Path):
    with open_store(tmp_path) as store:
        written(store, entry("a", "x", vectors=[[3, 4]]))
        store.prepare(ANN)
        assert list(tmp_path.glob("*.vectors"))
        store.vacuum()
        assert not list(tmp_path.glob("*.vectors"))
        assert ids(search_vectors(store, ANN, query(1, 0))) == ["a#0"]


ONLY_ANN: Final = Readers(users=frozenset({"ann"}))
ONLY_CY: Final = Readers(users=frozenset({"cy"}))
ARROW: Final = relate(("ann's", "cites", "hr's"))
STAFF: Final = Principal("acme", user="dee", groups={"hr"})
HR: Final = Readers(groups=frozenset({"hr"}))
HIDDEN_CHANGES: dict[str, Callable[[Store], object]] = {
    "removed": lambda store: store.write(INDEXER, Batch(remove=("bob's",))),
    "replaced": lambda store: written(store, entry("bob's", "changed", readers=ONLY_BOB)),
    "shown to others": lambda store: written(store, entry("bob's", readers=ONLY_CY)),
    "related": lambda store: store.write(INDEXER, relate(("a", "cites", "bob's"))),
    "unrelated": lambda store: store.write(
        INDEXER, Batch(unrelate=relate(("bob's", "cites", "ann's")).relate)
    ),
    "closed": lambda store: written(store, entry("bob's", readers=NOBODY)),
}


@pytest.mark.parametrize("change", HIDDEN_CHANGES)
def test_what_a_principal_cannot_see_ends_none_of_its_versions(tmp_path: Path, change: str):
    """Neither does it say so in the error for a version that never was, nor in the state."""
    with open_store(tmp_path) as store:
        own = {"ann's": ONLY_ANN, "bob's": ONLY_BOB}
        entries = [entry(id_, "tea", vectors=[[1, n]], readers=own.get(id_, EVERYBODY))
                   for n, id_ in enumerate(["bob's", "a", "ann's"])]  # fmt: skip
        at = written(store, *entries)
        store.write(INDEXER, relate(("bob's", "cites", "ann's"), ("a", "cites", "ann's")))
        search_vectors(store, INDEXER, query(1, 0))  # what it derives is kept
        before = seen(store, ANN, at=at).state
        with store.view(ANN):  # so that what is removed cannot be erased at once
            HIDDEN_CHANGES[change](store)
            newest = HIDDEN_CHANGES[change](store)
            assert seen(store, ANN).state.remains_until is None
        assert seen(store, ANN, at=at).state == before
        for who in (ANN, INDEXER, ANN):
            search_vectors(store, who, query(1, 0))
            assert ids(search_text(store, ANN, ["tea"], at=at)) == ["a#0", "ann's#0"]
            assert ids(search_vectors(store, ANN, query(1, 0), at=at)) == ["a#0", "ann's#0"]
        assert len(seen(store, ANN, at=at + 1).relations(["a"])) == 1
        with pytest.raises(VersionGoneError, match=f"Versions 0 to {newest} are"):
            seen(store, ANN, at=10**6).info()


VISIBLE_CHANGES: dict[str, tuple[Principal, Callable[[Store], object]]] = {
    "of everybody": (BOB, lambda store: store.write(INDEXER, Batch(remove=("a",)))),
    "of a user": (ANN, lambda store: store.write(INDEXER, Batch(remove=("ann's",)))),
    "of a group": (ANN, lambda store: store.write(INDEXER, Batch(remove=("hr's",)))),
    "revoked": (ANN, lambda store: written(store, entry("hr's", "tea", readers=NOBODY))),
    "an arrow": (ANN, lambda store: store.write(INDEXER, Batch(unrelate=ARROW.relate))),
    "all": (BOB, lambda store: store.clear(INDEXER)),
    "all but the newest": (BOB, lambda store: store.vacuum()),
}


@pytest.mark.parametrize("change", VISIBLE_CHANGES)
def test_what_a_principal_saw_ends_the_versions_that_show_it(tmp_path: Path, change: str):
    who, do = VISIBLE_CHANGES[change]
    with open_store(tmp_path) as store:
        entries = (entry("a", "tea"), entry("ann's", readers=ONLY_ANN), entry("hr's", readers=HR))
        at = written(store, *entries, entry("bob's", "tea", readers=ONLY_BOB))
        store.write(INDEXER, ARROW)
        do(store)
        with pytest.raises(VersionGoneError):
            seen(store, who, at=at).info()
        with pytest.raises(VersionGoneError):
            seen(store, INDEXER, at=at).info()


def test_a_relation_ends_versions_for_those_who_read_both_its_ends(tmp_path: Path):
    """By whatever of their names; nobody is two users."""
    both = Readers(users=frozenset({"ann"}), groups=frozenset({"hr"}))
    pairs = {"a": (ONLY_ANN, HR), "b": (both, HR), "c": (ONLY_ANN, ONLY_BOB), "d": (both, NOBODY)}
    for name, (one, other) in pairs.items():
        with open_store(tmp_path / name) as store:
            arrow = relate(("from", "cites", "to"))
            written(store, entry("from", readers=one), entry("to", readers=other))
            at = store.write(INDEXER, arrow)
            store.write(INDEXER, Batch(unrelate=arrow.relate))
            gone = {"a": [ANN], "b": [ANN, STAFF], "c": [], "d": []}[name]
            for who in (ANN, BOB, STAFF, Principal("acme", user="ann")):
                if who in gone:
                    with pytest.raises(VersionGoneError):
                        seen(store, who, at=at).info()
                else:
                    assert seen(store, who, at=at).info().relations == 0


def test_what_ended_versions_keeps_no_name(tmp_path: Path):
    with open_store(tmp_path) as store:
        at = written(store, entry("a", readers=Readers(frozenset({SECRET}), frozenset({SECRET}))))
        store.write(INDEXER, Batch(remove=("a",)))
        assert traces(tmp_path, SECRET) == []
        with pytest.raises(VersionGoneError):
            seen(store, Principal("acme", user=SECRET), at=at).info()
        with pytest.raises(VersionGoneError):
            seen(store, Principal("acme", groups={SECRET}), at=at).info()
        assert seen(store, ANN, at=at).info().documents == 0


def test_who_purges_waits_only_for_what_it_saw(tmp_path: Path):
    with open_store(tmp_path) as store:
        written(store, entry("a", "tea"), entry("bob's", readers=ONLY_BOB))
        with store.view(ANN):
            store.write(INDEXER, Batch(remove=("bob's",)))
            store.purge(ANN, timeout=0.01)
            for who in (BOB, INDEXER):
                with pytest.raises(StillReadError):
                    store.purge(who, timeout=0.01)
        store.purge(BOB)
        assert seen(store, INDEXER).state.remains_until is None
