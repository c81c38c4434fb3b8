"""A store with a replica: it is read where it has followed, and nothing that was written is missed where it has not."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from biblicus_context import InputError
from biblicus_context.stores import Principal, Readers, SearchRequest, Store
from biblicus_context.stores.postgres import open_store
from biblicus_context.stores.postgres.embedded import EmbeddedPostgres
from biblicus_context.stores.postgres.source import PostgresSource
from biblicus_context.testing.store_samples import INDEXER, entry, put
from tests.stores.postgres import new_schema

ANN = Principal(INDEXER.workspace, user="ann")


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[EmbeddedPostgres, EmbeddedPostgres]]:
    """A primary, and a standby that follows it by streaming."""
    with tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        with EmbeddedPostgres(folder / "a", durable=False) as primary:
            standby = EmbeddedPostgres(folder / "b", durable=False)
            standby.folder.mkdir()
            primary.program("pg_basebackup", "-D", str(standby.data), "-R", "-c", "fast")
            if os.geteuid() == 0:
                for each in (standby.data, *standby.data.rglob("*")):
                    shutil.chown(each, 65534, 65534)
            with standby:
                yield primary, standby


@pytest.fixture
def store(
    servers: tuple[EmbeddedPostgres, EmbeddedPostgres], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Store]:
    primary, standby = servers
    monkeypatch.setenv("BIBLICUS_CONTEXT_CONNECTION_COPY", f"{standby.url}&patience=1")
    with open_store(f"{primary.url}&schema={new_schema()}&read=copy") as opened:
        yield opened


def trips(store: Store) -> tuple[int, int]:
    source = store.source
    assert isinstance(source, PostgresSource)
    assert source.replica is not None
    return source.server.trips, source.replica.server.trips


def found(store: Store, word: str = "lamp", who: Principal = INDEXER) -> list[str]:
    with store.view(who) as view:
        hits = view.search(SearchRequest(terms=(word,)))
        places = view.places(hits, hits.by_text[:9])
        return [each.document.id for each in view.evidence([place.block_id for place in places])]


def is_read_from_the_replica(store: Store, word: str, expected: list[str]) -> bool:
    """The primary is asked for the version and nothing else. One that was too slow rests for a while."""
    before = trips(store)
    assert found(store, word) == expected
    after = trips(store)
    return after[0] - before[0] == 1 and after[1] > before[1]


def wait_for(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.02)


def follow(servers: tuple[EmbeddedPostgres, EmbeddedPostgres]) -> None:
    """Until the standby has all that the primary has written."""
    primary, standby = servers
    with psycopg.connect(primary.url, autocommit=True) as connection:
        (at,) = connection.execute("SELECT pg_current_wal_insert_lsn()").fetchone() or ("0/0",)
    with psycopg.connect(standby.url, autocommit=True) as connection:

        def has_it() -> bool:
            asked = "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn"
            return bool((connection.execute(asked, (at,)).fetchone() or (False,))[0])

        wait_for(has_it)


def pause(standby: EmbeddedPostgres, *, replay: bool) -> None:
    with psycopg.connect(standby.url, autocommit=True) as connection:
        connection.execute(f"SELECT pg_wal_replay_{'resume' if replay else 'pause'}()".encode())
        if not replay:
            asked = b"SELECT pg_get_wal_replay_pause_state() = 'paused'"
            wait_for(lambda: bool((connection.execute(asked).fetchone() or (False,))[0]))


def test_a_replica_that_has_followed_is_read(
    servers: tuple[EmbeddedPostgres, EmbeddedPostgres], store: Store
):
    """The primary says which version is the newest one: one trip, of which nothing else is asked."""
    store.write(INDEXER, put(entry("a", "A lamp is bright.")))
    follow(servers)
    wait_for(lambda: is_read_from_the_replica(store, "lamp", ["a"]))


def test_what_was_written_or_taken_away_is_never_missed_while_a_replica_lags(
    servers: tuple[EmbeddedPostgres, EmbeddedPostgres], store: Store
):
    """The primary is read then; and the replica again once it has followed."""
    store.write(INDEXER, put(entry("a", "A lamp is bright."), entry("b", "A lamp is old.")))
    follow(servers)
    assert found(store, who=ANN) == ["a", "b"]
    pause(servers[1], replay=False)
    try:
        store.write(
            INDEXER, put(entry("b", "A lamp is old.", readers=Readers(users=frozenset({"bob"}))))
        )
        store.write(INDEXER, put(entry("c", "A lamp is new.")))
        assert found(store, who=ANN) == ["a", "c"]
        assert found(store, "new", who=ANN) == ["c"]
    finally:
        pause(servers[1], replay=True)
    follow(servers)
    wait_for(lambda: is_read_from_the_replica(store, "old", ["b"]))


def test_a_replica_that_is_gone_stops_no_read(
    servers: tuple[EmbeddedPostgres, EmbeddedPostgres], store: Store
):
    """The primary has all that it had."""
    store.write(INDEXER, put(entry("a", "A lamp is bright.")))
    follow(servers)
    servers[1].stop()
    try:
        assert found(store) == ["a"]
        assert found(store, "bright") == ["a"]
    finally:
        servers[1].start()


def test_the_replica_is_named_by_a_connection():
    with pytest.raises(InputError, match=r"`read` is the name of a connection"):
        open_store("postgresql://db/x?read=1st")
    with pytest.raises(InputError, match=r"`read` is the name of a connection"):
        open_store("postgresql://db/x?read=a%20b")
