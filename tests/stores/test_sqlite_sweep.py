"""What is removed stays readable for a while, and then leaves no trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from biblicus_context.stores import Batch, VersionGoneError
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_samples import (
    ANN,
    MODEL,
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
