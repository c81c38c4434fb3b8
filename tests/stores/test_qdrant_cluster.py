"""A cluster of Qdrant servers with two copies of each point: one of them may die."""

from __future__ import annotations

import json
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from biblicus_context.stores import Batch, Store, StoreError, search_text
from biblicus_context.stores.qdrant import open_qdrant
from biblicus_context.testing.store_samples import INDEXER, entry, put
from tests.nightly import NIGHTLY
from tests.qdrant_fixture import QdrantServer

pytestmark = pytest.mark.enable_socket  # the state of a cluster is told over HTTP

PATIENCE = 60.0
"""Seconds that a machine that is busy may take for what takes one."""


def wait_until(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.05)


def told(server: QdrantServer, path: str) -> Any:
    with urllib.request.urlopen(f"http://127.0.0.1:{server.http}{path}", timeout=10) as answer:
        return json.load(answer)["result"]


def is_whole(servers: list[QdrantServer]) -> bool:
    """Whether every server knows all the others, and all parts of the collection are active."""
    try:
        for each in servers:
            if len(told(each, "/cluster")["peers"]) < len(servers):
                return False
            if "biblicus_context" in {
                own["name"] for own in told(each, "/collections")["collections"]
            }:
                parts = told(each, "/collections/biblicus_context/cluster")
                states = {own["state"] for own in parts["local_shards"] + parts["remote_shards"]}
                if states - {"Active"} or parts["shard_transfers"]:
                    return False
    except OSError:
        return False
    return True


@contextmanager
def cluster(folder: Path) -> Iterator[list[QdrantServer]]:
    with ExitStack() as stack:
        first = QdrantServer(folder / "0", cluster=True)
        servers = [first, *(QdrantServer(folder / str(n), joins=first) for n in (1, 2))]
        for each in servers:
            each.start()
            stack.callback(each.kill)
        wait_until(lambda: is_whole(servers))
        yield servers


def opened(servers: list[QdrantServer], *, first: int = 0) -> Store:
    hosts = [f"127.0.0.1:{each.grpc}" for each in (*servers[first:], *servers[:first])]
    return open_qdrant(f"qdrant://{','.join(hosts)}", copies=2)


@pytest.mark.nightly  # a quarter of a minute
def test_of_three_servers_one_may_die_under_load(tmp_path: Path):
    """Reads go on, writes that are refused say so, nothing is lost or doubled, and all comes back."""
    with cluster(tmp_path) as servers, opened(servers) as store, opened(servers, first=2) as other:
        for number in range(8):
            store.write(INDEXER, put(entry(f"d{number}", "green tea")))
        done, refused, ending = {*range(8)}, dict[int, Batch](), threading.Event()

        def write() -> None:
            number = 8
            while not ending.is_set():
                batch = put(entry(f"d{number}", "green tea"))
                try:
                    other.write(INDEXER, batch, token=f"t{number}")
                    done.add(number)
                except StoreError:
                    refused[number] = batch
                number += 1

        writer = threading.Thread(target=write)
        writer.start()
        try:
            wait_until(lambda: len(done) > 10)
            servers[1].kill()
            for _ in range(20):
                known = {*done}
                with store.view(INDEXER) as view:
                    found = {each.block_id for each in search_text(view, ["tea"], limit=10_000)}
                    shown = view.evidence([f"d{number}#0" for number in range(8)])
                assert {f"d{number}#0" for number in known} <= found
                assert len(shown) == 8
            before = len(done) + len(refused)
            wait_until(lambda: len(done) + len(refused) > before + 1)
        finally:
            ending.set()
            writer.join()
        servers[1].start()
        wait_until(lambda: is_whole(servers))
        for number, batch in refused.items():
            store.write(INDEXER, batch, token=f"t{number}")
        expected = sorted(f"d{number}" for number in done | refused.keys())
        for each in (store, other):
            with each.view(INDEXER) as view:
                assert sorted(view.fingerprints()) == expected
                assert view.version == len(expected)
                assert len(search_text(view, ["tea"], limit=10_000)) == len(expected)
        assert store.check() == ()


@pytest.mark.nightly  # three servers that find each other take what a busy machine leaves them
def test_through_whichever_server_two_write_one_of_them_wins(tmp_path: Path):
    with cluster(tmp_path) as servers:
        stores = [opened(servers, first=n) for n in range(3)]
        won = list[int]()

        def write(store: Store, own: int) -> None:
            for number in range(20 if NIGHTLY else 4):
                batch, token = put(entry(f"w{own}-{number}", "tea")), f"{own}-{number}"
                while True:
                    try:
                        with store.view(INDEXER) as view:
                            version = view.version
                        done = store.write(INDEXER, batch, expected_version=version, token=token)
                    except StoreError:  # overtaken, or the machine is busy
                        continue
                    won.append(done)
                    break

        threads = [
            threading.Thread(target=write, args=each) for each in zip(stores, range(3), strict=True)
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        written = 3 * (20 if NIGHTLY else 4)
        assert sorted(won) == [*range(1, written + 1)]
        for store in stores:
            with store.view(INDEXER) as view:
                assert view.info().documents == written
            store.close()
