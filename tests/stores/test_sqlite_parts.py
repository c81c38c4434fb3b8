"""The parts of the embedded store that promise something on their own."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, strategies as st

from biblicus_context import stores
from biblicus_context.errors import MissingExtraError
from biblicus_context.stores import (
    Batch,
    Principal,
    Store,
    StoreError,
    Vectors,
)
from biblicus_context.stores.ranking.memory import RankingMemory
from biblicus_context.stores.source import Scope
from biblicus_context.stores.sqlite import open_store
from biblicus_context.stores.sqlite.files.capability import lack, require_capable
from biblicus_context.stores.sqlite.files.connections import transaction
from biblicus_context.stores.sqlite.files.database_errors import as_store_errors
from biblicus_context.stores.sqlite.files.folder import existing_folder, folder
from biblicus_context.stores.sqlite.files.open_workspaces import OpenWorkspaces
from biblicus_context.stores.sqlite.files.pool import ConnectionPool
from biblicus_context.testing.store_samples import (
    ANN,
    blocks,
    entry,
    ids,
    query,
    search_vectors,
    seen,
    written,
)


def tenant(name: str) -> Scope:
    return Scope(Principal(name))


def test_the_workspace_that_was_not_asked_for_longest_is_closed(tmp_path: Path):
    spaces = OpenWorkspaces(folder(tmp_path / "store"))
    asked = [spaces.get_or_create(tenant(f"tenant {number}")) for number in range(32)]
    assert spaces.get(tenant("tenant 0")) is asked[0]
    one_more = spaces.get_or_create(tenant("one more"))
    assert spaces.get(tenant("one more")) is one_more
    assert spaces.get(tenant("tenant 0")) is asked[0]
    assert spaces.get(tenant("tenant 1")) is not asked[1]
    spaces.close()


@pytest.mark.parametrize("key", ["w{}", "w{}" + "long " * 1000])
def test_a_memory_of_next_to_nothing_is_bounded_as_well(key: str):
    memory = RankingMemory(1)
    tracemalloc.start()
    for number in range(10_000):
        name = key.format(number)
        memory.note(("lineage", name), "", 4 * len(name))
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken < 1_500_000


def denied(action: int, *_: object) -> int:
    """Denies virtual tables, as an SQLite without FTS5 does."""
    return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_CREATE_VTABLE else sqlite3.SQLITE_OK


def test_an_sqlite_that_cannot_hold_a_store_is_known():
    with closing(sqlite3.connect(":memory:")) as connection:
        assert lack(connection, (3, 36, 9)) == "it is older than 3.37.0"
        assert lack(connection, (3, 37, 0)) is None
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.set_authorizer(denied)
        assert lack(connection, (3, 45, 0)) == "not authorized"


def test_an_old_sqlite_is_refused_with_its_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    require_capable.cache_clear()
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 31, 1))
    with pytest.raises(StoreError, match=r"it is older than 3\.37\.0: found .* has FTS5"):
        open_store(tmp_path)


OPENS_WITHOUT_LOADING = """
import sys
from biblicus_context import stores
from biblicus_context.errors import MissingExtraError
from biblicus_context.stores import Principal
from biblicus_context.stores.sqlite import open_store
with open_store(sys.argv[1]) as store:
    with store.view(Principal("acme")) as view:
        view.state, view.fingerprints()
