"""What goes wrong between a program and its server: typed errors, bounded waiting, nothing lost or done twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from biblicus_context.stores import StoreError
from biblicus_context.stores.postgres import open_store
from biblicus_context.stores.postgres.embedded import EmbeddedPostgres
from biblicus_context.stores.postgres.source import PostgresSource
from biblicus_context.stores.postgres.store import PostgresStore
from biblicus_context.testing.store_samples import ANN, INDEXER, entry, put, seen
from tests.stores.postgres import drop, new_schema, server, url
from tests.stores.stalling_proxy import StallingProxy

ROOT = Path(__file__).parents[2]
PATIENCE = 1.5
LONGEST = 30.0
"""On a machine that does other things too."""


@pytest.fixture
def proxy() -> Iterator[StallingProxy]:
    with (
        tempfile.TemporaryDirectory(prefix="px") as folder,
        StallingProxy(Path(folder), server().folder) as proxy,
    ):
        yield proxy


@pytest.fixture
def store(proxy: StallingProxy) -> Iterator[PostgresStore]:
    """A store whose network the test controls."""
    schema = new_schema()
    place = (
        f"postgresql://postgres@/postgres?host={proxy.folder}&schema={schema}&patience={PATIENCE}"
    )
    try:
        with open_store(place) as store:
            store.write(INDEXER, put(entry("a", "one")))
            yield store
    finally:
        drop(schema)


def documents(store: PostgresStore) -> set[str]:
    return {*seen(store, INDEXER).fingerprints()}


def test_a_network_that_stalls_is_an_error_in_bounded_time(
    store: PostgresStore, proxy: StallingProxy
):
    """It says nothing at all, and is not waited for for ever; once it flows, the store goes on."""
    assert documents(store) == {"a"}
    proxy.stall()
    began = time.monotonic()
    with pytest.raises(StoreError):
        documents(store)
    assert time.monotonic() - began < LONGEST
    with pytest.raises(StoreError):
        store.write(INDEXER, put(entry("b", "two")))
    assert time.monotonic() - began < LONGEST
    proxy.flow()
    assert documents(store) >= {"a"}
    store.write(INDEXER, put(entry("c", "three")))
    assert documents(store) >= {"a", "c"}


def test_a_write_whose_answer_is_lost_is_done_once(store: PostgresStore, proxy: StallingProxy):
    """The server committed, and the connection broke: the write is made again, and its token tells."""
    proxy.loses_commit = True
    assert store.write(INDEXER, put(entry("b", "two")), expected_version=1) == 2
    assert not proxy.loses_commit
    assert documents(store) == {"a", "b"}
    assert seen(store, INDEXER).version == 2


def test_connections_that_broke_are_replaced(store: PostgresStore, proxy: StallingProxy):
    """A server that was restarted has broken all of a pool: a read begins again by itself."""
    with ThreadPoolExecutor(4) as threads:
        [*threads.map(lambda _: documents(store), range(8))]
    proxy.cut()
    assert documents(store) == {"a"}
    proxy.cut()
    assert store.write(INDEXER, put(entry("b", "two"))) == 2


def test_a_lock_of_another_writer_is_waited_for_in_bounded_time(store: PostgresStore):
    """Readers go on meanwhile."""
    assert isinstance(store.source, PostgresSource)
    schema = store.source.server.options.schema
    with psycopg.connect(server().url) as other:
        other.execute(f'SELECT 1 FROM "{schema}".space FOR UPDATE'.encode())
        began = time.monotonic()
        with pytest.raises(StoreError):
            store.write(INDEXER, put(entry("b", "two")))
        assert time.monotonic() - began < LONGEST
        assert documents(store) == {"a"}
    assert store.write(INDEXER, put(entry("b", "two"))) == 2


def test_a_pool_that_is_exhausted_is_an_error_in_bounded_time():
    """All connections are in use for longer than a caller is patient."""
    schema = new_schema()
    try:
        with open_store(url(schema, pool=1, patience=PATIENCE)) as store:
            store.write(INDEXER, put(entry("a", "one")))
            assert isinstance(store.source, PostgresSource)
            pool = store.source.server._pool()  # type: ignore[attr-defined]
            with pool.connection():
                began = time.monotonic()
                with pytest.raises(StoreError, match="connection"):
                    documents(store)
                assert time.monotonic() - began < LONGEST
            assert documents(store) == {"a"}
    finally:
        drop(schema)


def test_views_hold_no_connection():
    """With a pool of one, views are open in views, and writes are made inside of them."""
    schema = new_schema()
    try:
        with open_store(url(schema, pool=1, patience=5)) as store:
            store.write(INDEXER, put(entry("a", "one")))
            with store.view(ANN) as outer, store.view(INDEXER) as inner:
                assert outer.documents(["a"])
                assert inner.documents(["a"])
                assert store.write(INDEXER, put(entry("b", "two"))) == 2
                assert not outer.documents(["b"])
    finally:
        drop(schema)


def test_stores_with_one_url_share_their_connections():
    """To close one of them, even twice, leaves those of the others open."""
    schema = new_schema()
    try:
        first, second = open_store(url(schema)), open_store(url(schema))
        assert first.source.server is second.source.server
        first.close()
        first.close()
        assert second.write(INDEXER, put(entry("a", "one"))) == 1
        second.close()
        with pytest.raises(StoreError, match="closed"):
            documents(second)
    finally:
        drop(schema)


def test_a_child_has_connections_of_its_own(store: PostgresStore):
    """A fork shares no connection: what one of both would send, the other would read."""
    assert documents(store) == {"a"}
    child = os.fork()
    if not child:
        try:
            os._exit(0 if documents(store) == {"a"} else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert documents(store) == {"a"}


WRITER = """
import sys
from biblicus_context.stores.postgres import open_store
from biblicus_context.testing.store_samples import INDEXER, entry, put
from biblicus_context.stores import StoreError
url, name, count = sys.argv[1:]
with open_store(url) as store:
    for number in range(int(count)):
        while True:
            try:
                store.write(INDEXER, put(entry(f"{name}-{number}", f"text {number}")), token=f"{name}-{number}")
            except StoreError as error:
                print("-", error, flush=True)
                continue
            break
        print(f"{name}-{number}", flush=True)
