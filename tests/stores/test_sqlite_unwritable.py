"""A store in a place where nobody can write, such as an image that a service is started from."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from biblicus_context.stores import Principal, StoreError
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_samples import (
    ANN,
    STRANGER,
    blocks,
    day,
    entry,
    ids,
    query,
    search_text,
    search_vectors,
    written,
)
from tests.permissions import permissions_hold
from tests.stores.test_sqlite_files import contents, database, unsealed


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A store that was closed, in which nothing can be changed."""
    place = tmp_path / "store"
    with open_store(place) as store:
        written(store, entry("a", "a rose", "a tulip", vectors=[[1, 0], [0, 1]]))
        store.prepare(ANN)
    _lock(place)
    yield place
    place.chmod(0o755)


def _lock(place: Path) -> None:
    for file in place.iterdir():
        file.chmod(0o444)
    place.chmod(0o555)


def test_it_is_searched_and_read_like_any_other(folder: Path):
    before = contents(folder)
    with permissions_hold(), open_store(folder, create=False) as store:
        assert ids(search_text(store, ANN, ["rose"])) == ["a#0"]
        assert ids(search_vectors(store, ANN, query(0, 1), limit=1)) == ["a#1"]
        assert len(blocks(store, ANN, ["a#0", "a#1"])) == 2
        assert search_text(store, STRANGER, ["rose"]) == ()
        store.prepare(ANN)
        assert store.check() == ()
    assert contents(folder) == before


def test_whoever_writes_is_told_that_nothing_can_be_written(folder: Path):
    with permissions_hold(), open_store(folder, create=False) as store:
        for write in (
            lambda: written(store, entry("b", "x")),
            lambda: store.record_usage(ANN, used=["a#0"], when=day(1)),
        ):
            with pytest.raises(StoreError, match="cannot be opened to write"):
                write()
        assert ids(search_text(store, ANN, ["rose"])) == ["a#0"]


def test_a_log_that_was_left_behind_is_not_passed_over(folder: Path, tmp_path: Path):
    folder.chmod(0o755)
    copy = tmp_path / "copy"
    with open_store(folder) as store:
        database(folder).chmod(0o644)
        written(store, entry("b", "a lily"))
        shutil.copytree(folder, copy)
    _lock(copy)
    with (
        permissions_hold(),
        open_store(copy, create=False) as store,
        pytest.raises(StoreError, match=r"did not close it.*Open it once where it can"),
    ):
        search_text(store, ANN, ["lily"])
    copy.chmod(0o755)


def test_an_older_file_says_where_it_can_be_brought_up_to_date(folder: Path):
    folder.chmod(0o755)
    database(folder).chmod(0o644)
    with closing(sqlite3.connect(database(unsealed(folder)))) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA user_version = 2")
        connection.commit()
    _lock(folder)
    with (
        permissions_hold(),
        open_store(folder, create=False) as store,
        pytest.raises(StoreError, match=r"older release.*Open it once where it can be written"),
    ):
        search_text(store, Principal("acme"), ["rose"])