print("numpy" in sys.modules, "pydantic" in sys.modules)
"""


def printed(program: str, *arguments: str) -> str:
    """What a program prints in a process of its own."""
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_without_numpy_the_line_that_installs_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("biblicus_context.stores.view.find_spec", lambda _: None)
    monkeypatch.setattr("biblicus_context.stores.view.sys", SimpleNamespace(modules={}))
    with open_store(tmp_path) as store:
        written(store, entry("a", "x"))
        with pytest.raises(MissingExtraError, match=r"install .*\[corpus\]"):
            search_vectors(store, ANN, query(1, 0))


def test_opening_a_store_loads_neither_numpy_nor_pydantic(tmp_path: Path):
    with open_store(tmp_path) as store:
        written(store, entry("a", "x"))
    assert printed(OPENS_WITHOUT_LOADING, str(tmp_path)) == "False False"


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("database is locked", "another process keeps the file busy .*try again"),
        ("database disk image is malformed", "the file is damaged .*ingest again"),
        ("database or disk is full", "no space is left"),
        ("attempt to write a readonly database", "cannot be opened to write"),
        ("disk I/O error", "the disk refused .*Check its free space"),
        ("something new", r"a.db: the database failed \(something new\)"),
    ],
)
def test_faults_of_the_database_are_told_with_what_to_do(reason: str, said: str):
    with pytest.raises(StoreError, match=said), as_store_errors("a.db"):
        raise sqlite3.OperationalError(reason)


def test_a_store_that_is_written_for_too_long_is_busy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("biblicus_context.stores.sqlite.files.connections.WAIT_SECONDS", 0.05)
    with open_store(tmp_path) as store:
        written(store, entry("a", "x"))
    (path,) = tmp_path.glob("*.db")
    with open_store(tmp_path) as store, closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="busy"):
            written(store, entry("b", "x"))
        other.rollback()
        assert written(store, entry("b", "x")) == 2


def test_a_connection_is_lent_again_unless_its_transaction_still_runs():
    pool = ConnectionPool(lambda: sqlite3.connect(":memory:", isolation_level=None))
    with pool.connection() as first, pool.connection() as second:
        assert first is not second
        first.execute("BEGIN")
    with pool.connection() as again:
        assert again is second
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        first.execute("SELECT 1")
    with pool.connection() as lent:
        pool.close()
        lent.execute("SELECT 1")
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        lent.execute("SELECT 1")


def given_up(connection: sqlite3.Connection) -> None:
    """A transaction that the database itself rolls back, as it does where a disk is full."""
    with transaction(connection):
        connection.execute("ROLLBACK")
        raise sqlite3.OperationalError("database or disk is full")


def test_a_transaction_that_the_database_gave_up_is_not_rolled_back_again():
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        with pytest.raises(sqlite3.OperationalError, match="disk is full"):
            given_up(connection)
        with transaction(connection):
            connection.execute("CREATE TABLE t (x)")


def test_a_read_that_began_before_a_cleanup_still_sees_what_was_deleted(tmp_path: Path):
    with open_store(tmp_path, keep_seconds=0) as store:
        written(store, entry("a", "old words", vectors=[[1, 0]]), entry("b", "other"))
        with store.view(ANN) as before:
            for _ in range(3):
                written(store, entry("a", "new words", vectors=[[0, 1]]))
            with store.view(ANN) as now:
                for found in (
                    stores.search_text(now, ["words"]),
                    stores.search_vectors(now, query(1, 0)),
                ):
                    assert len(found) == 1
            old = stores.search_text(before, ["words"])
            near = stores.search_vectors(before, query(1, 0))
            assert ids(old) == ["a#0"]
            assert [hit.score for hit in near] == [1.0]
            assert before.evidence(["a#0"])[0].block.text == "old words"
            assert blocks(store, ANN, ["a#0"])[0].text == "new words"


def test_words_of_a_text_that_was_deleted_meanwhile_belong_to_no_block(tmp_path: Path):
    with open_store(tmp_path, keep_seconds=0) as store:
        for text in ("old", "new"):
            written(store, entry("a", text), entry("b", "other"))
        with store.view(ANN) as before:
            store.write(ANN, Batch())
            with store.view(ANN) as now:
                assert stores.search_text(now, ["old"]) == ()
            assert stores.search_text(before, ["old"]) == ()


def test_a_connection_to_another_file_never_answers_for_the_one_that_was_opened(tmp_path: Path):
    with open_store(tmp_path) as store, open_store(tmp_path) as another:
        written(store, entry("a", "words"))
        space = OpenWorkspaces(existing_folder(tmp_path)).get(Scope(ANN))
        for file in tmp_path.glob("acme.*"):
            file.unlink()
        written(another, entry("b", "words"))
        replaced = pytest.raises(StoreError, match=r"replaced while it was open.*Try again\.")
        with replaced, space.reading(ANN, None):
            pass
        space.close()


@given(
    rows=st.lists(
        st.lists(st.floats(width=32, allow_nan=False), min_size=2, max_size=2), max_size=4
    )
)
def test_vectors_are_packed_as_float32(rows: list[list[float]]):
    import struct

    vectors = Vectors.of("m", rows)
    assert vectors.rows == len(rows)
    assert [list(struct.unpack("<2f", vectors.row(n))) for n in range(len(rows))] == rows


def test_a_store_is_a_store(tmp_path: Path):
    def accepts(store: Store) -> Iterator[object]:
        yield seen(store, Principal("acme")).state.version

    with open_store(tmp_path) as store:
        assert [*accepts(store)] == [0]