"""


def written(line: str) -> bool:
    return not line.startswith("- ")


def test_a_writer_that_is_killed_loses_nothing_that_it_was_told():
    """What it reported is there, once; at most the write that it was at is there as well."""
    schema = new_schema()
    try:
        place = url(schema)
        open_store(place).close()
        command = [sys.executable, "-c", WRITER, place, "w", "1000"]
        told: list[str] = []
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as writer:
            assert writer.stdout is not None
            while len(told) < 5:
                told.append(writer.stdout.readline().strip())
            writer.send_signal(signal.SIGKILL)
            told += [each.strip() for each in writer.stdout]
        with open_store(place) as store:
            there = documents(store)
            assert {*filter(written, told)} <= there
            assert len(there) <= len(told) + 1
            assert seen(store, INDEXER).version == len(there)
            assert store.check() == ()
            assert store.write(INDEXER, put(entry("next", "x"))) == len(there) + 1
    finally:
        drop(schema)


def test_a_server_that_is_killed_loses_nothing_that_it_answered():
    """Two writers go on by themselves once it is back, and every document is there once."""
    with tempfile.TemporaryDirectory(prefix="pk", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        with EmbeddedPostgres(Path(folder) / "s") as own:
            place = f"{own.url}&patience=3"
            open_store(place).close()
            writers = [
                subprocess.Popen(
                    [sys.executable, "-c", WRITER, place, name, "6"],
                    stdout=subprocess.PIPE,
                    text=True,
                    cwd=ROOT,
                )
                for name in ("one", "two")
            ]
            assert writers[0].stdout is not None
            writers[0].stdout.readline()
            own.stop(kill=True)
            own.start()
            told = [
                line.strip()
                for each in writers
                for line in each.communicate(timeout=120)[0].split("\n")
            ]
            with open_store(place) as store:
                expected = {f"{name}-{n}" for name in ("one", "two") for n in range(6)}
                assert {*filter(None, filter(written, told))} <= expected
                assert documents(store) == expected
                assert seen(store, INDEXER).version == 12
                assert store.check() == ()
