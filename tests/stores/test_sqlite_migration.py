"""A store of an older release is brought up to date when it is opened, as a whole or not at all."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from biblicus_context.stores import Readers, StoreError
from biblicus_context.stores.sqlite import open_store
from biblicus_context.stores.sqlite.schema.tables import VERSION
from biblicus_context.testing.store_contract.by_id import text_scores
from biblicus_context.testing.store_samples import (
    ANN,
    INDEXER,
    ONLY_BOB,
    entry,
    ids,
    search_fuzzy,
    search_text,
    seen,
    written,
)
from tests.stores.older import take_back
from tests.stores.test_sqlite_files import contents, database, unsealed


@pytest.fixture(params=range(1, VERSION))
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A store as an older version wrote it."""
    with open_store(tmp_path / "store") as store:
        fillers = [entry(f"f{n}", "filler") for n in range(6)]
        written(store, entry("a", "document retrieval", title="Finding"), *fillers)
    with closing(sqlite3.connect(database(unsealed(tmp_path / "store")))) as connection:
        take_back(connection, request.param)
    return tmp_path / "store"


def test_an_older_file_gains_what_came_later(old: Path):
    with open_store(old) as store:
        assert ids(search_text(store, ANN, ["retrieval"])) == ["a#0"]
        assert ids(search_fuzzy(store, ANN, ["retreival"])) == ["a#0"]
        assert ids(search_fuzzy(store, ANN, ["fimding"])) == ["a#0"]
        assert text_scores(store, ANN, ["filler"]).keys() == {"a#0", *(f"f{n}#0" for n in range(6))}
        written(store, entry("b", "something wonderful"))
        assert ids(search_fuzzy(store, ANN, ["wunderful"])) == ["b#0"]
        assert store.check() == ()
    with closing(sqlite3.connect(database(old))) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)


@pytest.mark.parametrize("old", [1], indirect=True)
def test_a_step_that_fails_changes_nothing(old: Path):
    with closing(sqlite3.connect(database(old))) as connection:
        connection.execute("CREATE TABLE word_counts (in_the_way)")
        connection.commit()
    before = contents(old)
    with open_store(old) as store, pytest.raises(StoreError, match="word_counts already exists"):
        seen(store, ANN).info()
    assert contents(old) == before


def test_an_older_block_whose_readers_differ_from_its_page_has_its_own(tmp_path: Path):
    """Nothing better is known of it: a block of equal readers follows its page."""
    ann, both = Readers(users=frozenset({"ann"})), Readers(frozenset({"ann"}), frozenset({"hr"}))
    with open_store(tmp_path / "store") as store:
        written(
            store,
            entry("p", readers=ann),
            entry("same", parent="p", readers=ann),
            entry("more", parent="p", readers=both),
            entry("open", parent="p"),
            entry("other", parent="p", readers=ONLY_BOB),
            entry("q"),
            entry("inside", parent="q"),
            entry("closed", parent="q", readers=ann),
            entry("orphan", parent="gone", readers=ann),
        )
    with closing(sqlite3.connect(database(unsealed(tmp_path / "store")))) as connection:
        take_back(connection, 10)
    with open_store(tmp_path / "store") as store:
        own = {each.id: each.own_readers for each in seen(store, INDEXER).list_documents()}
    assert own == {
        "p": True, "same": False, "more": True, "open": True, "other": True,
        "q": False, "inside": False, "closed": True, "orphan": True,
    }  # fmt: skip
